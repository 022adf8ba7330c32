#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>

#include "base/error.h"

static void the_text_is_one_line(void **state)
{
	struct tfprof_error err;

	assert_int_equal(error_set(&err, TFPROF_FORMAT, "a%sb %d", "\n\t\x7f\x1b", 7),
		TFPROF_FORMAT);
	assert_int_equal(err.status, TFPROF_FORMAT);
	assert_string_equal(err.text, "a????b 7");
	/* Control characters of eight bits, bytes that are no UTF-8, writing turned round. */
	error_set(&err, TFPROF_FORMAT, "ö\xc2\x9b[\xff\xc0 \xe2\x80\xae%s\xe2\x82", "…");
	assert_string_equal(err.text, "ö??[?? ???…??");
}

static void what_is_too_long_is_cut(void **state)
{
	struct tfprof_error err;
	static char longer[5000];

	memset(longer, 'x', sizeof(longer) - 1);
	error_set(&err, TFPROF_IO, "%s", longer);
	assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
	assert_int_equal(error_prefix(&err, TFPROF_IO, longer), TFPROF_IO);
	assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
	assert_int_equal(err.text[300], ':'); /* the prefix leaves room for the rest */
}

static void err_may_be_null(void **state)
{
	assert_int_equal(error_set(NULL, TFPROF_REGEX, "x"), TFPROF_REGEX);
	assert_int_equal(error_no_memory(NULL), TFPROF_NO_MEMORY);
	assert_int_equal(error_prefix(NULL, TFPROF_IO, "x"), TFPROF_IO);
}

static void prefixes_go_before(void **state)
{
	struct tfprof_error err;

	error_no_memory(&err);
	assert_int_equal(err.status, TFPROF_NO_MEMORY);
	error_prefix(&err, TFPROF_NO_MEMORY, "graph.pb");
	assert_string_equal(err.text, "graph.pb: out of memory");
	error_set(&err, TFPROF_FORMAT, "untouched");
	assert_int_equal(error_prefix(&err, TFPROF_OK, "x"), TFPROF_OK);
	assert_string_equal(err.text, "untouched");
}

static void long_spans_are_shown_in_part(void **state)
{
	struct tfprof_error err;
	struct span nothing = {NULL, 0};
	char text[500];

	memset(text, 'y', sizeof(text));
	error_set(&err, TFPROF_FORMAT, "%.*s!", ERROR_SPAN(((struct span){text, sizeof(text)})));
	assert_int_equal(strlen(err.text), 201);
	error_set(&err, TFPROF_FORMAT, "(%.*s)", ERROR_SPAN(nothing));
	assert_string_equal(err.text, "()");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_text_is_one_line),
		cmocka_unit_test(what_is_too_long_is_cut),
		cmocka_unit_test(err_may_be_null),
		cmocka_unit_test(prefixes_go_before),
		cmocka_unit_test(long_spans_are_shown_in_part),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
