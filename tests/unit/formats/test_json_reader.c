#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* JSON as Python writes it, and what is none. */
#include "base/buf.h"
#include "formats/json_reader.h"

static struct json_doc parse(const char *text)
{
	struct json_doc doc;
	size_t at;
	const char *problem = json_read(&doc, span_of(text), &at);

	if (problem)
		fail_msg("%s at %zu: %s", problem, at, text);
	assert_int_equal(at, strlen(text));
	return doc;
}

static void values_are_found_by_key_and_by_place(void **state)
{
	struct json_doc doc =
		parse(" {\"a\": [1, {\"b\": null}, [], {}] , \"empty\": {},\n\t\"c\":true}\r\n");
	uint32_t list = json_get(&doc, 0, "a"), item = json_first(&doc, list);
	int64_t number;

	assert_int_equal(json_type_of(&doc, 0), JSON_OBJECT);
	assert_int_equal(json_type_of(&doc, list), JSON_ARRAY);
	assert_true(json_int_of(&doc, item, &number));
	assert_int_equal(number, 1);
	item = json_next(&doc, list, item);
	assert_int_equal(json_type_of(&doc, item), JSON_OBJECT);
	assert_int_equal(json_type_of(&doc, json_get(&doc, item, "b")), JSON_NULL);
	item = json_next(&doc, list, item);
	assert_int_equal(json_type_of(&doc, item), JSON_ARRAY);
	assert_int_equal(json_first(&doc, item), NONE);
	item = json_next(&doc, list, item);
	assert_int_equal(json_first(&doc, item), NONE);
	assert_int_equal(json_next(&doc, list, item), NONE);
	assert_true(json_int_of(&doc, json_get(&doc, 0, "c"), &number));
	assert_int_equal(number, 1);
	/* There is nothing in what is not there. */
	assert_int_equal(json_get(&doc, 0, "b"), NONE);
	assert_int_equal(json_get(&doc, NONE, "b"), NONE);
	assert_int_equal(json_get(&doc, list, "b"), NONE);
	assert_int_equal(json_first(&doc, NONE), NONE);
	assert_int_equal(json_type_of(&doc, NONE), JSON_NULL);
	json_doc_clear(&doc);
}

