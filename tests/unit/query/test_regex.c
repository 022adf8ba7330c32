#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <stdio.h>
#include <stdlib.h>

#include "base/parallel.h"
#include "query/regex.h"
#include "query/required.h"

static struct regexes *compile(const char *a, const char *b)
{
	struct span patterns[] = {span_of(a), b ? span_of(b) : (struct span){0}};
	struct regexes *r;
	struct tfprof_error err;

	if (regexes_new(&r, "show_name_regexes", patterns, b ? 2 : 1, &err) != TFPROF_OK)
		fail_msg("%s", err.text);
	return r;
}

static void test_whole_strings(void **state)
{
	const struct {
		const char *pattern, *text;
		bool matches;
	} cases[] = {
		{".*", "", true},
		{".*", "anything", true},
		{".*", "two\nlines", false},
		{"abc", "abc", true},
		{"abc", "abcd", false},
		{"abc", "xabc", false},
		{"abc.*", "abcd", true},
		{"abc.*", "xabc", false},
		{"abc.*", "abc\n", false},
		{".*abc", "xxabc", true},
		{".*abc", "abcx", false},
		{".*abc", "x\nabc", false},
		{".*abc.*", "xxabcx", true},
		{".*abc.*", "ab", false},
		{".*abc.*", "\nabc", false},
		{".*a\\.c", "xa.c", true},
		{".*a\\.c", "xabc", false},
		{"unit_[0-9]+", "unit_12", true},
		{"unit_[0-9]+", "unit_", false},
		{"a|b", "b", true},
		{"a|b", "ab", false},
		{"a$", "a", true},
		{"a$", "a\n", false},
		{".*\\W.*", "e\xc3\xa9", true},
		{".*\\W.*", "ee", false},
		{"e.", "e\xc3\xa9", true},
		{"e\\w", "e\xc3\xa9", false},
		/* not UTF-8: `.` matches characters */
		{"e.*", "e\xff", true},
		{"(e|f).", "e\xff", false},
		{"(e|f).", "ex", true},
		{"(?i)ABC", "abc", true},
		{"", "", true},
		{"", "a", false},
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

static void test_an_invalid_pattern_reports_its_position(void **state)
{
	struct span pattern = SPAN("unit_(1|2");
	struct regexes *r;
	struct tfprof_error err;

	assert_int_equal(regexes_new(&r, "hide_name_regexes", &pattern, 1, &err), TFPROF_REGEX);
	assert_null(r);
	assert_non_null(strstr(err.text, "-hide_name_regexes: "));
	assert_non_null(strstr(err.text, "at position 9 of 'unit_(1|2'"));
}

static void test_exceeding_the_match_limit_is_an_error(void **state)
{
	struct regexes *r = compile("(a+)+(a+)+(a+)+(a+)+[bc]", NULL);
	struct tfprof_error err;
	char text[64];

	memset(text, 'a', sizeof(text));
	assert_false(regexes_match(r, (struct span){text, sizeof(text)}));
	assert_int_equal(regexes_check(r, &err), TFPROF_REGEX);
	assert_non_null(strstr(err.text, "failed: match limit exceeded; use fewer nested repeats"));
	regexes_free(r);
}

static void test_nothing_runs_after_a_failure(void **state)
{
	struct regexes *r = compile("(a+)+(a+)+(a+)+(a+)+[bc]", NULL), *shared;
	char text[64];

	memset(text, 'a', sizeof(text));
	assert_int_equal(regexes_share(&shared, r, NULL), TFPROF_OK);
	assert_true(regexes_match(shared, SPAN("aaaaab")));
	assert_false(regexes_failed(r) || regexes_failed(shared));
	assert_false(regexes_match(r, (struct span){text, sizeof(text)}));
	assert_true(regexes_failed(r) && regexes_failed(shared));
	assert_false(regexes_match(shared, SPAN("aaaaab")));
	assert_int_equal(regexes_check(shared, NULL), TFPROF_OK);
	assert_int_equal(regexes_check(r, NULL), TFPROF_REGEX);
	regexes_free(shared);
	regexes_free(r);
}

static void test_says_what_matches_none(void **state)
{
	struct regexes *r = compile("unit_[0-9]", "stage_[0-9]");

	assert_false(regexes_match(r, SPAN("a/unit_1")));
	assert_false(regexes_matches_none(r, 0)); /* not tried on all */
	regexes_set_tried_all(r);
	assert_true(regexes_matches_none(r, 0) && regexes_matches_none(r, 1));
	assert_false(regexes_is_in_none(r, 0)); /* .*unit_[0-9].* would match */
	assert_true(regexes_is_in_none(r, 1));
	assert_true(regexes_match(r, SPAN("unit_2")));
	assert_false(regexes_matches_none(r, 0));
	assert_false(regexes_matches_none(r, 1)); /* not tried on the text above */
	regexes_free(r);
}

enum { N_SHARED_TEXTS = 3000 };

struct sharers {
	struct regexes *lists[PARALLEL_MAX];
	bool matches[PARALLEL_MAX][N_SHARED_TEXTS];
};

/* Some texts are not UTF-8: the first thread that finds one compiles for all. */
static void match_many(void *context, size_t part)
{
	struct sharers *s = context;

	for (size_t i = 0; i < N_SHARED_TEXTS; i++) {
		char text[40];
		int n = snprintf(text, sizeof(text), "unit_%zu%s", i, i % 5 ? "" : "\xff");

		s->matches[part][i] = regexes_match(s->lists[part], (struct span){text, (size_t)n});
	}
}

/* A pattern is compiled again for the first text that is not UTF-8. */
static void test_patterns_are_copied(void **state)
{
	char pattern[] = ".*(?:x|bad).*";
	struct regexes *r = compile(pattern, NULL);
	struct tfprof_error err;

	(void)state;
	memset(pattern, '(', sizeof(pattern) - 1);
	assert_true(regexes_match(r, SPAN("bad\xff\xc0")));
	assert_false(regexes_match(r, SPAN("good\xff\xc0")));
	assert_int_equal(regexes_check(r, &err), TFPROF_OK);
	regexes_free(r);
}

static void test_threads_share_expressions(void **state)
{
	static struct sharers alone, s;

	alone.lists[0] = compile("unit_[0-9]*[37]", "unit_(1|5)[0-9]*(0|2).*");
	match_many(&alone, 0);
	s.lists[0] = compile("unit_[0-9]*[37]", "unit_(1|5)[0-9]*(0|2).*");
	for (size_t i = 1; i < PARALLEL_MAX; i++)
		assert_int_equal(regexes_share(&s.lists[i], s.lists[0], NULL), TFPROF_OK);
	parallel_run(PARALLEL_MAX, match_many, &s);
	for (size_t i = PARALLEL_MAX; i-- > 0;) {
		assert_memory_equal(s.matches[i], alone.matches[0], sizeof(s.matches[i]));
		assert_int_equal(regexes_check(s.lists[i], NULL), TFPROF_OK);
		regexes_free(s.lists[i]);
	}
	assert_true(alone.matches[0][7] && !alone.matches[0][8]);
	regexes_free(alone.lists[0]);
}

static void test_required_text(void **state)
{
	const struct {
		const char *pattern, *required;
	} cases[] = {
		{"", ""},
		{".*", ""},
		{"abc", "abc"},
		{".*unit_1.*", "unit_1"},
		{"ab.*cde", "cde"},
		{".*stage_[0-3]/unit_1.*(Conv|MatMul).*", "/unit_1"},
		{".*ReluGrad_[0-9]+7", "ReluGrad_"},
		{"a|bcd", ""},
		{"(a|b)cd", "cd"},
		{"abc?", "ab"},
		{"abc*d", "ab"},
		{"abc+d", "abc"},
		{"abc{0}", ""},
		{"a(bcd)?e", "a"},
		{"(?i)abc", ""},
		{"(?:ab)cd", "cd"},
		{"(?=ab)cd", ""},
		{"\\Qab\\E*", ""},
		{"ab\\.cde", "cde"},
		{"ab\\d*", "ab"},
		{"ab\\x41", ""},
		{"abc\\", ""},
		{"[]ab]cd", "cd"},
		{"[^]ab]cd", "cd"},
		{"[[:alpha:]x]ab", ""},
		{"[ab", ""},
		{"[\\E]abc]", ""},
		{"[\\Q]abc[\\E]def", ""},
		{"[\\c]]abc", ""},
		{"[\\]a]bc", "bc"},
		{"ab)cd", ""},
		{"((ab)c)de", "de"},
		{"a\xc3\xa9*bc", "bc"},
		{"^ab$", "ab"},
		{"a.bc+?d", "bc"},
		{"(*UTF)abc", ""},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct span required = regex_required(span_of(cases[i].pattern));

		if (!span_equal(required, span_of(cases[i].required)))
			fail_msg("'%s' requires '%.*s'", cases[i].pattern, (int)required.n,
				required.at);
	}
}

static struct span random_text(char *bytes, size_t max, const char *letters)
{
	size_t n = (size_t)random() % max;

	for (size_t i = 0; i < n; i++)
		bytes[i] = letters[(size_t)random() % strlen(letters)];
	return (struct span){bytes, n};
}

/* The checks before PCRE2 do not change the result. */
static void test_results_are_those_of_pcre2(void **state)
{
	const uint32_t options = PCRE2_UTF | PCRE2_DOLLAR_ENDONLY | PCRE2_ANCHORED |
		PCRE2_ENDANCHORED | PCRE2_NEVER_BACKSLASH_C;
	size_t compiled = 0, matched = 0;

	for (size_t round = 0; round < 40000; round++) {
		char bytes[12], text_bytes[8];
		struct span pattern =
			random_text(bytes, sizeof(bytes), "aabb1..**+?|()[[]]^$\\\\{}:QEcdi,");
		struct regexes *r;
		int code;
		PCRE2_SIZE offset;
		pcre2_code *engine = pcre2_compile((PCRE2_SPTR)pattern.at, pattern.n, options,
			&code, &offset, NULL);
		pcre2_match_data *match;

		if (!engine)
			continue;
		compiled++;
		match = pcre2_match_data_create(1, NULL);
		assert_int_equal(regexes_new(&r, "x", &pattern, 1, NULL), TFPROF_OK);
		for (int i = 0; i < 20; i++) {
			struct span text =
				random_text(text_bytes, sizeof(text_bytes), "aaabbb1:QE]\x1d{");
			bool expected = pcre2_match(engine, (PCRE2_SPTR)text.at, text.n, 0, 0,
						match, NULL) >= 0;

			matched += expected;
			if (regexes_match(r, text) != expected)
				fail_msg("'%.*s' on '%.*s'", (int)pattern.n, pattern.at,
					(int)text.n, text.at);
		}
		regexes_free(r);
		pcre2_match_data_free(match);
		pcre2_code_free(engine);
	}
	assert_true(compiled > 5000 && matched > 10000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole_strings),
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_an_invalid_pattern_reports_its_position),
		cmocka_unit_test(test_exceeding_the_match_limit_is_an_error),
		cmocka_unit_test(test_nothing_runs_after_a_failure),
		cmocka_unit_test(test_says_what_matches_none),
		cmocka_unit_test(test_patterns_are_copied),
		cmocka_unit_test(test_threads_share_expressions),
		cmocka_unit_test(test_required_text),
		cmocka_unit_test(test_results_are_those_of_pcre2),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
