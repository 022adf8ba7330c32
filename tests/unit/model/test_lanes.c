#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/mem.h"
#include "model/lanes.h"

static void test_first_free(void **state)
{
	struct lanes l = {0};

	assert_int_equal(lanes_take(&l, 0, 10), 0);
	assert_int_equal(lanes_take(&l, 5, 7), 1);
	assert_int_equal(lanes_take(&l, 7, 9), 2); /* 7 is not less than 7 */
	assert_int_equal(lanes_take(&l, 8, 30), 1);
	assert_int_equal(lanes_take(&l, 11, 12), 0);
	assert_int_equal(lanes_take(&l, 11, 12), 2);
	lanes_clear(&l);
	assert_int_equal(lanes_add(&l, 0), 0);
	assert_int_equal(lanes_take(&l, 0, 1), 1);
	assert_int_equal(lanes_take(&l, 1, 1), 0);
	lanes_clear(&l);
}

static void test_limits(void **state)
{
	struct lanes l = {0};

	assert_int_equal(lanes_take(&l, INT64_MAX, INT64_MAX), 0);
	assert_int_equal(lanes_take(&l, INT64_MAX, INT64_MIN), 1);
	assert_int_equal(lanes_take(&l, INT64_MIN, 0), 2);
	assert_int_equal(lanes_take(&l, INT64_MAX, INT64_MAX), 1);
	lanes_clear(&l);
}

/* Looks at one lane after the other. */
static size_t take_naively(int64_t *ends, size_t *n, int64_t before, int64_t end)
{
	size_t i = 0;

	while (i < *n && ends[i] >= before)
		i++;
	if (i == *n)
		++*n;
	ends[i] = end;
	return i;
}

static void test_against_naive(void **state)
{
	static int64_t ends[3000];
	uint32_t random = 1;

	for (uint32_t round = 1; round < 200; round++) {
		struct lanes l = {0};
		size_t n = 0;

		for (size_t i = 0; i < 300; i++) {
			int64_t start, end;

			random = random * 1664525 + 1013904223;
			start = (random >> 8) % (round * 3);
			end = start - 3 + (random >> 20) % round;
			assert_int_equal(lanes_take(&l, start, end),
				take_naively(ends, &n, start, end));
			assert_int_equal(l.n, n);
		}
		lanes_clear(&l);
	}
}

static void test_memory_out(void **state)
{
	struct lanes l = {0};

	mem_fail_at(1);
	assert_int_equal(lanes_take(&l, 0, 1), LANES_NONE);
	for (uint32_t i = 0; i < 16; i++)
		assert_int_equal(lanes_take(&l, 0, 1), i);
	mem_fail_at(1);
	assert_int_equal(lanes_take(&l, 0, 1), LANES_NONE);
	mem_fail_at(0);
	assert_int_equal(lanes_take(&l, 2, 1), 0);
	assert_int_equal(lanes_take(&l, 0, 1), 16);
	lanes_clear(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_first_free),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_against_naive),
		cmocka_unit_test(test_memory_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