static void numbers_are_whole_or_none(void **state)
{
	static const struct {
		const char *text;
		bool is_whole;
		int64_t number;
	} cases[] = {
		{"0", true, 0},
		{"-12", true, -12},
		{"7.0", true, 7},
		{"9223372036854775807", true, INT64_MAX},
		{"1.5", false, 0},
		{"1e3", false, 0},
		{"\"5\"", false, 0},
		{"null", false, 0},
		{"NaN", false, 0},
		{"Infinity", false, 0},
		{"-Infinity", false, 0},
		{"false", true, 0},
		{"1234567890123456789012345678901234567890", false, 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct json_doc doc = parse(cases[i].text);
		int64_t number = -1;

		assert_int_equal(json_int_of(&doc, 0, &number), cases[i].is_whole);
		if (cases[i].is_whole)
			assert_int_equal(number, cases[i].number);
		json_doc_clear(&doc);
	}
}

static void escapes_are_resolved(void **state)
{
	static const char *const cases[][2] = {
		{"\"\"", ""},
		{"\"plain\"", "plain"},
		{"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t"},
		{"\"\\u0041\\u00e9\\u20AC\"", "A\xc3\xa9\xe2\x82\xac"},
		{"\"\\ud83d\\ude00\"", "\xf0\x9f\x98\x80"}, /* a pair: U+1F600 */
		/* Half of a pair, alone, before another character, or the second half. */
		{"\"\\ud83d\"", "\xef\xbf\xbd"},
		{"\"\\ud83d\\u0041\"",
			"\xef\xbf\xbd"
			"A"},
		{"\"\\ude00x\"", "\xef\xbf\xbdx"},
		/* What is no escape stays. */
		{"\"\\u12\"", "\\u12"},
		{"\"\\q\"", "\\q"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct json_doc doc = parse(cases[i][0]);
		struct span text = json_text_of(&doc, 0);

		assert_int_equal(text.n, strlen(cases[i][1]));
		assert_memory_equal(text.at, cases[i][1], text.n);
		json_doc_clear(&doc);
	}
}

static void long_lists_of_numbers_are_skipped(void **state)
{
	struct buf text = {0};
	struct json_doc doc;
	int64_t number;
	size_t n = 0;

	buf_text(&text, "{\"constant\": [");
	for (int i = 0; i < 1000; i++)
		buf_printf(&text, "%s%d", i ? ", " : "", i);
	buf_text(&text, "], \"after\": 3}");
	doc = parse(text.at);
	for (uint32_t list = json_get(&doc, 0, "constant"), item = json_first(&doc, list);
		item != NONE; item = json_next(&doc, list, item))
		n++;
	assert_int_equal(n, JSON_MAX_NUMBERS);
	assert_true(json_int_of(&doc, json_get(&doc, 0, "after"), &number));
	assert_int_equal(number, 3);
	json_doc_clear(&doc);
	buf_clear(&text);
}

static void what_is_wrong_is_named_with_its_place(void **state)
{
	static const struct {
		const char *text, *problem;
		size_t at;
	} cases[] = {
		{"", "it ends in the middle", 0},
		{"[1, 2", "it ends in the middle", 5},
		{"{\"a\":", "it ends in the middle", 5},
		{"[1, ", "it ends in the middle", 4},
		{"{\"a\"", "expected a colon", 4},
		{"{\"a\" 1}", "expected a colon", 5},
		{"{1: 2}", "expected a key", 1},
		{"{\"a\": 1, }", "expected a key", 9},
		{"[1, ]", "not a value", 4},
		{"[1 2]", "expected a comma or the end of a list", 3},
		{"[1}", "expected a comma or the end of a list", 2},
		{"{]", "expected a comma or the end of a list", 1},
		{"tru", "not a value", 0},
		{"nil", "not a value", 0},
		{"?", "not a value", 0},
		{"\"abc", "a string without an end", 4},
		{"\"abc\\", "a string without an end", 5},
		{"\"a\nb\"", "a control character in a string", 2},
		{"1 2", "more text after the end", 2},
		{"{} x", "more text after the end", 3},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct json_doc doc;
		size_t at = 1000;
		const char *problem = json_read(&doc, span_of(cases[i].text), &at);

		if (!problem)
			fail_msg("accepted: %s", cases[i].text);
		assert_string_equal(problem, cases[i].problem);
		assert_int_equal(at, cases[i].at);
		json_doc_clear(&doc);
	}
}

static void zero_bytes_are_no_part_of_numbers(void **state)
{
	struct json_doc doc;
	size_t at;

	assert_string_equal(json_read(&doc, (struct span){"[1\0]", 4}, &at),
		"expected a comma or the end of a list");
	assert_int_equal(at, 2);
	json_doc_clear(&doc);
}

static void depth_is_limited(void **state)
{
	char text[2 * JSON_MAX_DEPTH + 3];
	struct json_doc doc;
	size_t at;

	memset(text, '[', JSON_MAX_DEPTH);
	memset(text + JSON_MAX_DEPTH, ']', JSON_MAX_DEPTH);
	text[2 * JSON_MAX_DEPTH] = '\0';
	doc = parse(text);
	assert_int_equal(doc.values.n, JSON_MAX_DEPTH);
	json_doc_clear(&doc);
	memset(text, '[', JSON_MAX_DEPTH + 1);
	assert_string_equal(json_read(&doc, (struct span){text, JSON_MAX_DEPTH + 1}, &at),
		"nested too deep");
	json_doc_clear(&doc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_are_found_by_key_and_by_place),
		cmocka_unit_test(numbers_are_whole_or_none),
		cmocka_unit_test(escapes_are_resolved),
		cmocka_unit_test(long_lists_of_numbers_are_skipped),
		cmocka_unit_test(what_is_wrong_is_named_with_its_place),
		cmocka_unit_test(zero_bytes_are_no_part_of_numbers),
		cmocka_unit_test(depth_is_limited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
