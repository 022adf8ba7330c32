#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

/* Labels as TensorFlow writes them, and others. */
#include "proto/timeline_label.h"

static void assert_type(const char *label, const char *expected)
{
	struct span type = timeline_label_type(span_of(label));

	assert_int_equal(type.n, strlen(expected));
	assert_memory_equal(type.at, expected, type.n);
}

static void types_of_labels(void **state)
{
	assert_type("c2/Relu = _MklNativeFusedConv2D(c1/Relu, c2/w, c2/b)",
		"_MklNativeFusedConv2D");
	assert_type("[mklcpu 1.0MB 1.0MB] c2/Relu = _FusedConv2D(x)", "_FusedConv2D");
	assert_type("_SOURCE = NoOp()", "NoOp");
	assert_type("a = b = Mul(x, y) anything", "Mul");
	assert_type("a = Addons>Gelu(x)", "Addons>Gelu");
}

static void labels_without_a_type(void **state)
{
	assert_type("", "");
	assert_type("a", "");
	assert_type("a = Mul", "");
	assert_type("a = ()", "");
	assert_type("a = not a type(x)", "");
	assert_type("a = Mul\n(x)", "");
	assert_type("[1.0MB] [3.0Gb/s] w/read from /job:ps to /job:worker", "");
	assert_int_equal(timeline_label_type((struct span){NULL, 0}).n, 0);
}

static void inputs_of_labels(void **state)
{
	struct timeline_label label;

	assert_true(timeline_label_read(SPAN("a = Mul(x, y:1)"), &label));
	assert_true(span_equal(label.inputs, SPAN("x, y:1")));
	assert_true(timeline_label_read(SPAN("a = NoOp()"), &label));
	assert_null(label.inputs.at);
	assert_false(timeline_label_read(SPAN("kernel"), &label));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(types_of_labels),
		cmocka_unit_test(labels_without_a_type),
		cmocka_unit_test(inputs_of_labels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
