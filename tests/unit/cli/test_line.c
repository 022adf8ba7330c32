/* Words that Tab inserts are read back as they are. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <string.h>

#include "base/mem.h"
#include "cli/line.h"
#include "cli/redirect.h"

/* Puts the word behind a flag, then reads the line as the shell does. */
static void check_word(const char *word, char quote, bool is_complete)
{
	struct buf typed = {0};
	struct redirect redirect;
	struct tfprof_error err;
	struct line l;
	char *line;

	buf_text(&typed, "scope -show_name_regexes ");
	line_put_word(&typed, word, quote, is_complete);
	assert_int_equal(redirect_split(&redirect, buf_get(&typed).at, &line, &err), TFPROF_OK);
	assert_int_equal(redirect.kind, REDIRECT_NONE);
	assert_true(line_split(&l, line));
	assert_int_equal(l.n, 3);
	assert_string_equal(l.words[2], word);
	if (is_complete)
		assert_int_equal(l.open_quote, 0);
	line_clear(&l);
	redirect_clear(&redirect);
	mem_free(line);
	buf_clear(&typed);
}

static void check_all_ways(const char *word)
{
	for (int is_complete = 0; is_complete < 2; is_complete++) {
		check_word(word, 0, is_complete);
		check_word(word, '\'', is_complete);
		check_word(word, '"', is_complete);
	}
}

static void names_that_look_like_commands_stay_words(void **state)
{
	check_all_ways("conv1'\" | touch PWNED #");
	check_all_ways("| touch PWNED");
	check_all_ways("> file");
	check_all_ways("a' 'b");
	check_all_ways("\"");
	check_all_ways("'");
	check_all_ways("a\n|b");
}

static void any_bytes_are_read_back(void **state)
{
	static const char odd[] = "'\"|> \t\n\r\v\f\\ab\x80\xff#$;`";
	uint32_t seed = 1;
	char word[16];

	for (int i = 0; i < 200000; i++) {
		size_t n = 1 + i % (sizeof(word) - 1);

		for (size_t k = 0; k < n; k++) {
			seed = seed * 1664525 + 1013904223;
			word[k] = seed >> 31 ? odd[(seed >> 16) % (sizeof(odd) - 1)]
					     : (char)(1 + (seed >> 16) % 255);
		}
		word[n] = '\0';
		check_all_ways(word);
	}
}

static void plain_words_stay_plain(void **state)
{
	struct buf typed = {0};

	line_put_word(&typed, "unit_1/conv|x>y", 0, true);
	assert_string_equal(buf_get(&typed).at, "unit_1/conv|x>y");
	buf_clear(&typed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_that_look_like_commands_stay_words),
		cmocka_unit_test(any_bytes_are_read_back),
		cmocka_unit_test(plain_words_stay_plain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
