#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "query/format.h"

/* Compares with TensorFlow's output, which is printf's. */
static void expect(enum unit unit, int64_t value)
{
	static const char *const suffixes[][4] = {{"", "k", "m", "b"}, {"us", "ms", "sec", NULL},
		{"B", "KB", "MB", NULL}};
	static const double divisors[] = {1, 1e3, 1e6, 1e9};
	int class = value < 1000                           ? 0
		: value < 1000000                          ? 1
		: value < 1000000000 || !suffixes[unit][3] ? 2
							   : 3;
	char expected[64], actual[FORMAT_MAX + 1];

	if (class)
		snprintf(expected, sizeof(expected), "%.2f%s", (double)value / divisors[class],
			suffixes[unit][class]);
	else
		snprintf(expected, sizeof(expected), "%lld%s", (long long)value, suffixes[unit][0]);
	*format_write(actual, unit, value) = '\0';
	assert_string_equal(actual, expected);
}

static void test_same_as_printf(void **state)
{
	for (enum unit unit = UNIT_COUNT; unit <= UNIT_BYTES; unit = (enum unit)(unit + 1)) {
		for (int64_t value = -20; value < 120000; value++)
			expect(unit, value);
		/* Ties: the third digit is a 5 and nothing follows. */
		for (int64_t i = 0; i < 200000; i++) {
			int64_t value = ((int64_t)random() << 31 ^ random()) >> (random() % 55);

			expect(unit, value);
			expect(unit, value - value % 10 + 5);
			expect(unit, value - value % 10000 + 5000);
			expect(unit, value - value % 10000000 + 5000000);
		}
		expect(unit, INT64_MAX);
		expect(unit, INT64_MIN);
		expect(unit, ((int64_t)1 << 53) - 1);
		expect(unit, (int64_t)1 << 53);
	}
}

static void assert_shown(enum unit unit, int64_t value, const char *expected)
{
	struct buf b = {0};

	format_number(&b, unit, value);
	assert_string_equal(b.at, expected);
	buf_clear(&b);
}

static void test_numbers_have_prefixes_of_si(void **state)
{
	assert_shown(UNIT_COUNT, 0, "0");
	assert_shown(UNIT_COUNT, -7, "-7");
	assert_shown(UNIT_COUNT, 999, "999");
	assert_shown(UNIT_COUNT, 1000, "1.00k");
	assert_shown(UNIT_COUNT, 999994, "999.99k");
	assert_shown(UNIT_COUNT, 999995, "1.00M");
	assert_shown(UNIT_COUNT, 19660000, "19.66M");
	assert_shown(UNIT_COUNT, 53670000000, "53.67G");
	assert_shown(UNIT_COUNT, 1308620000000, "1.31T");
	assert_shown(UNIT_COUNT, INT64_MAX, "9223.37P");
	assert_shown(UNIT_MICROS, 999, "999us");
	assert_shown(UNIT_MICROS, 1870000, "1.87s");
	assert_shown(UNIT_MICROS, 315120000000, "315120.00s");
	assert_shown(UNIT_BYTES, 999, "999B");
	assert_shown(UNIT_BYTES, 7102260000, "7.10GB");
	assert_shown(UNIT_BYTES, 2500000000000, "2.50TB");
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_as_printf),
		cmocka_unit_test(test_numbers_have_prefixes_of_si)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
