#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

/* Programs that no compiler writes: circles, ids of nothing, sizes beyond all bounds.
 * tests/hlo has the numbers of real ones. */
#include <stdio.h>
#include <stdlib.h>

#include "hlo/cost.h"
#include "hlo/shape.h"
#include "hlo/window.h"
#include "proto/wire_write.h"

/* ---- writing programs ---------------------------------------------------- */

static void put_text(struct buf *b, uint32_t number, const char *text)
{
	size_t open = wire_open(b, number);

	buf_text(b, text);
	wire_close(b, open);
}

static void put_array(struct buf *b, int64_t dim)
{
	size_t open = wire_open(b, HLO_INSTRUCTION_SHAPE);

	wire_put_int(b, SHAPE_ELEMENT_TYPE, PRIMITIVE_TYPE_F32);
	wire_put_int(b, SHAPE_DIMENSIONS, dim);
	wire_close(b, open);
}

/* An instruction that makes f32[dim] of an operand, calling a computation; 0: none. */
static void put_op(struct buf *b, int id, const char *opcode, int64_t dim, int operand, int callee)
{
	size_t open = wire_open(b, HLO_COMPUTATION_INSTRUCTIONS);

	put_text(b, HLO_INSTRUCTION_NAME, opcode);
	put_text(b, HLO_INSTRUCTION_OPCODE, opcode);
	put_array(b, dim);
	wire_put_int(b, HLO_INSTRUCTION_ID, id);
	if (operand)
		wire_put_int(b, HLO_INSTRUCTION_OPERAND_IDS, operand);
	if (callee)
		wire_put_int(b, HLO_INSTRUCTION_CALLED_COMPUTATION_IDS, callee);
	wire_close(b, open);
}

static size_t open_block(struct buf *b, int id, int root)
{
	size_t open = wire_open(b, HLO_MODULE_COMPUTATIONS);

	wire_put_int(b, HLO_COMPUTATION_ID, id);
	wire_put_int(b, HLO_COMPUTATION_ROOT_ID, root);
	return open;
}

struct test {
	struct buf message;
	struct hlo_program program;
	struct hlo_costs costs;
	size_t module;
};

static void open_test(struct test *t)
{
	*t = (struct test){0};
	t->module = wire_open(&t->message, HLO_HLO_MODULE);
}

static void count(struct test *t, int entry)
{
	struct decoder d = {0};

	wire_put_int(&t->message, HLO_MODULE_ENTRY_COMPUTATION_ID, entry);
	wire_close(&t->message, t->module);
	assert_true(hlo_program_read(&t->program, &d, buf_get(&t->message)));
	assert_true(hlo_costs_count(&t->costs, &t->program));
}

static void close_test(struct test *t)
{
	hlo_costs_clear(&t->costs);
	hlo_program_clear(&t->program);
	buf_clear(&t->message);
}

/* ---- tests --------------------------------------------------------------- */

