#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

/* Names of backward operations, and what they are gradients of. */
#include "model/gradient.h"

static void expect(const char *name, int kind, const char *forward)
{
	struct buf b = {0};
	struct gradient g;
	bool is_gradient = gradient_parse(span_of(name), &g);

	assert_int_equal(is_gradient, forward != NULL);
	if (!is_gradient)
		return;
	assert_int_equal(g.kind, kind);
	gradient_put_forward(&b, &g);
	assert_int_equal(b.n, strlen(forward));
	if (b.n)
		assert_memory_equal(b.at, forward, b.n);
	buf_clear(&b);
}

/* As TensorFlow's profiler reads them. */
static void test_of_nodes(void **state)
{
	static const struct {
		const char *name, *forward; /* NULL: not a gradient */
	} cases[] = {
		{"gradients/a_grad/b", "a"},
		{"gradients/s/a_grad/b/c", "s/a"},
		{"tower/gradients/a_grad/b", "a"},
		{"my_gradients/a_grad/b", "a"},
		{"gradients/a_grad/b_grad/c", "a"},
		{"gradients/gradients/a_grad/b", "gradients/a"},
		{"gradients/a_gradient/b", NULL},
		{"gradients/a_grad", NULL},
		{"gradients/a/b", NULL},
		{"a_grad/b", NULL},
		{"gradients/_grad/z", NULL},
		{"", NULL},
		/* the second marker comes first: everything after the other */
		{"a_grad/gradients/q", "q"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		expect(cases[i].name, GRADIENT_OF_NODE, cases[i].forward);
}

/* In a function that another one calls: what they are gradients of is in a third. */
static void test_of_called(void **state)
{
	struct gradient g;

	expect("PartitionedCall_2/gradients/s/a_grad/b", GRADIENT_OF_NODE, "s/a");
	assert_true(gradient_parse(SPAN("PartitionedCall_2/gradients/s/a_grad/b"), &g));
	assert_true(g.is_called && gradient_has_forward_stack(&g));
	assert_true(gradient_parse(SPAN("while/body/_1/PartitionedCall/gradients/a_grad/b"), &g));
	assert_true(g.is_called && gradient_has_forward_stack(&g));
	assert_true(gradient_parse(SPAN("tower/gradients/a_grad/b"), &g));
	assert_false(g.is_called || gradient_has_forward_stack(&g));
	assert_int_equal(gradient_call_length(SPAN("StatefulPartitionedCall/a")), 24);
	assert_int_equal(gradient_call_length(SPAN("PartitionedCall_12/a")), 19);
	assert_int_equal(gradient_call_length(SPAN("PartitionedCall")), 0);
	assert_int_equal(gradient_call_length(SPAN("PartitionedCalls/a")), 0);
}

static void test_of_tapes(void **state)
{
	expect("gradient_tape/model/conv/Conv2DBackpropInput", GRADIENT_OF_TAPE, "model/conv");
	expect("gradient_tape/conv/Conv2DBackpropInput", GRADIENT_OF_TAPE, "conv");
	expect("StatefulPartitionedCall/gradient_tape/model/conv/Shape", GRADIENT_OF_TAPE,
		"StatefulPartitionedCall/model/conv");
	expect("gradient_tape/Shape", 0, NULL);
	expect("gradient_tape/", 0, NULL);
	expect("gradient_tape", 0, NULL);
	expect("my_gradient_tape/model/conv/Shape", 0, NULL);
}

static void test_transposed(void **state)
{
	expect("jit(step)/transpose(jvp(layer_0))/attention/dot_general/fusion.3",
		GRADIENT_TRANSPOSED, "jit(step)/jvp(layer_0)/attention/dot_general/fusion.3");
	expect("jit(step)/transpose(jvp())/reduce_sum/fusion", GRADIENT_TRANSPOSED,
		"jit(step)/jvp()/reduce_sum/fusion");
	expect("transpose(jvp(checkpoint(f)))", GRADIENT_TRANSPOSED, "jvp(checkpoint(f))");
	expect("transpose(jvp(cut/short", GRADIENT_TRANSPOSED, "jvp(cut/short");
	expect("jit(step)/jvp(layer_0)/transpose", 0, NULL);
	expect("transpose(layer_0)", 0, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_of_nodes),
		cmocka_unit_test(test_of_called),
		cmocka_unit_test(test_of_tapes),
		cmocka_unit_test(test_transposed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
