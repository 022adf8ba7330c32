#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/ascii.h"

static void kinds_of_characters(void **state)
{
	for (int c = 0; c < 256; c++) {
		bool is_digit = c && strchr("0123456789", c);
		bool is_space = c && strchr(" \t\n\v\f\r", c);
		bool is_letter =
			c && strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", c);

		assert_int_equal(ascii_is_digit((char)c), is_digit);
		assert_int_equal(ascii_is_space((char)c), is_space);
		assert_int_equal(ascii_is_letter((char)c), is_letter);
	}
}

static void digits_at_either_end(void **state)
{
	assert_int_equal(ascii_leading_digits(SPAN("12a345")), 2);
	assert_int_equal(ascii_trailing_digits(SPAN("12a345")), 3);
	assert_int_equal(ascii_leading_digits(SPAN("a")), 0);
	assert_int_equal(ascii_trailing_digits(SPAN("a")), 0);
	assert_int_equal(ascii_leading_digits(SPAN("007")), 3);
	assert_int_equal(ascii_trailing_digits(SPAN("007")), 3);
	assert_int_equal(ascii_leading_digits((struct span){0}), 0);
	assert_int_equal(ascii_trailing_digits((struct span){0}), 0);
}

static void white_space_is_removed_at_both_ends(void **state)
{
	assert_true(span_equal(ascii_trim(SPAN(" \t\na b\r\n")), SPAN("a b")));
	assert_true(span_equal(ascii_trim(SPAN("a")), SPAN("a")));
	assert_int_equal(ascii_trim(SPAN(" \r\n")).n, 0);
	assert_int_equal(ascii_trim((struct span){0}).n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds_of_characters),
		cmocka_unit_test(digits_at_either_end),
		cmocka_unit_test(white_space_is_removed_at_both_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
