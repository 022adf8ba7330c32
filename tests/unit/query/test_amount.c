#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <string.h>

#include "query/amount.h"

static struct tfprof_error err;

static void assert_amount(enum amount_kind kind, const char *text, int64_t expected)
{
	int64_t value = -77;

	if (amount_parse("x", kind, span_of(text), &value, &err) != TFPROF_OK)
		fail_msg("%s", err.text);
	assert_int_equal(value, expected);
}

static void assert_refused(enum amount_kind kind, const char *text, const char *why)
{
	int64_t value = -77;

	assert_int_equal(amount_parse("x", kind, span_of(text), &value, &err), TFPROF_ARGUMENT);
	assert_int_equal(value, -77);
	if (!strstr(err.text, why))
		fail_msg("'%s' lacks '%s'", err.text, why);
}

static void test_numbers(void **state)
{
	for (enum amount_kind kind = 0; kind < N_AMOUNTS; kind++) {
		assert_amount(kind, "0", 0);
		assert_amount(kind, "-1", -1);
		assert_amount(kind, "+12", 12);
		assert_amount(kind, "9223372036854775807", INT64_MAX);
		assert_amount(kind, "-9223372036854775808", INT64_MIN);
		assert_amount(kind, "7.0", 7);
	}
}

static void test_units(void **state)
{
	assert_amount(AMOUNT_MICROS, "7us", 7);
	assert_amount(AMOUNT_MICROS, "1ms", 1000);
	assert_amount(AMOUNT_MICROS, "1.5ms", 1500);
	assert_amount(AMOUNT_MICROS, "-1.5ms", -1500);
	assert_amount(AMOUNT_MICROS, "2s", 2000000);
	assert_amount(AMOUNT_MICROS, "0.000001 sec", 1);
	assert_amount(AMOUNT_MICROS, "1MIN", 60000000);
	assert_amount(AMOUNT_BYTES, "3B", 3);
	assert_amount(AMOUNT_BYTES, "1KB", 1000);
	assert_amount(AMOUNT_BYTES, "1mb", 1000000);
	assert_amount(AMOUNT_BYTES, "4.2GB", 4200000000);
	assert_amount(AMOUNT_BYTES, "0.123456789GB", 123456789);
	assert_amount(AMOUNT_BYTES, "1KiB", 1024);
	assert_amount(AMOUNT_BYTES, "1.5MiB", 1572864);
	assert_amount(AMOUNT_BYTES, "1gib", 1073741824);
	assert_amount(AMOUNT_COUNT, "3k", 3000);
	assert_amount(AMOUNT_COUNT, "1.5M", 1500000);
	assert_amount(AMOUNT_COUNT, "53.67b", 53670000000);
}

static void test_what_is_refused(void **state)
{
	assert_refused(AMOUNT_PLAIN, "10k", "-x: '10k' is not a whole number");
	assert_refused(AMOUNT_PLAIN, "", "not a whole number");
	assert_refused(AMOUNT_PLAIN, "1.5", "not a whole number");
	assert_refused(AMOUNT_MICROS, "ms", "'ms' is not a whole number, or a number and one of");
	assert_refused(AMOUNT_MICROS, ".", "not a whole number");
	assert_refused(AMOUNT_MICROS, "1.5", "not a whole number");
	assert_refused(AMOUNT_MICROS, "1.0005ms", "not a whole number");
	assert_refused(AMOUNT_MICROS, "0.00000000000000000001s", "not a whole number");
	assert_refused(AMOUNT_MICROS, "1 2", "unknown unit '2'");
	assert_refused(AMOUNT_MICROS, "3 fortnights",
		"-x: unknown unit 'fortnights' in '3 fortnights': expected one of: us, ms, s");
	assert_refused(AMOUNT_BYTES, "1ms", "expected one of: B, KB, MB, GB, TB, KiB, MiB, GiB");
	assert_refused(AMOUNT_COUNT, "1KB", "expected one of: k, M, G, T, b");
	assert_refused(AMOUNT_BYTES, "9223372036854775808", "not a 64-bit whole number");
	assert_refused(AMOUNT_BYTES, "9223372036854775807KB", "not a 64-bit whole number");
	assert_refused(AMOUNT_BYTES, "9223372036.9GB", "not a 64-bit whole number");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_units),
		cmocka_unit_test(test_what_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
