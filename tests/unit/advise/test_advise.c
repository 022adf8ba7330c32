#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/median.h"
#include <tfprof/tfprof.h>

#include "advise/stats.h"
#include "base/mem.h"
#include "run_query.h"

static void assert_near(double value, double expected)
{
	assert_true(fabs(value - expected) < 1e-6);
}

/* ---- statistics ---------------------------------------------------------------- */

static void test_median_of_few_values(void **state)
{
	double one[] = {7}, two[] = {3, 1}, three[] = {9, 1, 5};

	assert_near(median_of_doubles(one, 1), 7);
	assert_near(median_of_doubles(two, 2), 2);
	assert_near(median_of_doubles(three, 3), 5);
}

/* With mean and standard deviation, the two large values would hide each other, with
 * scores below 2. */
static void test_score_finds_outliers(void **state)
{
	const double values[] = {2.1, 2.6, 2.4, 2.5, 2.3, 2.1, 2.3, 2.6, 8.2, 8.3};
	double scratch[10];
	struct stats_spread s;

	memcpy(scratch, values, sizeof(values));
	s = stats_spread(scratch, 10);
	assert_near(s.median, 2.45);
	for (int i = 0; i < 10; i++)
		assert_int_equal(fabs(stats_score(&s, values[i])) > 3.5, i >= 8);
	/* MAD is the median of 0.05 0.05 0.15 0.15 0.15 0.15 0.35 0.35 5.75 5.85. */
	assert_near(stats_score(&s, 8.2), 0.6745 * 5.75 / 0.15);
}

/* Numbers that look random, evenly between 0 and 1. */
static double draw(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return ((double)(*state >> 33) + 0.5) / 2147483648.0;
}

/* By Box and Muller. */
static double draw_normal(uint64_t *state)
{
	double a = draw(state), b = draw(state);

	return sqrt(-2 * log(a)) * cos(2 * 3.14159265358979 * b);
}

enum noise { NOISE_NORMAL, NOISE_SKEWED, NOISE_TAIL, N_NOISES };

static double draw_time(uint64_t *state, enum noise noise)
{
	return noise == NOISE_NORMAL    ? 1 + 0.1 * draw_normal(state)
		: noise == NOISE_SKEWED ? exp(0.3 * draw_normal(state))
					: 1 - 0.3 * log(draw(state));
}

/* How many of 200 runs of n steps have an outlier; the last step takes `factor` times as long. */
static int count_alarms(enum noise noise, size_t n, double factor)
{
	uint64_t state = 1000 * n + noise;
	double times[64], scratch[64];
	int alarms = 0;

	for (int run = 0; run < 200; run++) {
		struct stats_spread s;

		for (size_t i = 0; i < n; i++)
			times[i] = draw_time(&state, noise);
		times[n - 1] *= factor;
		memcpy(scratch, times, n * sizeof(*times));
		s = stats_spread(scratch, n);
		alarms += isfinite(stats_smallest_outlier(times, n, &s, 3.5, 0.2));
	}
	return alarms;
}

/* docs/advise.md states both. */
static void test_noisy_steps_rarely_have_outliers(void **state)
{
	static const size_t sizes[] = {3, 4, 5, 6, 8, 10, 20, 50};

	for (int noise = 0; noise < N_NOISES; noise++)
		for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
			assert_in_range(count_alarms((enum noise)noise, sizes[i], 1), 0, 10);
	assert_in_range(count_alarms(NOISE_NORMAL, 5, 5), 180, 200);
	assert_in_range(count_alarms(NOISE_NORMAL, 10, 3), 190, 200);
	assert_in_range(count_alarms(NOISE_NORMAL, 50, 3), 190, 200);
}

static void test_equal_values_fall_back_to_the_mean_deviation(void **state)
{
	double values[] = {5, 5, 5, 5, 15}, equal[] = {4, 4, 4};
	struct stats_spread s = stats_spread(values, 5);

	assert_near(stats_score(&s, 15), 10 / (1.253314 * 2));
	assert_near(stats_score(&s, 5), 0);
	s = stats_spread(equal, 3);
	assert_near(stats_score(&s, 100), 0);
}

static void test_intervals_are_joined(void **state)
{
	struct interval at[] = {{10, 20}, {5, 7}, {15, 30}, {30, 31}, {7, 7}, {50, 40}, {6, 8}};

	assert_int_equal(intervals_join(at, 7), 2);
	assert_int_equal(at[0].start, 5);
	assert_int_equal(at[0].end, 8);
	assert_int_equal(at[1].start, 10);
	assert_int_equal(at[1].end, 31);
	assert_int_equal(intervals_length(at, 2), 24);
	assert_int_equal(intervals_join(NULL, 0), 0);
}

