#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/words.h"

static const char *const words[] = {"micros", "bytes", "occurrence", "params", NULL};

static void a_word_is_found(void **state)
{
	assert_int_equal(words_find(words, SPAN("occurrence")), 2);
	assert_int_equal(words_find(words, SPAN("occur")), 4);
}

static void the_nearest_word_is_found(void **state)
{
	static const char *const none[] = {NULL}, *const name[] = {"name", NULL};
	char longer[100];

	assert_string_equal(words_nearest(words, SPAN("micros")), "micros");
	assert_string_equal(words_nearest(words, SPAN("mircos")), "micros");
	assert_string_equal(words_nearest(words, SPAN("byte")), "bytes");
	assert_string_equal(words_nearest(words, SPAN("occurence")), "occurrence");
	assert_null(words_nearest(words, SPAN("float_ops")));
	assert_string_equal(words_nearest(name, SPAN("nmae")), "name");
	assert_null(words_nearest(name, SPAN("time")));
	assert_null(words_nearest(words, SPAN("")));
	assert_null(words_nearest(none, SPAN("x")));
	memset(longer, 'm', sizeof(longer));
	assert_null(words_nearest(words, (struct span){longer, sizeof(longer)}));
}

static void an_error_lists_the_words(void **state)
{
	struct tfprof_error err;

	assert_int_equal(words_error(&err, "-x: unknown word", SPAN("byte"), words),
		TFPROF_ARGUMENT);
	assert_string_equal(err.text,
		"-x: unknown word 'byte': expected one of: micros, bytes, occurrence, params "
		"(did you mean 'bytes'?)");
	words_error(&err, "-x: unknown word", SPAN("zzz"), words);
	assert_string_equal(err.text,
		"-x: unknown word 'zzz': expected one of: micros, bytes, occurrence, params");
}

static void a_long_list_is_cut(void **state)
{
	char text[20];

	words_join(text, sizeof(text), words);
	assert_string_equal(text, "micros, bytes, …");
}

static void truth_has_four_words(void **state)
{
	bool value = false;

	assert_true(words_read_bool(SPAN("true"), &value) && value);
	assert_true(words_read_bool(SPAN("0"), &value) && !value);
	assert_true(words_read_bool(SPAN("1"), &value) && value);
	assert_true(words_read_bool(SPAN("false"), &value) && !value);
	assert_false(words_read_bool(SPAN("yes"), &value));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_word_is_found),
		cmocka_unit_test(the_nearest_word_is_found),
		cmocka_unit_test(an_error_lists_the_words),
		cmocka_unit_test(a_long_list_is_cut),
		cmocka_unit_test(truth_has_four_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