static void test_opcodes_are_found(void **state)
{
	static const char *const texts[] = {
#define X(id, text, rule) text,
		HLO_OPCODES(X)
#undef X
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		assert_int_equal(hlo_opcode_find(span_of(texts[i])), i);
	assert_int_equal(hlo_opcode_find(SPAN("frobnicate")), HLO_OTHER);
	assert_int_equal(hlo_opcode_find(SPAN("")), HLO_OTHER);
}

static void test_computations_in_a_circle_are_counted_once(void **state)
{
	struct test t;
	size_t block;

	open_test(&t);
	block = open_block(&t.message, 1, 10);
	put_op(&t.message, 10, "call", 8, 0, 2);
	put_op(&t.message, 11, "negate", 8, 10, 0);
	wire_close(&t.message, block);
	block = open_block(&t.message, 2, 20);
	put_op(&t.message, 20, "call", 8, 0, 1);
	put_op(&t.message, 21, "tanh", 8, 20, 0);
	wire_close(&t.message, block);
	count(&t, 1);
	assert_int_equal(t.costs.total.float_ops, 8);
	assert_int_equal(t.costs.total.transcendentals, 8);
	close_test(&t);
}

static void test_a_fusion_in_itself_ends(void **state)
{
	struct test t;
	size_t block;

	open_test(&t);
	block = open_block(&t.message, 1, 10);
	put_op(&t.message, 10, "fusion", 8, 10, 1);
	wire_close(&t.message, block);
	count(&t, 1);
	assert_int_equal(t.costs.total.float_ops, 0);
	close_test(&t);
}

static void test_ids_of_nothing_are_reported(void **state)
{
	struct test t;
	size_t block;

	open_test(&t);
	block = open_block(&t.message, 1, 99);
	put_op(&t.message, 10, "negate", 8, 98, 97);
	wire_close(&t.message, block);
	count(&t, 1);
	assert_int_equal(t.program.n_damaged, 3);
	assert_int_equal(t.costs.total.float_ops, 8);
	assert_int_equal(t.costs.total.bytes, 32);
	close_test(&t);
}

static void test_an_entry_of_nothing_is_the_last(void **state)
{
	struct test t;
	size_t block;

	open_test(&t);
	block = open_block(&t.message, 1, 10);
	put_op(&t.message, 10, "negate", 8, 10, 0);
	wire_close(&t.message, block);
	count(&t, 77);
	assert_int_equal(t.program.entry, 0);
	close_test(&t);
}

static void test_sizes_stop_at_the_most(void **state)
{
	struct test t;
	size_t block;

	open_test(&t);
	block = open_block(&t.message, 1, 10);
	put_op(&t.message, 10, "negate", INT64_MAX, 10, 0);
	put_op(&t.message, 11, "tanh", INT64_MAX, 10, 0);
	put_op(&t.message, 12, "tanh", -5, 10, 0);
	wire_close(&t.message, block);
	count(&t, 1);
	assert_int_equal(t.costs.total.float_ops, HLO_MOST);
	assert_int_equal(t.costs.total.transcendentals, HLO_MOST);
	assert_int_equal(t.costs.total.bytes, HLO_MOST);
	assert_int_equal(t.program.n_damaged, 1);
	close_test(&t);
}

/* ((((… f32[] …)))) */
static void put_nested(struct buf *b, int depth)
{
	size_t open[200], n = 0;

	for (; n < (size_t)depth; n++) {
		open[n] = wire_open(b, n ? SHAPE_TUPLE_SHAPES : HLO_INSTRUCTION_SHAPE);
		wire_put_int(b, SHAPE_ELEMENT_TYPE, PRIMITIVE_TYPE_TUPLE);
	}
	while (n)
		wire_close(b, open[--n]);
}

static void test_deep_shapes_are_cut_off(void **state)
{
	struct test t;
	size_t block, op;

	open_test(&t);
	block = open_block(&t.message, 1, 10);
	op = wire_open(&t.message, HLO_COMPUTATION_INSTRUCTIONS);
	wire_put_int(&t.message, HLO_INSTRUCTION_ID, 10);
	put_nested(&t.message, 150);
	wire_close(&t.message, op);
	wire_close(&t.message, block);
	count(&t, 1);
	assert_int_equal(t.program.values.n, HLO_DEEPEST + 1);
	assert_int_equal(t.program.n_damaged, 1);
	close_test(&t);
}

static void test_trip_counts(void **state)
{
	static const struct {
		const char *config;
		int64_t trips;
	} cases[] = {
		{"{\"known_trip_count\":{\"n\":\"12\"}}", 12},
		{"{\"x\":1, \"known_trip_count\" : { \"n\" : 12 } }", 12},
		{"{\"known_trip_count\":{}}", -1},
		{"{\"known_trip_count\":{\"n\":\"", -1},
		{"{\"known_trip_count\":{\"n\":\"many\"}}", -1},
		{"", -1},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct buf b = {0};
		struct hlo_op op = {0};

		put_text(&b, HLO_INSTRUCTION_BACKEND_CONFIG, cases[i].config);
		op.message = buf_get(&b);
		assert_int_equal(hlo_trip_count(&op), cases[i].trips);
		buf_clear(&b);
	}
}

/* Against counting one by one. */
static void test_pairs_of_windows(void **state)
{
	srand(1);
	for (int i = 0; i < 3000; i++) {
		struct hlo_window w = {1 + rand() % 5, 1 + rand() % 3, rand() % 5 - 2,
			1 + rand() % 3, 1 + rand() % 3};
		int64_t input = 1 + rand() % 12, output = 1 + rand() % 12, n = 0;
		int64_t budget = 1000;

		for (int64_t o = 0; o < output; o++)
			for (int64_t k = 0; k < w.size; k++) {
				int64_t at = o * w.stride + k * w.window_dilation - w.padding_low;

				n += at >= 0 && at % w.base_dilation == 0 &&
					at / w.base_dilation < input;
			}
		assert_int_equal(hlo_window_count_pairs(&w, input, output, &budget), n);
	}
}

static void test_windows_have_a_budget(void **state)
{
	struct hlo_window w = {1000, 1, 0, 1, 1};
	int64_t budget = 1500;

	assert_true(hlo_window_count_pairs(&w, 2000, 1001, &budget) > 0);
	assert_int_equal(hlo_window_count_pairs(&w, 2000, 1001, &budget), -1);
	assert_int_equal(hlo_window_count_pairs(&w, -1, 1001, &budget), -1);
	assert_int_equal(hlo_window_count_pairs(&w, INT64_MAX, 1001, &budget), -1);
}

static struct buf read_file(const char *path)
{
	FILE *file = fopen(path, "rb");
	struct buf b = {0};
	char block[4096];
	size_t n;

	assert_non_null(file);
	while ((n = fread(block, 1, sizeof(block), file)) > 0)
		buf_put(&b, block, n);
	fclose(file);
	return b;
}

static void test_any_allocation_may_fail(void **state)
{
	struct buf message = read_file(TEST_DATA "/../fuzz/corpus/hlo/while");
	bool ok = false;

	for (size_t nth = 1; !ok; nth++) {
		struct hlo_program p = {0};
		struct hlo_costs costs = {0};
		struct decoder d = {0};

		mem_fail_at(nth);
		ok = hlo_program_read(&p, &d, buf_get(&message)) && hlo_costs_count(&costs, &p);
		mem_fail_at(0);
		assert_null(d.bad);
		hlo_costs_clear(&costs);
		hlo_program_clear(&p);
	}
	buf_clear(&message);
}

static void test_shapes_as_text(void **state)
{
	struct buf message = read_file(TEST_DATA "/../fuzz/corpus/hlo/while"), b = {0};
	struct hlo_program p = {0};
	struct decoder d = {0};
	uint32_t i;

	assert_true(hlo_program_read(&p, &d, buf_get(&message)));
	i = p.blocks.at[p.entry].root;
	hlo_put_shape(&b, &p, p.ops.at[i].value);
	assert_string_equal(b.at, "(s32[],f32[8,16])");
	buf_clear(&b);
	buf_clear(&message);
	hlo_program_clear(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_opcodes_are_found),
		cmocka_unit_test(test_computations_in_a_circle_are_counted_once),
		cmocka_unit_test(test_a_fusion_in_itself_ends),
		cmocka_unit_test(test_ids_of_nothing_are_reported),
		cmocka_unit_test(test_an_entry_of_nothing_is_the_last),
		cmocka_unit_test(test_sizes_stop_at_the_most),
		cmocka_unit_test(test_deep_shapes_are_cut_off),
		cmocka_unit_test(test_trip_counts),
		cmocka_unit_test(test_pairs_of_windows),
		cmocka_unit_test(test_windows_have_a_budget),
		cmocka_unit_test(test_any_allocation_may_fail),
		cmocka_unit_test(test_shapes_as_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
