#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "write/json.h"

struct fixture {
	struct buf text;
	struct sink sink;
	struct json j;
};

static void start(struct fixture *f)
{
	f->text = (struct buf){0};
	assert_int_equal(sink_open_buf(&f->sink, &f->text, SINK_PLAIN, NULL), TFPROF_OK);
	f->j = json_writer(&f->sink);
}

static void expect(struct fixture *f, const char *expected)
{
	assert_int_equal(sink_commit(&f->sink, NULL), TFPROF_OK);
	assert_string_equal(buf_get(&f->text).at, expected);
	assert_int_equal(f->text.n, strlen(expected));
	buf_clear(&f->text);
}

static void test_structure(void **state)
{
	struct fixture f;

	start(&f);
	json_open_object(&f.j);
	json_put_text(&f.j, "a", "x");
	json_put_int(&f.j, "b", -1);
	json_put_bool(&f.j, "c", true);
	json_put_double(&f.j, "d", 0.5);
	json_put_string(&f.j, "e", (struct span){NULL, 0});
	json_key_span(&f.j, SPAN("f\""));
	json_open_array(&f.j);
	json_null(&f.j);
	json_bool(&f.j, false);
	json_open_array(&f.j);
	json_close_array(&f.j);
	json_open_object(&f.j);
	json_close_object(&f.j);
	json_open_object(&f.j);
	json_key(&f.j, "g");
	json_open_object(&f.j);
	json_put_int(&f.j, "h", 0);
	json_close_object(&f.j);
	json_close_object(&f.j);
	json_int(&f.j, 7);
	json_close_array(&f.j);
	json_put_int(&f.j, "i", 8);
	json_close_object(&f.j);
	expect(&f,
		"{\"a\":\"x\",\"b\":-1,\"c\":true,\"d\":0.5,\"e\":\"\",\"f\\\"\":[null,false,"
		"[],{},{\"g\":{\"h\":0}},7],\"i\":8}");
}

static void test_lines(void **state)
{
	struct fixture f;

	start(&f);
	json_open_array(&f.j);
	json_line(&f.j);
	json_int(&f.j, 1);
	json_line(&f.j);
	json_int(&f.j, 2);
	json_close_array(&f.j);
	expect(&f, "[\n1,\n2]");
}

static void test_string_parts(void **state)
{
	struct fixture f;

	start(&f);
	json_open_array(&f.j);
	json_open_string(&f.j);
	json_close_string(&f.j);
	json_open_string(&f.j);
	json_add_text(&f.j, "in\"put");
	json_add_span(&f.j, SPAN("12:\n"));
	json_close_string(&f.j);
	json_int(&f.j, 1);
	json_close_array(&f.j);
	expect(&f, "[\"\",\"in\\\"put12:\\n\",1]");
}

#define BAD "\xef\xbf\xbd"

/* The replacements are those of Python's bytes.decode("utf-8", "replace"). */
static void test_strings(void **state)
{
	const struct {
		struct span text;
		const char *json;
	} cases[] = {
		{SPAN("plain / text"), "plain / text"},
		{SPAN("\"\\"), "\\\"\\\\"},
		{SPAN("\b\t\n\v\f\r"), "\\b\\t\\n\\u000b\\f\\r"},
		{SPAN("a\0b\x01\x1f\x7f"), "a\\u0000b\\u0001\\u001f\\u007f"},
		{SPAN("\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"),
			"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"},
		{SPAN("\xf4\x8f\xbf\xbf\xed\x9f\xbf\xee\x80\x80"),
			"\xf4\x8f\xbf\xbf\xed\x9f\xbf\xee\x80\x80"},
		{SPAN("\x80x"), BAD "x"},
		{SPAN("\xff\xfe\xc0\xaf"), BAD BAD BAD BAD},
		{SPAN("x\xc3"), "x" BAD},
		{SPAN("\xc3("), BAD "("},
		{SPAN("\xe2\x82"), BAD},
		{SPAN("\xe2\x82\""), BAD "\\\""},
		{SPAN("\xf0\x9f\x98 "), BAD " "},
		{SPAN("\xe0\x80\x80"), BAD BAD BAD},
		{SPAN("\xed\xa0\x80"), BAD BAD BAD},
		{SPAN("\xf0\x80\x80\x80"), BAD BAD BAD BAD},
		{SPAN("\xf4\x90\x80\x80"), BAD BAD BAD BAD},
		{SPAN("\xf5\x80"), BAD BAD},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char expected[128];
		struct fixture f;

		snprintf(expected, sizeof(expected), "\"%s\"", cases[i].json);
		start(&f);
		json_string(&f.j, cases[i].text);
		expect(&f, expected);
	}
}

