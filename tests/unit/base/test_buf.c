#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>

#include "base/buf.h"

static void check(struct buf *b, const char *text)
{
	assert_false(b->failed);
	assert_int_equal(b->n, strlen(text));
	assert_string_equal(b->at, text); /* so it ends in a NUL, too */
}

static void everything_is_appended(void **state)
{
	struct buf b = {0};

	buf_text(&b, "a");
	buf_char(&b, 'b');
	buf_span(&b, (struct span){"cde", 2});
	buf_put(&b, "", 0);
	buf_fill(&b, '-', 3);
	buf_fill(&b, '!', 0);
	buf_printf(&b, "%s=%d", "x", 7);
	check(&b, "abcd---x=7");
	buf_clear(&b);
	assert_null(b.at);
	assert_int_equal(b.n, 0);
}

static void an_empty_buffer_is_still_text(void **state)
{
	struct buf b = {0};

	assert_int_equal(buf_get(&b).n, 0);
	assert_string_equal(buf_get(&b).at, "");
	buf_clear(&b);
}

static void check_int(int64_t value)
{
	struct buf b = {0};
	char expected[BUF_INT_MAX + 1];

	snprintf(expected, sizeof(expected), "%" PRId64, value);
	buf_int(&b, value);
	check(&b, expected);
	buf_clear(&b);
}

static void a_buffer_can_be_used_again(void **state)
{
	struct buf b = {0};

	buf_reset(&b);
	buf_text(&b, "abc");
	buf_reset(&b);
	buf_text(&b, "");
	check(&b, "");
	buf_text(&b, "d");
	check(&b, "d");
	buf_clear(&b);
}

static void integers_of_every_size(void **state)
{
	int64_t power = 1;

	for (int digits = 1; digits < 19; digits++) {
		power *= 10;
		check_int(power - 1);
		check_int(power);
		check_int(power + 1);
		check_int(-power);
	}
	check_int(INT64_MAX);
	check_int(INT64_MIN);
}

static void any_length_is_possible(void **state)
{
	struct buf b = {0};

	for (size_t n = 0; n < 300; n++) {
		buf_fill(&b, 'x', n);
		buf_char(&b, '\n');
	}
	assert_int_equal(b.n, 299 * 300 / 2 + 300);
	assert_int_equal(b.at[b.n], '\0');
	buf_printf(&b, "%*d", 5000, 1);
	assert_int_equal(b.n, 299 * 300 / 2 + 300 + 5000);
	assert_int_equal(b.at[b.n - 1], '1');
	buf_clear(&b);
}

static void failure_sticks(void **state)
{
	struct buf b = {0};

	buf_text(&b, "kept");
	mem_fail_at(1);
	buf_fill(&b, 'x', 1000);
	assert_true(b.failed);
	buf_fill(&b, 'x', 1000); /* memory would be there again */
	assert_true(b.failed);
	assert_int_equal(b.n, 4);
	assert_string_equal(b.at, "kept");
	buf_printf(&b, "%1000d", 1);
	assert_int_equal(b.n, 4);
	buf_clear(&b);
	assert_false(b.failed);

	assert_false(buf_reserve(&b, SIZE_MAX));
	assert_true(b.failed);
	buf_clear(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(everything_is_appended),
		cmocka_unit_test(an_empty_buffer_is_still_text),
		cmocka_unit_test(a_buffer_can_be_used_again),
		cmocka_unit_test(integers_of_every_size),
		cmocka_unit_test(any_length_is_possible),
		cmocka_unit_test(failure_sticks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
