#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "model/bars.h"

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

	event_sorter_init(&s, EVENTS_BY_DEVICE, 0, SIZE_MAX);
	assert_int_equal(devices_add(&s.devices, SPAN("/cpu:0")), 0);
	for (size_t i = 0; i < n; i++)
		events_add(&s, &rows[i]);
	assert_int_equal(events_build(&e, &s, 0, NULL), TFPROF_OK);
	event_sorter_clear(&s);
	assert_true(events_sum(&e));
	return e;
}

enum { MAX_BARS = 4096 };

struct bars {
	struct bar at[MAX_BARS];
	size_t n;
};

static int keep(void *context, const struct bar *bar)
{
	struct bars *b = context;

	assert_true(b->n < MAX_BARS);
	b->at[b->n++] = *bar;
	return 0;
}

/* The same by looking at every execution; they do not overlap. */
static void find_slowly(const struct event *rows, size_t n, int64_t from, int64_t until,
	int64_t min, struct bars *out)
{
	size_t i = 0, j;

	while (i < n && rows[i].start_us < from && rows[i].start_us + rows[i].duration_us <= from)
		i++;
	for (; i < n && rows[i].start_us < until; i = j) {
		struct bar bar = {0, 1, rows[i].start_us, rows[i].start_us + rows[i].duration_us,
			rows[i].duration_us};

		j = i + 1;
		while (rows[i].duration_us < min && j < n &&
			rows[j].start_us < rows[i].start_us + min && rows[j].duration_us < min) {
			bar.n_rows++;
			bar.end_us = rows[j].start_us + rows[j].duration_us;
			bar.busy_us += rows[j].duration_us;
			j++;
		}
		if (bar.end_us > from)
			keep(out, &bar);
	}
}

static void test_like_looking_at_every_execution(void **state)
{
	enum { N = 500 };
	static struct event rows[N];
	static struct bars expected, got;

	for (int round = 0; round < 400; round++) {
		int64_t time = draw(100), from, until, min = draw(40);
		struct events e;

		for (size_t i = 0; i < N; i++) {
			rows[i] = (struct event){.node = (uint32_t)i,
				.start_us = time,
				.duration_us = 1 + draw(draw(8) ? 5 : 100)};
			time += rows[i].duration_us + draw(draw(4) ? 3 : 60);
		}
		from = draw((uint32_t)time);
		until = from + draw((uint32_t)time);
		e = build(rows, N);
		expected.n = got.n = 0;
		find_slowly(rows, N, from, until, min, &expected);
		bars_find(&e, 0, from, until, min, keep, &got);
		assert_int_equal(got.n, expected.n);
		for (size_t i = 0; i < got.n; i++) {
			assert_int_equal(got.at[i].n_rows, expected.at[i].n_rows);
			assert_true(got.at[i].start_us == expected.at[i].start_us);
			assert_true(got.at[i].end_us == expected.at[i].end_us);
			assert_true(got.at[i].busy_us == expected.at[i].busy_us);
		}
		events_clear(&e);
	}
}

static void test_a_joined_bar_is_named_after_its_longest(void **state)
{
	const struct event rows[] = {{.node = 1, .start_us = 10, .duration_us = 2},
		{.node = 2, .start_us = 12, .duration_us = 5},
		{.node = 3, .start_us = 18, .duration_us = 1}};
	struct events e = build(rows, 3);
	struct bars got = {.n = 0};

	bars_find(&e, 0, 0, 100, 50, keep, &got);
	assert_int_equal(got.n, 1);
	assert_int_equal(e.node[got.at[0].row], 2);
	assert_int_equal(got.at[0].n_rows, 3);
	assert_int_equal(got.at[0].busy_us, 8);
	events_clear(&e);
}

static void test_times_near_the_limits(void **state)
{
	const struct event rows[] = {
		{.node = 1, .start_us = INT64_MAX - 2, .duration_us = INT64_MAX}};
	struct events e = build(rows, 1);
	struct bars got = {.n = 0};

	bars_find(&e, 0, 0, INT64_MAX, INT64_MAX, keep, &got);
	assert_int_equal(got.n, 1);
	assert_true(got.at[0].end_us == INT64_MAX);
	events_clear(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_like_looking_at_every_execution),
		cmocka_unit_test(test_a_joined_bar_is_named_after_its_longest),
		cmocka_unit_test(test_times_near_the_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
