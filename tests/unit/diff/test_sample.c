#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>

#include "base/median.h"
#include "diff/sample.h"

static void assert_near(double found, double expected)
{
	if (fabs(found - expected) > 1e-9 * (1 + fabs(expected)))
		fail_msg("%.12g is not %.12g", found, expected);
}

static void test_median(void **state)
{
	int64_t odd[] = {5, 1, 9}, even[] = {4, 1, 3, 2}, ends[] = {INT64_MAX, INT64_MAX};

	assert_int_equal(median_of_ints(odd, 3), 5);
	assert_int_equal(median_of_ints(even, 4), 2);
	assert_int_equal(median_of_ints(ends, 2), INT64_MAX);
	assert_int_equal(median_of_ints(NULL, 0), 0);
}

/* By definition: of all ways to choose which values are of the first sample, the share
 * whose rank sum is as far from the middle as the one found. */
static double naive_p(const int64_t *values, size_t n_a, size_t n)
{
	double ranks[12], middle = (double)n_a * (double)(n + 1) / 2, found = 0;
	int n_all = 0, n_far = 0;

	for (size_t i = 0; i < n; i++) {
		int below = 0, equal = 0;

		for (size_t k = 0; k < n; k++) {
			below += values[k] < values[i];
			equal += values[k] == values[i];
		}
		ranks[i] = below + (equal + 1) / 2.0;
		found += i < n_a ? ranks[i] : 0;
	}
	for (unsigned set = 0; set < 1u << n; set++) {
		double sum = 0;

		if ((size_t)__builtin_popcount(set) != n_a)
			continue;
		for (size_t i = 0; i < n; i++)
			sum += set >> i & 1 ? ranks[i] : 0;
		n_all++;
		n_far += fabs(sum - middle) >= fabs(found - middle) - 1e-9;
	}
	return (double)n_far / n_all;
}

static void test_exact(void **state)
{
	uint32_t random = 1;
	struct sample_memo memo = {0};

	for (int round = 0; round < 300; round++) {
		int64_t values[12];
		size_t n_a = 1 + (size_t)round % 5, n = n_a + 1 + (size_t)round % 6;

		for (size_t i = 0; i < n; i++) {
			random = random * 1664525 + 1013904223;
			/* half of the rounds have ties */
			values[i] = round % 2 ? random >> 28 : random >> 4;
		}
		assert_near(sample_mann_whitney(values, n_a, values + n_a, n - n_a, &memo),
			naive_p(values, n_a, n));
	}
}

static void test_known_values(void **state)
{
	int64_t low[25], high[25];

	for (int i = 0; i < 25; i++) {
		low[i] = i;
		high[i] = 100 + i;
	}
	assert_near(sample_mann_whitney(low, 3, high, 3, NULL), 0.1);
	assert_near(sample_mann_whitney(low, 4, high, 4, NULL), 2.0 / 70);
	assert_near(sample_mann_whitney(high, 5, low, 5, NULL), 2.0 / 252);
	assert_near(sample_mann_whitney(low, 10, high, 10, NULL), 2.0 / 184756);
	assert_near(sample_mann_whitney(low, 0, high, 5, NULL), 1);
	for (int i = 0; i < 25; i++) {
		low[i] = i / 2;
		high[i] = 3 + i / 2;
	}
	/* By the formula, with Python; counting all ways gives 0.00982828, which is close. */
	assert_near(sample_mann_whitney(low, 25, high, 25, NULL), 0.010839321343599726);
	for (size_t n = 1; n < 12; n++)
		assert_near(sample_smallest_p(n, n + 1),
			n == 1 ? 2.0 / 3 : sample_smallest_p(n + 1, n));
	assert_near(sample_smallest_p(5, 5), 2.0 / 252);
	assert_near(sample_smallest_p(1, 1), 1);
}

static void test_many_tests(void **state)
{
	/* By hand: p times 5 by rank, the least of those from there on. */
	const double p[] = {0.01, 0.04, 0.03, 0.005, 0.5};
	const double expected[] = {0.025, 0.05, 0.05, 0.025, 0.5};
	double adjusted[5];

	assert_true(sample_adjust(p, adjusted, 5));
	for (int i = 0; i < 5; i++)
		assert_near(adjusted[i], expected[i]);
	assert_true(sample_adjust(p, adjusted, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_median),
		cmocka_unit_test(test_exact),
		cmocka_unit_test(test_known_values),
		cmocka_unit_test(test_many_tests),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
