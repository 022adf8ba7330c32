#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <string.h>

#include "base/visible.h"

static void assert_shown(struct span text, const char *shown)
{
	struct buf b = {0};

	buf_char(&b, '<');
	visible_put(&b, text);
	assert_string_equal(b.at + 1, shown);
	buf_clear(&b);
}

#define SHOWN(text, shown) assert_shown(SPAN(text), shown)

static void test_plain_text_stays(void **state)
{
	SHOWN("", "");
	SHOWN("unit_1_0/sub1/conv1/Conv2D", "unit_1_0/sub1/conv1/Conv2D");
	SHOWN("C:\\x\\n.py:7:f", "C:\\x\\n.py:7:f");
	SHOWN(" ~", " ~");
	SHOWN("Schicht_\xc3\xa4/\xe5\xb1\xa4/\xf0\x9f\x98\x80",
		"Schicht_\xc3\xa4/\xe5\xb1\xa4/\xf0\x9f\x98\x80");
}

static void test_controls_are_escaped(void **state)
{
	SHOWN("a\nb", "a\\nb");
	SHOWN("a\rb\tc", "a\\rb\\tc");
	SHOWN("\x1b[31mred", "\\x1b[31mred");
	SHOWN("a\0b", "a\\x00b");
	SHOWN("del\x7f", "del\\x7f");
	SHOWN("\xc2\x9b"
	      "31m",
		"\\u009b31m");
	SHOWN("a\xe2\x80\xae"
	      "b",
		"a\\u202eb");                                  /* override */
	SHOWN("\xe2\x81\xa6 \xe2\x81\xa9", "\\u2066 \\u2069"); /* isolates */
	SHOWN("\xd8\x9c\xe2\x80\x8e\xe2\x80\x8f", "\\u061c\\u200e\\u200f");
	SHOWN("\xe2\x80\xa8", "\\u2028");
}

static void test_bytes_that_are_no_text(void **state)
{
	SHOWN("\x9b"
	      "31m",
		"\\x9b31m");
	SHOWN("\xe5\xb1", "\\xe5\\xb1"); /* cut short */
	SHOWN("\xff/a", "\\xff/a");
}

/* A bad byte at each place of words of each length. */
static void test_no_byte_is_overlooked(void **state)
{
	char text[40];

	for (int byte = 0; byte < 256; byte++)
		for (size_t n = 1; n < 20; n++)
			for (size_t at = 0; at < n; at++) {
				memset(text, 'a', n);
				text[at] = (char)byte;
				assert_int_equal(visible_is_plain((struct span){text, n}),
					byte >= 0x20 && byte <= 0x7e);
			}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain_text_stays),
		cmocka_unit_test(test_controls_are_escaped),
		cmocka_unit_test(test_bytes_that_are_no_text),
		cmocka_unit_test(test_no_byte_is_overlooked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
