#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

/* Names of instructions in the source, taken apart. */
#include "hlo/op_name.h"

static void test_names(void **state)
{
	static const struct {
		const char *text, *layer, *primitive;
		bool is_gradient, is_recomputed;
	} cases[] = {
		{"", "", "", false, false},
		{"x", "", "x", false, false},
		{"ws[0]", "", "ws", false, false},
		{"jit(f)/mlp/dot_general", "mlp", "dot_general", false, false},
		{"jit(f)/jit(main)/layer_0/attn/bhts,bshd->bthd/dot_general", "layer_0/attn",
			"dot_general", false, false},
		{"jit(f)/transpose(jvp(layer_0))/mlp/transpose", "layer_0/mlp", "transpose", true,
			false},
		{"jit(f)/mlp/transpose", "mlp", "transpose", false, false},
		{"jit(f)/jvp()/while/body/closed_call/mlp/mul", "mlp", "mul", false, false},
		{"jit(f)/transpose(jvp())/while/body/checkpoint/rematted_computation/attn/exp",
			"attn", "exp", true, true},
		{"jit(f)/vmap(jit(solve))", "", "", false, false},
		{"jit(f)/cond/branch_1_fun/mlp/add", "mlp", "add", false, false},
		{"jit(f)/branch_x_fun/add", "branch_x_fun", "add", false, false},
		{"jit(f)/custom_jvp_call/relu/max;jit(f)/b/c", "relu", "max", false, false},
		{"jit(f)/transpose(jvp(a/b))", "a/b", "", true, false},
		{"jit(f)/a(b/c)/add", "a(b/c)", "add", false, false},
		{"jit(f)/jvp(a/add", "", "jvp(a/add", false, false},
		{"gradient_tape/model/pool/MaxPoolGrad", "gradient_tape/model/pool", "MaxPoolGrad",
			false, false},
		{"jit(mlp)/dense/add", "dense", "add", false, false},
		{"pjit(mlp)/dense/add", "dense", "add", false, false},
		{"jvp(mlp)/dense/add", "mlp/dense", "add", false, false},
		{"transpose(mlp)/dense/add", "mlp/dense", "add", true, false},
		{"vmap(mlp)/dense/add", "mlp/dense", "add", false, false},
		{"pmap(mlp)/dense/add", "mlp/dense", "add", false, false},
		{"shard_map(mlp)/dense/add", "mlp/dense", "add", false, false},
		{"checkpoint(mlp)/dense/add", "mlp/dense", "add", false, false},
		{"remat(mlp)/dense/add", "mlp/dense", "add", false, false},
		{"custom_jvp(mlp)/dense/add", "mlp/dense", "add", false, false},
		{"custom_vjp(mlp)/dense/add", "mlp/dense", "add", false, false},
		{"/", "", "", false, false},
		{"((((((", "", "((((((", false, false},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct buf layer = {0};
		struct hlo_op_name name;

		buf_text(&layer, ">");
		name = hlo_op_name_read(span_of(cases[i].text), &layer);
		assert_string_equal(layer.at + 1, cases[i].layer);
		assert_int_equal(name.primitive.n, strlen(cases[i].primitive));
		assert_memory_equal(name.primitive.at, cases[i].primitive, name.primitive.n);
		assert_int_equal(name.is_gradient, cases[i].is_gradient);
		assert_int_equal(name.is_recomputed, cases[i].is_recomputed);
		buf_clear(&layer);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_names)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
