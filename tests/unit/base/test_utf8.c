#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <string.h>

#include "base/utf8.h"

static int sequence(const char *text)
{
	return utf8_sequence((const unsigned char *)text, strlen(text));
}

static void test_sequences(void **state)
{
	assert_int_equal(sequence("a"), 1);
	assert_int_equal(sequence("\xc3\xa4x"), 2);
	assert_int_equal(sequence("\xe5\xb1\xa4"), 3);
	assert_int_equal(sequence("\xf0\x9f\x98\x80"), 4);
	assert_int_equal(sequence("\x80"), -1);         /* no beginning */
	assert_int_equal(sequence("\xc0\x80"), -1);     /* overlong */
	assert_int_equal(sequence("\xed\xa0\x80"), -1); /* a surrogate */
	assert_int_equal(sequence("\xe5\xb1"), -2);     /* cut short */
	assert_int_equal(sequence("\xf0\x9f\x98x"), -3);
}

static void test_cuts(void **state)
{
	assert_int_equal(utf8_cut(SPAN("abc"), 5), 3);
	assert_int_equal(utf8_cut(SPAN("abc"), 2), 2);
	/* 3 bytes each */
	assert_int_equal(utf8_cut(SPAN("\xe5\xb1\xa4\xe3\x81\xae"), 3), 3);
	assert_int_equal(utf8_cut(SPAN("\xe5\xb1\xa4\xe3\x81\xae"), 4), 3);
	assert_int_equal(utf8_cut(SPAN("\xe5\xb1\xa4\xe3\x81\xae"), 5), 3);
	assert_int_equal(utf8_cut(SPAN("\xe5\xb1\xa4"), 2), 0);
	/* no characters at all */
	assert_int_equal(utf8_cut(SPAN("\x80\x80\x80\x80\x80\x80"), 5), 5);
}

static void test_widths(void **state)
{
	assert_int_equal(utf8_width(SPAN("")), 0);
	assert_int_equal(utf8_width(SPAN("abc")), 3);
	assert_int_equal(utf8_width(SPAN("\xc3\xa9t\xc3\xa9")), 3);        /* été */
	assert_int_equal(utf8_width(SPAN("e\xcc\x81")), 1);                /* e, an accent */
	assert_int_equal(utf8_width(SPAN("\xe5\xb1\xa4\xe3\x81\xae")), 4); /* 層の */
	assert_int_equal(utf8_width(SPAN("\xed\x95\x9c")), 2);             /* 한 */
	assert_int_equal(utf8_width(SPAN("\xf0\x9f\x98\x80")), 2);         /* an emoji */
	assert_int_equal(utf8_width(SPAN("\xce\xb1\xe2\x86\x92")), 2);     /* α→ */
	assert_int_equal(utf8_width(SPAN("\xff\xe5\xb1")), 3);             /* not UTF-8 */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sequences),
		cmocka_unit_test(test_cuts),
		cmocka_unit_test(test_widths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
