#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

/* What nodes ran as, next to what the graph says they are. */
#include "model/executed.h"

static struct model model;

static int start(void **state)
{
	return model_init(&model) ? 0 : -1;
}

static int end(void **state)
{
	model_clear(&model);
	return 0;
}

static uint32_t intern(const char *text)
{
	return strings_add(&model.strings, span_of(text));
}

static uint32_t add_node(const char *name, const char *op, bool is_defined)
{
	uint32_t node = model_add_node(&model, intern(name), intern(op));

	assert_int_not_equal(node, NONE);
	if (!is_defined)
		model.nodes.flags[node] |= NODE_UNDEFINED;
	return node;
}

static void assert_types(uint32_t set, const char *expected)
{
	const struct string_set *types = sets_get(&model.sets, set);
	struct buf text = {0};

	for (uint32_t i = 0; i < types->n; i++) {
		buf_text(&text, i ? " " : "");
		buf_span(&text, model_text(&model, types->at[i]));
	}
	assert_string_equal(text.at ? text.at : "", expected);
	buf_clear(&text);
}

static void assert_text(uint32_t string, const char *expected)
{
	assert_true(span_equal(model_text(&model, string), span_of(expected)));
}

static void test_a_node_that_runs_as_itself_is_as_before(void **state)
{
	uint32_t node = add_node("a", "Mul", true);

	assert_true(executed_add(&model, node, SPAN("Mul")));
	assert_false(model.has_executed);
	assert_int_equal(model.nodes.executed[node], 0);
	assert_int_equal(model_types(&model, node), model.nodes.types[node]);
	assert_text(model_executed(&model, node), "Mul");
}

static void test_a_fused_node_keeps_its_op_and_gets_a_type(void **state)
{
	uint32_t node = add_node("a/Relu", "Relu", true);

	assert_true(executed_add(&model, node, SPAN("_FusedConv2D")));
	assert_true(model_add_type(&model, node, intern("cpu:0")));
	assert_true(model.has_executed);
	assert_text(model_op(&model, node), "Relu");
	assert_text(model_executed(&model, node), "_FusedConv2D");
	assert_types(model.nodes.types[node], "Relu cpu:0");
	assert_types(model_types(&model, node), "Relu _FusedConv2D cpu:0");
}

static void test_an_undefined_node_is_what_it_ran_as(void **state)
{
	uint32_t node = add_node("call/x", "call/x", false);

	assert_text(model_op(&model, node), "call/x");
	assert_true(model_add_type(&model, node, intern("cpu:0")));
	assert_true(executed_add(&model, node, SPAN("Softmax")));
	assert_text(model_op(&model, node), "Softmax");
	assert_types(model.nodes.types[node], "call/x cpu:0");
	assert_types(model_types(&model, node), "Softmax cpu:0");
}

/* Steps with other fetches are optimized differently. */
static void test_the_last_of_several_counts(void **state)
{
	uint32_t node = add_node("a", "Relu", true);

	assert_true(executed_add(&model, node, SPAN("_FusedConv2D")));
	assert_true(executed_add(&model, node, SPAN("_FusedMatMul")));
	assert_text(model_executed(&model, node), "_FusedMatMul");
	assert_true(executed_add(&model, node, SPAN("Relu")));
	assert_text(model_executed(&model, node), "Relu");
	assert_types(model_types(&model, node), "Relu _FusedConv2D _FusedMatMul");
}

/* A kernel of oneDNN is another implementation, a fused one another operation. */
static void test_another_implementation_is_no_other_operation(void **state)
{
	static const struct {
		const char *op, *executed;
		bool is_other;
	} cases[] = {
		{"MatMul", "MatMul", false},
		{"MatMul", "_MklMatMul", false},
		{"Conv2D", "_MklNativeConv2D", false},
		{"Relu", "_MklNativeFusedConv2D", true},
		{"PartitionedCall", "IdentityN", true},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char name[] = {(char)('a' + i), 0};
		uint32_t node = add_node(name, cases[i].op, true);

		assert_true(executed_add(&model, node, span_of(cases[i].executed)));
		assert_int_equal(executed_is_other(&model, node), cases[i].is_other);
	}
}

static void test_fused_kernels_name_what_they_are_of(void **state)
{
	assert_true(executed_is_fused_of(SPAN("_MklNativeFusedConv2D"), SPAN("Conv2D")));
	assert_true(executed_is_fused_of(SPAN("__MklFusedConv2D"), SPAN("Conv2D")));
	assert_true(executed_is_fused_of(SPAN("_FusedBatchNormEx"), SPAN("FusedBatchNormV3")));
	assert_true(executed_is_fused_of(SPAN("_FusedBatchMatMulV2"), SPAN("BatchMatMulV2")));
	assert_false(executed_is_fused_of(SPAN("_FusedConv2DBackpropInput"), SPAN("Conv2D")));
	assert_false(executed_is_fused_of(SPAN("_FusedConv2D"), SPAN("MatMul")));
	assert_false(executed_is_fused_of(SPAN("_FusedMatMulty"), SPAN("MatMul")));
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, start, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_node_that_runs_as_itself_is_as_before),
		TEST(test_a_fused_node_keeps_its_op_and_gets_a_type),
		TEST(test_an_undefined_node_is_what_it_ran_as),
		TEST(test_the_last_of_several_counts),
		TEST(test_another_implementation_is_no_other_operation),
		TEST(test_fused_kernels_name_what_they_are_of),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
