#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

/* Layers from names of nodes. The names of Keras 3 are those that TensorFlow 2.21 gave. */
#include "model/layer_tree.h"

/* Adds nodes, and checks the layers that the last is in: "lm > head". */
static void expect(const char *const *names, const char *path, bool backward)
{
	struct layer_tree t;
	struct buf b = {0}, reversed = {0};
	uint32_t node = 0;
	bool is_backward = false;

	assert_true(layer_tree_init(&t));
	for (; *names; names++)
		node = layer_tree_add(&t, span_of(*names), true, &is_backward);
	assert_true(layer_tree_finish(&t));
	for (uint32_t at = layer_tree_get_layer(&t, node); at; at = layer_tree_get_parent(&t, at)) {
		reversed.n = 0;
		buf_span(&reversed, buf_get(&b));
		b.n = 0;
		buf_span(&b, t.at.at[at].name);
		if (reversed.n)
			buf_text(&b, " > ");
		buf_span(&b, buf_get(&reversed));
	}
	buf_char(&b, 0);
	assert_string_equal(b.at, path);
	assert_int_equal(is_backward, backward);
	buf_clear(&b);
	buf_clear(&reversed);
	layer_tree_clear(&t);
}

#define NAMES(...) ((const char *const[]){__VA_ARGS__, NULL})
/* Layers dense, dense_1, dense_2, re_lu of a model sequential. */
#define SEQUENTIAL                                                      \
	"sequential_1/dense_1/MatMul", "sequential_1/dense_1_2/MatMul", \
		"sequential_1/dense_2_1/MatMul", "sequential_1/re_lu_1/Relu"

static void test_layers_of_keras_have_their_own_names(void **state)
{
	expect(NAMES(SEQUENTIAL, "sequential_1/dense_1/Cast/ReadVariableOp"), "sequential > dense",
		false);
	expect(NAMES(SEQUENTIAL, "sequential_1/dense_1_2/BiasAdd"), "sequential > dense_1", false);
	expect(NAMES(SEQUENTIAL, "sequential_1/dense_2_1/BiasAdd"), "sequential > dense_2", false);
	expect(NAMES(SEQUENTIAL), "sequential > re_lu", false);
	expect(NAMES("functional_4_1/inner_1/dense_6_1/MatMul",
		       "functional_4_1/inner_1/dense_7_1/MatMul"),
		"functional_4 > inner > dense_7", false);
}

static void test_calls_of_a_layer_are_one_layer(void **state)
{
	struct layer_tree t;
	bool is_backward;
	uint32_t first, second;

	assert_true(layer_tree_init(&t));
	first = layer_tree_add(&t, SPAN("functional_2_1/dense_5_1/MatMul"), true, &is_backward);
	second = layer_tree_add(&t, SPAN("functional_2_1/dense_5_3/MatMul"), true, &is_backward);
	assert_true(layer_tree_finish(&t));
	assert_int_equal(layer_tree_get_layer(&t, first), layer_tree_get_layer(&t, second));
	assert_int_equal(t.at.at[t.trunk].n_layers, 1);
	layer_tree_clear(&t);
}

static void test_scopes_of_operations_are_no_layers_of_keras(void **state)
{
	expect(NAMES(SEQUENTIAL, "sequential_1/dense_1/Cast/x", "sequential_1/dense_1/Cast_1/x"),
		"sequential > dense", false);
	expect(NAMES(SEQUENTIAL, "sequential_1/dense_1/add", "sequential_1/dense_1/add_2/y",
		       "sequential_1/dense_1/add_2"),
		"sequential > dense", false);
	expect(NAMES(SEQUENTIAL, "Identity"), "", false);
	expect(NAMES(SEQUENTIAL, "adam/mul", "adam/sub"), "adam", false);
}

/* Functional(… Dense(name dense)(Dense(name dense_1)(x))), twice: scopes as Keras 3.15 opens them.
 */
static void test_layers_that_are_called_in_another_order_keep_their_names(void **state)
{
#define FUNCTIONAL                                                        \
	"functional_1/dense_1_1/MatMul", "functional_1/dense_2/MatMul",   \
		"functional_1/add_1/AddV2", "functional_1/add_1_2/AddV2", \
		"functional_1/dense_3_1/MatMul", "functional_1/dense_2_2/MatMul"
	expect(NAMES(FUNCTIONAL), "functional > dense_2", false);
	expect(NAMES(FUNCTIONAL, "functional_1/dense_2/BiasAdd"), "functional > dense", false);
	expect(NAMES(FUNCTIONAL, "functional_1/add_1_2/AddV2_1"), "functional > add_1", false);
	expect(NAMES(FUNCTIONAL, "functional_1/dense_1_1/BiasAdd"), "functional > dense_1", false);
}