static void test_integers(void **state)
{
	struct fixture f;

	start(&f);
	json_open_array(&f.j);
	json_int(&f.j, 0);
	json_int(&f.j, INT64_MAX);
	json_int(&f.j, INT64_MIN);
	json_int(&f.j, 1000);
	json_close_array(&f.j);
	expect(&f, "[0,9223372036854775807,-9223372036854775808,1000]");
}

static void test_doubles(void **state)
{
	struct fixture f;

	start(&f);
	json_open_array(&f.j);
	json_double(&f.j, 0.0);
	json_double(&f.j, -0.0);
	json_double(&f.j, 1.0);
	json_double(&f.j, 0.1);
	json_double(&f.j, 0.1 + 0.2);
	json_double(&f.j, 1e300);
	json_double(&f.j, -2.5e-7);
	json_double(&f.j, 123456789012345680.0);
	json_double(&f.j, NAN);
	json_double(&f.j, INFINITY);
	json_double(&f.j, -INFINITY);
	json_close_array(&f.j);
	expect(&f,
		"[0.0,-0.0,1.0,0.1,0.30000000000000004,1e+300,-2.5e-07,1.2345678901234568e+17,"
		"null,null,null]");
}

static void test_doubles_read_back(void **state)
{
	static const double extremes[] = {DBL_MAX, DBL_MIN, DBL_TRUE_MIN, DBL_EPSILON, -DBL_MAX};
	uint64_t bits = 1;

	for (size_t i = 0; i < 2000; i++) {
		struct fixture f;
		double value, back;

		bits = bits * 6364136223846793005u + 1442695040888963407u;
		memcpy(&value, &bits, sizeof(value));
		if (i < sizeof(extremes) / sizeof(*extremes))
			value = extremes[i];
		if (!isfinite(value))
			continue;
		start(&f);
		json_double(&f.j, value);
		assert_int_equal(sink_commit(&f.sink, NULL), TFPROF_OK);
		back = strtod(f.text.at, NULL);
		assert_memory_equal(&back, &value, sizeof(value));
		buf_clear(&f.text);
	}
}

/* Switches to a locale that writes 1.5 as 1,5. It is generated, because few test
 * machines have one. */
static bool use_commas(void)
{
	char directory[] = "/tmp/tfprof_locale_XXXXXX", command[200];
	bool ok = mkdtemp(directory) && setenv("LOCPATH", directory, 1) == 0;

	assert_true(ok);
	snprintf(command, sizeof(command),
		"cd %s && printf 'LC_NUMERIC\ndecimal_point \",\"\nthousands_sep \"\"\n"
		"grouping -1\nEND LC_NUMERIC\n' >source && localedef -c -i source ./commas 2>log; "
		":",
		directory);
	assert_int_equal(system(command), 0);
	ok = setlocale(LC_NUMERIC, "commas");
	unsetenv("LOCPATH");
	snprintf(command, sizeof(command), "rm -r %s", directory);
	assert_int_equal(system(command), 0);
	return ok;
}

static void test_doubles_in_a_locale_with_commas(void **state)
{
	struct fixture f;
	char probe[8];

	if (!use_commas() && !setlocale(LC_NUMERIC, "de_DE.UTF-8") &&
		!setlocale(LC_NUMERIC, "fr_FR.UTF-8"))
		skip(); /* no localedef, or no charmaps */
	snprintf(probe, sizeof(probe), "%.1f", 1.5);
	assert_string_equal(probe, "1,5");
	start(&f);
	json_double(&f.j, 1.5);
	setlocale(LC_NUMERIC, "C");
	expect(&f, "1.5");
}

static void test_allocation_failures(void **state)
{
	struct fixture f;
	struct tfprof_error err;

	start(&f);
	mem_fail_at(1);
	json_text(&f.j, "lost");
	mem_fail_at(0);
	json_text(&f.j, "lost as well");
	assert_int_equal(sink_commit(&f.sink, &err), TFPROF_NO_MEMORY);
	assert_string_equal(err.text, "out of memory");
	assert_int_equal(f.text.n, 0);
	buf_clear(&f.text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_structure),
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_string_parts),
		cmocka_unit_test(test_strings),
		cmocka_unit_test(test_integers),
		cmocka_unit_test(test_doubles),
		cmocka_unit_test(test_doubles_read_back),
		cmocka_unit_test(test_doubles_in_a_locale_with_commas),
		cmocka_unit_test(test_allocation_failures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
