#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "load/load.h"
#include "model/sets.h"
#include "model/shapes.h"

static void test_shapes(void **state)
{
	struct shapes s;
	const int64_t dims[] = {3, 3, 16}, unknown[] = {-1, 5}, huge[] = {INT64_MAX, 2},
		      zero[] = {0, INT64_MAX, INT64_MAX};
	uint32_t id;
	struct buf text = {0};

	assert_true(shapes_init(&s));
	id = shapes_add(&s, dims, 3);
	assert_int_equal(shapes_add(&s, dims, 3), id);
	assert_int_not_equal(shapes_add(&s, dims, 2), id);
	assert_int_equal(shapes_add(&s, dims, 0), 0);
	assert_int_equal(shapes_get(&s, id)->elements, 144);
	assert_int_equal(shapes_get(&s, 0)->elements, 0);
	assert_int_equal(shapes_get(&s, shapes_add(&s, unknown, 2))->elements, 0);
	assert_int_equal(shapes_get(&s, shapes_add(&s, zero, 3))->elements, 0);
	id = shapes_add(&s, huge, 2);
	assert_true(shapes_get(&s, id)->elements == INT64_MAX);
	assert_true(shapes_get(&s, id)->saturated);
	shape_put(&text, shapes_get(&s, shapes_add(&s, unknown, 2)));
	assert_string_equal(text.at, "-1x5");
	buf_clear(&text);
	shapes_clear(&s);
}

static void test_sets_are_sorted_and_shared(void **state)
{
	struct strings strings;
	struct sets s;
	uint32_t a, b, c, ab, set;

	assert_true(strings_init(&strings) && sets_init(&s));
	c = strings_add(&strings, SPAN("c"));
	a = strings_add(&strings, SPAN("a"));
	b = strings_add(&strings, SPAN("b"));
	ab = sets_with(&s, &strings, sets_with(&s, &strings, 0, b), a);
	assert_int_equal(sets_with(&s, &strings, sets_with(&s, &strings, 0, a), b), ab);
	assert_int_equal(sets_with(&s, &strings, ab, a), ab);
	set = sets_with(&s, &strings, ab, c);
	assert_int_equal(sets_get(&s, set)->n, 3);
	assert_int_equal(sets_get(&s, set)->at[0], a);
	assert_int_equal(sets_get(&s, set)->at[1], b);
	assert_int_equal(sets_get(&s, set)->at[2], c);
	assert_int_equal(sets_get(&s, 0)->n, 0);
	sets_clear(&s);
	strings_clear(&strings);
}

/* What does not fit a row is returned unchanged, also in a row that had less. */
static void test_exec_sums(void **state)
{
	const struct exec_sums cases[] = {
		{0},
		{1, 2, 3, 4, 5, 6, 7, 8, 9},
		{(1 << 30) - 1, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX,
			UINT32_MAX, UINT32_MAX, UINT32_MAX},
		{1 << 30, 2, 3, 4, 5, 6, 7, 8, 9},
		{-1, 2, 3, 4, 5, 6, 7, 8, 9},
		{1, 2, 3, 4, 5, 6, 7, 8, (int64_t)1 << 32},
		{1, INT64_MIN, INT64_MAX, 4, 5, -6, 7, 8, 9},
		{9, 8, 7, 6, 5, 4, 3, 2, 1},
	};
	enum { N = sizeof(cases) / sizeof(*cases) };
	struct execs x = {0}, other = {0};
	struct exec_sums got;
	uint32_t first[2] = {NONE, NONE}, row, first_row, first_wide;

	for (int i = 0; i < N; i++) {
		row = execs_row(&x, &first[0], 5);
		assert_true(exec_put_sums(&x, row, &cases[i]));
		got = exec_get_sums(&x, row);
		assert_memory_equal(&cases[i], &got, sizeof(got));
		row = execs_row(&other, &first[1], i);
		assert_true(exec_put_sums(&other, row, &cases[i]));
	}
	assert_int_equal(x.n_rows, 1);
	assert_true(execs_take(&x, &other, &first_row, &first_wide));
	assert_int_equal(first_row, EXEC_BLOCK);
	assert_int_equal(other.n_rows, 0);
	execs_clear(&other);
	execs_clear(&x);
}

/* Whatever order steps come in, a node has a row for each, ascending. */
static void test_execs_are_in_order_of_steps(void **state)
{
	static const int64_t steps[] = {5, 7, 7, 2, 9, 5, 3, 9, 1, 12, 2, 11};
	struct model m;
	uint32_t nodes[2], rows[13] = {0};

	assert_true(model_init(&m));
	for (int i = 0; i < 2; i++) {
		uint32_t name = strings_add(&m.strings, i ? SPAN("a") : SPAN("b"));

		nodes[i] = model_add_node(&m, name, name);
	}
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		uint32_t row = exec_row(&m, nodes[1], steps[i]), k = 0;

		if (i % 3 == 0)
			exec_row(&m, nodes[0], steps[i]);
		assert_true(row != NONE && exec_at(&m.execs, row)->step == steps[i]);
		if (rows[steps[i]])
			assert_int_equal(rows[steps[i]], row + 1);
		rows[steps[i]] = row + 1;
		for (uint32_t r = m.nodes.first_exec[nodes[1]]; r != NONE;
			r = exec_at(&m.execs, r)->next) {
			while (!rows[k])
				k++;
			assert_int_equal(rows[k], r + 1);
			assert_int_equal(exec_find(&m, nodes[1], k), r);
			k++;
		}
		while (k < 13)
			assert_int_equal(rows[k++], 0);
	}
	model_clear(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shapes),
		cmocka_unit_test(test_sets_are_sorted_and_shared),
		cmocka_unit_test(test_exec_sums),
		cmocka_unit_test(test_execs_are_in_order_of_steps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