/* Compared with counting every point in time. */
static void test_time_outside_matches_counting(void **state)
{
	srand(3);
	for (int round = 0; round < 500; round++) {
		struct interval a[6], b[6];
		char in_a[100] = {0}, in_b[100] = {0};
		size_t n_a = (size_t)rand() % 7, n_b = (size_t)rand() % 7;
		int64_t expected = 0;

		for (size_t i = 0; i < n_a + n_b; i++) {
			struct interval *into = i < n_a ? &a[i] : &b[i - n_a];
			char *in = i < n_a ? in_a : in_b;

			into->start = rand() % 90;
			into->end = into->start + rand() % 10;
			for (int64_t t = into->start; t < into->end; t++)
				in[t] = 1;
		}
		for (int t = 0; t < 100; t++)
			expected += in_a[t] && !in_b[t];
		n_a = intervals_join(a, n_a);
		n_b = intervals_join(b, n_b);
		assert_int_equal(intervals_outside(a, n_a, b, n_b), expected);
	}
}

static void test_imbalance_ranges_from_0_to_1(void **state)
{
	assert_near(stats_imbalance(5, 10, 2), 0);
	assert_near(stats_imbalance(10, 10, 2), 1);
	assert_near(stats_imbalance(10, 10, 7), 1);
	assert_near(stats_imbalance(6, 9, 2), 0.5);
	assert_near(stats_imbalance(0, 0, 3), 0);
	assert_near(stats_imbalance(8, 8, 1), 0);
}

/* ---- advice ------------------------------------------------------------------------ */

static struct tfprof_input read_packed(const char *name)
{
	static char at[4][1 << 20];
	static int n;
	char path[500];
	char *into = at[n++ % 4];
	gzFile file;
	int size;

	snprintf(path, sizeof(path), "%s/advise/unbalanced/%s.gz", TEST_DATA, name);
	file = gzopen(path, "rb");
	assert_non_null(file);
	size = gzread(file, into, 1 << 20);
	assert_true(size > 0);
	gzclose(file);
	return tfprof_input_bytes(into, (size_t)size);
}

static tfprof_profile *load(void)
{
	struct tfprof_input graph = read_packed("graph"), step;
	tfprof_profile *p = tfprof_profile_new();

	assert_int_equal(tfprof_profile_add(p, "graph", &graph, 0, NULL), TFPROF_OK);
	for (int i = 0; i < 3; i++) {
		char name[20];

		snprintf(name, sizeof(name), "run_meta_%d", i);
		step = read_packed(name);
		assert_int_equal(tfprof_profile_add(p, "run_meta", &step, i, NULL), TFPROF_OK);
	}
	return p;
}

static void test_any_allocation_may_fail(void **state)
{
	enum tfprof_status status = TFPROF_NO_MEMORY;
	size_t n = 0;

	while (status != TFPROF_OK) {
		tfprof_profile *p = load();
		tfprof_result *result;
		struct tfprof_error err = {0};

		mem_fail_at(++n);
		status = run_advice(p, NULL, NULL, &result, &err);
		mem_fail_at(0);
		if (status == TFPROF_OK) {
			assert_int_equal(tfprof_result_get_level(result), TFPROF_LEVEL_WARNING);
			tfprof_result_free(result);
		} else {
			assert_int_equal(status, TFPROF_NO_MEMORY);
			assert_int_equal(err.status, TFPROF_NO_MEMORY);
			assert_null(result);
		}
		tfprof_profile_free(p);
	}
	assert_true(n > 100);
}

static void test_options_survive_failed_allocations(void **state)
{
	enum tfprof_status status = TFPROF_NO_MEMORY;

	for (size_t n = 1; status != TFPROF_OK; n++) {
		tfprof_options *o = tfprof_options_new();

		mem_fail_at(n);
		status = tfprof_options_add_checker(o, "JobChecker", "ps_job", "server", NULL);
		if (status == TFPROF_OK)
			status = tfprof_options_set(o, "output", "json:outfile=x", NULL);
		mem_fail_at(0);
		assert_true(status == TFPROF_OK || status == TFPROF_NO_MEMORY);
		tfprof_options_free(o);
	}
}

static void test_advice_can_be_cancelled(void **state)
{
	tfprof_profile *p = load();
	const volatile int stop = 1;
	tfprof_result *result;

	assert_int_equal(run_advice(p, NULL, &stop, &result, NULL), TFPROF_CANCELLED);
	assert_null(result);
	tfprof_profile_free(p);
}

static void test_checkers_and_options_have_help(void **state)
{
	size_t n = 0;

	for (const struct tfprof_checker_info *info; (info = tfprof_checker_get_info(n)); n++) {
		assert_true(strlen(info->help) > 20 && info->help[strlen(info->help) - 1] == '.');
		for (size_t i = 0; info->options[i].name; i++)
			assert_true(*info->options[i].default_value && *info->options[i].help);
	}
	assert_true(n >= 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_median_of_few_values),
		cmocka_unit_test(test_score_finds_outliers),
		cmocka_unit_test(test_noisy_steps_rarely_have_outliers),
		cmocka_unit_test(test_equal_values_fall_back_to_the_mean_deviation),
		cmocka_unit_test(test_intervals_are_joined),
		cmocka_unit_test(test_time_outside_matches_counting),
		cmocka_unit_test(test_imbalance_ranges_from_0_to_1),
		cmocka_unit_test(test_any_allocation_may_fail),
		cmocka_unit_test(test_options_survive_failed_allocations),
		cmocka_unit_test(test_advice_can_be_cancelled),
		cmocka_unit_test(test_checkers_and_options_have_help),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
