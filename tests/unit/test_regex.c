#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "query/regex.h"

static struct regexes *compile(const char *a, const char *b)
{
	struct span patterns[] = {span_of(a), b ? span_of(b) : (struct span){0}};
	struct regexes *r;
	struct tfprof_error err;

	if (regexes_new(&r, "show_name_regexes", patterns, b ? 2 : 1, &err))
		fail_msg("%s", err.text);
	return r;
}

static void test_whole_strings(void **state)
{
	const struct {
		const char *pattern, *text;
		bool matches;
	} cases[] = {
		{".*", "", true}, {".*", "anything", true}, {".*", "two\nlines", false},
		{"abc", "abc", true}, {"abc", "abcd", false}, {"abc", "xabc", false},
		{"abc.*", "abcd", true}, {"abc.*", "xabc", false}, {"abc.*", "abc\n", false},
		{".*abc", "xxabc", true}, {".*abc", "abcx", false}, {".*abc", "x\nabc", false},
		{".*abc.*", "xxabcx", true}, {".*abc.*", "ab", false}, {".*abc.*", "\nabc", false},
		{".*a\\.c", "xa.c", true}, {".*a\\.c", "xabc", false},
		{"unit_[0-9]+", "unit_12", true}, {"unit_[0-9]+", "unit_", false},
		{"a|b", "b", true}, {"a|b", "ab", false}, {"a$", "a", true}, {"a$", "a\n", false},
		{".*\\W.*", "e\xc3\xa9", true}, {".*\\W.*", "ee", false}, {"e.", "e\xc3\xa9", true},
		{"e\\w", "e\xc3\xa9", false},
		/* not UTF-8: `.` stands for characters */
		{"e.*", "e\xff", true}, {"(e|f).", "e\xff", false}, {"(e|f).", "ex", true},
		{"(?i)ABC", "abc", true}, {"", "", true}, {"", "a", false},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct regexes *r = compile(cases[i].pattern, NULL);

		if (regexes_match(r, span_of(cases[i].text)) != cases[i].matches)
			fail_msg("'%s' on '%s'", cases[i].pattern, cases[i].text);
		assert_int_equal(regexes_check(r, NULL), TFPROF_OK);
		regexes_free(r);
	}
}

static void test_lists(void **state)
{
	struct regexes *r = compile("a.*", ".*b"), *none;
	struct tfprof_error err;

	assert_true(regexes_match(r, SPAN("ax")) && regexes_match(r, SPAN("xb")));
	assert_false(regexes_match(r, SPAN("x")));
	assert_true(regexes_match_one(r, 0, SPAN("ab")) && regexes_match_one(r, 1, SPAN("ab")));
	assert_false(regexes_match_one(r, 1, SPAN("ax")));
	assert_false(regexes_accept_all(r));
	regexes_free(r);
	r = compile(".*", NULL);
	assert_true(regexes_accept_all(r));
	regexes_free(r);
	assert_int_equal(regexes_new(&none, "x", NULL, 0, &err), TFPROF_OK);
	assert_false(regexes_match(none, SPAN("")));
	regexes_free(none);
}

static void test_wrong_pattern_says_where(void **state)
{
	struct span pattern = SPAN("unit_(1|2");
	struct regexes *r;
	struct tfprof_error err;

	assert_int_equal(regexes_new(&r, "hide_name_regexes", &pattern, 1, &err), TFPROF_REGEX);
	assert_null(r);
	assert_non_null(strstr(err.text, "-hide_name_regexes: "));
	assert_non_null(strstr(err.text, "at position 9 of 'unit_(1|2'"));
}

static void test_run_away_is_an_error(void **state)
{
	struct regexes *r = compile("(a+)+(a+)+(a+)+(a+)+[bc]", NULL);
	struct tfprof_error err;
	char text[64];

	memset(text, 'a', sizeof(text));
	assert_false(regexes_match(r, (struct span){text, sizeof(text)}));
	assert_int_equal(regexes_check(r, &err), TFPROF_REGEX);
	assert_non_null(strstr(err.text, "runs away"));
	regexes_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole_strings),
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_wrong_pattern_says_where),
		cmocka_unit_test(test_run_away_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