static void test_what_a_loop_keeps_for_its_gradient_is_no_layer(void **state)
{
	static const char kept[] = "gradient_tape/m_1/gru_1/while/m_1/gru_1/while/gru_cell_1/"
				   "Sigmoid_1_0/accumulator";

	expect(NAMES("m_1/gru_1/transpose", kept, "m_1/dense_1/MatMul"), "m > dense", false);
	expect(NAMES("m_1/dense_1/MatMul", kept, "Cast_2/ReadVariableOp"), "", false);
	expect(NAMES("m_1/dense_1/MatMul",
		       "gradient_tape/m_1/while/m_1/while/inner_1/MatMul_0/accumulator"),
		"m > inner", true);
}

static void test_a_small_model_in_training_has_its_layers(void **state)
{
	expect(NAMES("sgd_2/update_0/mul", "sgd_2/sub", "update_0/AssignVariableOp", "sgd_4/sub",
		       "Cast_2/ReadVariableOp", "sequential_2_1/only_1/MatMul"),
		"sequential_2_1 > only_1", false);
	expect(NAMES("sgd_2/update_0/mul", "sgd_2/sub", "update_0/AssignVariableOp",
		       "compile_loss/mse/Mean", "Cast_2/ReadVariableOp",
		       "sequential_2_1/only_1/MatMul"),
		"sequential_2 > only", false);
}

static void test_a_gradient_outside_of_scopes_is_of_no_layer(void **state)
{
	expect(NAMES("einsum/Einsum", "gradient_tape/ReluGrad"), "", true);
	expect(NAMES("m_1/dense_1/MatMul", "a_inference_train_7_.6/convolution.4",
		       "a_inference_train_7_.6/copy.2"),
		"", false);
}

static void test_names_that_people_number_stay(void **state)
{
	expect(NAMES("unit_1_0/conv", "unit_1_1/conv", "unit_1_2/conv"), "unit_1_2", false);
	expect(NAMES("block_1/conv", "block_2/conv", "block_3/conv"), "block_3", false);
	/* The second model of a process, in Keras 2. */
	expect(NAMES("model_1/conv2d_3/Conv2D", "model_1/conv2d_4/Conv2D", "model_1/dense_2/MatMul",
		       "model_1/flatten_1/Reshape"),
		"model_1 > flatten_1", false);
}

static void test_the_backward_pass_belongs_to_its_layer(void **state)
{
	expect(NAMES(SEQUENTIAL, "gradient_tape/sequential_1/dense_2_1/MatMul/MatMul_1"),
		"sequential > dense_2", true);
	expect(NAMES(SEQUENTIAL,
		       "StatefulPartitionedCall/gradient_tape/sequential_1/re_lu_1/ReluGrad"),
		"sequential > re_lu", true);
	expect(NAMES("conv/Conv2D", "gradients/conv/Conv2D_grad/Conv2DBackpropInput"), "conv",
		true);
}

static void test_bodies_of_loops_are_in_their_layer(void **state)
{
	expect(NAMES("m_1/gru_1/transpose", "m_1/dense_1/MatMul",
		       "m_1/gru_1/while/body/_1/m_1/gru_1/while/gru_cell_1/MatMul"),
		"m > gru > gru_cell", false);
	expect(NAMES("m_1/gru_1/transpose", "m_1/dense_1/MatMul",
		       "PartitionedCall/m_1/gru_1/cond/then/_3/m_1/gru_1/cond/Relu"),
		"m > gru", false);
}

/* Of tf.distribute, whose second replica does the same below a scope of its own. */
static void test_replicas_share_their_layers(void **state)
{
	const char *const both[] = {"sequential_1/a_1/MatMul", "sequential_1/b_1/MatMul",
		"replica_1/sequential_1/a_1/MatMul", "GroupCrossDeviceControlEdges_0/NoOp/_4",
		"GroupCrossDeviceControlEdges_0/Identity_1/_6", "replica_1/sequential_1/b_1/MatMul",
		NULL};

	expect(both, "sequential > b", false);
	expect(NAMES("sequential_1/a_1/MatMul", "sequential_1/b_1/MatMul",
		       "GroupCrossDeviceControlEdges_0/Identity_1/_6"),
		"", false);
	assert_true(layer_tree_is_of_copy(span_of("replica_1/x")));
	assert_false(layer_tree_is_of_copy(span_of("replica_1")));
	assert_false(layer_tree_is_of_copy(span_of("replica_x/y")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layers_of_keras_have_their_own_names),
		cmocka_unit_test(test_calls_of_a_layer_are_one_layer),
		cmocka_unit_test(test_scopes_of_operations_are_no_layers_of_keras),
		cmocka_unit_test(test_layers_that_are_called_in_another_order_keep_their_names),
		cmocka_unit_test(test_what_a_loop_keeps_for_its_gradient_is_no_layer),
		cmocka_unit_test(test_a_small_model_in_training_has_its_layers),
		cmocka_unit_test(test_a_gradient_outside_of_scopes_is_of_no_layer),
		cmocka_unit_test(test_replicas_share_their_layers),
		cmocka_unit_test(test_names_that_people_number_stay),
		cmocka_unit_test(test_the_backward_pass_belongs_to_its_layer),
		cmocka_unit_test(test_bodies_of_loops_are_in_their_layer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
