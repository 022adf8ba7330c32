#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <string.h>

#include "query/limit.h"

static const struct limit_word words[] = {{"micros", AMOUNT_MICROS, false},
	{"peak_bytes", AMOUNT_BYTES, false}, {"params", AMOUNT_COUNT, false},
	{"input_share", AMOUNT_PLAIN, true}, {NULL, AMOUNT_PLAIN, false}};
static const struct limit_rules of_change = {"fail_if", words, true};
static const struct limit_rules of_total = {"fail_if", words, false};
static struct tfprof_error err;

static void assert_limit(const char *text, const char *regex, size_t word, double value,
	bool is_percent, bool inclusive)
{
	limits list = {0};
	const struct limit *l;

	if (limits_read(&list, &of_change, span_of(text), &err) != TFPROF_OK)
		fail_msg("%s", err.text);
	assert_int_equal(list.n, 1);
	l = &list.at[0];
	assert_true(span_equal(l->regex, span_of(regex)));
	assert_int_equal(l->word, word);
	assert_true(l->value >= value && l->value <= value);
	assert_int_equal(l->is_percent, is_percent);
	assert_int_equal(l->inclusive, inclusive);
	limits_clear(&list);
}

static void test_what_can_be_written(void **state)
{
	assert_limit("micros>5%", "", 0, 5, true, false);
	assert_limit("micros>10ms", "", 0, 10000, false, false);
	assert_limit("peak_bytes>=64MB", "", 1, 64e6, false, true);
	assert_limit("peak_bytes>1MiB", "", 1, 1048576, false, false);
	assert_limit("params>1.5M", "", 2, 1.5e6, false, false);
	assert_limit("params>0", "", 2, 0, false, false);
	assert_limit("input_share>10pt", "", 3, 10, false, false);
	assert_limit("input_share>=2.5", "", 3, 2.5, false, true);
	assert_limit("Conv2D.*:micros>10%", "Conv2D.*", 0, 10, true, false);
	assert_limit("(?<=x)a{1,2}:b:micros>0.5%", "(?<=x)a{1,2}:b", 0, 0.5, true, false);
}

static void assert_refused(const struct limit_rules *rules, const char *text, const char *why)
{
	limits list = {0};

	assert_int_equal(limits_read(&list, rules, span_of(text), &err), TFPROF_ARGUMENT);
	if (!strstr(err.text, why))
		fail_msg("'%s' lacks '%s'", err.text, why);
	limits_clear(&list);
}

static void test_what_is_refused(void **state)
{
	assert_refused(&of_change, "input_share>10%",
		"changes by points, such as input_share>10pt");
	assert_refused(&of_change, "micros>10pt", "expected a number");
	assert_refused(&of_change, "micros", "'micros': expected NAME>VALUE, such as micros>5%");
	assert_refused(&of_change, ">5", "expected NAME>VALUE");
	assert_refused(&of_change, "micros>", "expected a number after '>'");
	assert_refused(&of_change, "micros>5%%", "expected a number after '>'");
	assert_refused(&of_change, "micros>-1", "expected a number after '>'");
	assert_refused(&of_change, "params>3ms", "expected a number after '>'");
	assert_refused(&of_change, "parms>3", "unknown word 'parms'");
	assert_refused(&of_change, "parms>3", "did you mean 'params'?");
	assert_refused(&of_total, "params>5%", "expected a number after '>'");
	assert_refused(&of_total, "a:params>5", "unknown word 'a:params'");
}

static void test_lists(void **state)
{
	static const char file[] = "# a comment\n\nmicros>5% , params>0\r\n  peak_bytes>1";
	limits list = {0};

	assert_int_equal(limits_read_lines(&list, &of_change, span_of(file), &err), TFPROF_OK);
	assert_int_equal(list.n, 3);
	assert_string_equal(list.at[0].text, "micros>5%");
	assert_string_equal(list.at[1].text, "params>0");
	assert_string_equal(list.at[2].text, "peak_bytes>1");
	limits_clear(&list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_can_be_written),
		cmocka_unit_test(test_what_is_refused),
		cmocka_unit_test(test_lists),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
