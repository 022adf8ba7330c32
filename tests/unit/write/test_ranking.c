#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/mem.h"
#include "write/ranking.h"

enum { N = 50 };

/* The first id that holds at most `bytes` and ranks after `after` (NONE: any), by
 * linear search. */
static uint32_t find_naively(const int64_t *held, int64_t bytes, uint32_t after)
{
	uint32_t best = NONE;

	for (uint32_t id = 0; id < N; id++) {
		if (held[id] <= 0 || held[id] > bytes)
			continue;
		if (after != NONE &&
			(held[id] > held[after] || (held[id] == held[after] && id <= after)))
			continue;
		if (best == NONE || held[id] > held[best])
			best = id;
	}
	return best;
}

static void compare_all(const struct ranking *r, const int64_t *held)
{
	uint32_t id = ranking_at_most(r, INT64_MAX), expected = find_naively(held, INT64_MAX, NONE);

	for (; expected != NONE; id = ranking_next(r, id)) {
		assert_int_equal(id, expected);
		expected = find_naively(held, INT64_MAX, expected);
	}
	assert_int_equal(id, NONE);
}

static void test_against_naive(void **state)
{
	int64_t held[N] = {0};
	struct ranking r;
	uint32_t random = 7;

	assert_true(ranking_init(&r, N));
	assert_int_equal(ranking_at_most(&r, INT64_MAX), NONE);
	for (int round = 0; round < 5000; round++) {
		uint32_t id, limit;

		random = random * 1664525 + 1013904223;
		id = (random >> 8) % N;
		limit = (random >> 20) % 60;
		held[id] = (int64_t)((random >> 14) % 40) - 8;
		ranking_set(&r, id, held[id]);
		assert_int_equal(r.bytes[id], held[id]);
		assert_int_equal(ranking_at_most(&r, limit), find_naively(held, limit, NONE));
		if (round % 50 == 0)
			compare_all(&r, held);
	}
	ranking_reset(&r);
	assert_int_equal(ranking_at_most(&r, INT64_MAX), NONE);
	ranking_set(&r, 3, INT64_MAX);
	ranking_set(&r, 2, 1);
	assert_int_equal(ranking_at_most(&r, INT64_MAX), 3);
	assert_int_equal(ranking_next(&r, 3), 2);
	assert_int_equal(ranking_next(&r, 2), NONE);
	assert_int_equal(ranking_at_most(&r, INT64_MAX - 1), 2);
	assert_int_equal(ranking_at_most(&r, 0), NONE);
	assert_int_equal(ranking_at_most(&r, -5), NONE);
	ranking_clear(&r);
}

static void test_an_empty_ranking(void **state)
{
	struct ranking r;

	assert_true(ranking_init(&r, 0));
	assert_int_equal(ranking_at_most(&r, INT64_MAX), NONE);
	ranking_reset(&r);
	ranking_clear(&r);
}

static void test_allocation_failures(void **state)
{
	struct ranking r;

	for (size_t nth = 1; nth <= 3; nth++) {
		mem_fail_at(nth);
		assert_false(ranking_init(&r, 10));
		mem_fail_at(0);
		ranking_clear(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_against_naive),
		cmocka_unit_test(test_an_empty_ranking),
		cmocka_unit_test(test_allocation_failures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
