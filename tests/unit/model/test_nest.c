#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "model/nest.h"

static uint32_t random_state = 1;

static uint32_t draw(uint32_t limit)
{
	random_state = random_state * 1664525 + 1013904223;
	return (random_state >> 8) % limit;
}

static struct events build(const struct event *rows, size_t n)
{
	struct event_sorter s;
	struct events e;

	event_sorter_init(&s, EVENTS_BY_DEVICE, EVENTS_HAVE_LANES, SIZE_MAX);
	assert_int_equal(devices_add(&s.devices, SPAN("/cpu:0")), 0);
	for (size_t i = 0; i < n; i++)
		events_add(&s, &rows[i]);
	assert_int_equal(events_build(&e, &s, 0, NULL), TFPROF_OK);
	event_sorter_clear(&s);
	assert_true(events_sum(&e));
	return e;
}

/* The row of an event, by its node. */
static uint32_t row_of(const struct nest *nest, uint32_t node)
{
	for (uint32_t row = 0; row < nest->first[1]; row++)
		for (uint32_t i = nest->rows.first_in_lane[row];
			i < nest->rows.first_in_lane[row + 1]; i++)
			if (nest->rows.node[nest->rows.by_lane[i]] == node)
				return row;
	return UINT32_MAX;
}

static void test_what_runs_within_another_is_below_it(void **state)
{
	/* A loop of 100, two turns, an operation of no time in each; then one that overlaps the
	 * end of the loop without being part of it. */
	const struct event rows[] = {{.node = 1, .start_us = 10, .duration_us = 40},
		{.node = 0, .start_us = 10, .duration_us = 100},
		{.node = 2, .start_us = 20, .duration_us = 0},
		{.node = 3, .start_us = 60, .duration_us = 50},
		{.node = 4, .start_us = 70, .duration_us = 0},
		{.node = 5, .start_us = 105, .duration_us = 20}};
	const uint32_t expected[] = {0, 1, 2, 1, 2, 2};
	struct events e = build(rows, 6);
	struct nest nest;

	assert_true(nest_build(&nest, &e));
	for (uint32_t node = 0; node < 6; node++)
		assert_int_equal(row_of(&nest, node), expected[node]);
	nest_clear(&nest);
	events_clear(&e);
}

/* Every execution is in one row, none of a row overlap, and what lies within another is below. */
static void test_random_executions(void **state)
{
	enum { N = 120 };
	struct event rows[N];

	for (int round = 0; round < 200; round++) {
		struct events e;
		struct nest nest;
		size_t seen = 0;

		for (uint32_t i = 0; i < N; i++)
			rows[i] = (struct event){.node = i,
				.start_us = draw(300),
				.duration_us = draw(draw(5) ? 9 : 120)};
		e = build(rows, N);
		assert_true(nest_build(&nest, &e));
		for (uint32_t row = 0; row < nest.first[1]; row++) {
			int64_t reach = INT64_MIN;

			for (uint32_t i = nest.rows.first_in_lane[row];
				i < nest.rows.first_in_lane[row + 1]; i++, seen++) {
				uint32_t at = nest.rows.by_lane[i];

				assert_true(e.start_us[at] >= reach);
				reach = e.start_us[at] + e.duration_us[at];
				assert_true(nest.rows.reach_us[i] == reach);
			}
		}
		assert_int_equal(seen, N);
		for (size_t a = 0; a < N; a++)
			for (size_t b = 0; b < N; b++)
				if (rows[a].start_us > rows[b].start_us &&
					rows[a].start_us + rows[a].duration_us <
						rows[b].start_us + rows[b].duration_us)
					assert_true(row_of(&nest, rows[a].node) >
						row_of(&nest, rows[b].node));
		nest_clear(&nest);
		events_clear(&e);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_runs_within_another_is_below_it),
		cmocka_unit_test(test_random_executions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
