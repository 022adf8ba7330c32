#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/mem.h"
#include "base/span.h"

static void text_before_and_after_a_character(void **state)
{
	assert_true(span_equal(span_before(SPAN("a:b:c"), ':'), SPAN("a")));
	assert_true(span_equal(span_before(SPAN(":b"), ':'), SPAN("")));
	assert_true(span_equal(span_before(SPAN("abc"), ':'), SPAN("abc")));
	assert_true(span_equal(span_after_last(SPAN("a/b/c"), '/'), SPAN("c")));
	assert_true(span_equal(span_after_last(SPAN("a/"), '/'), SPAN("")));
	assert_true(span_equal(span_after_last(SPAN("abc"), '/'), SPAN("abc")));
	assert_int_equal(span_before((struct span){0}, ':').n, 0);
	assert_int_equal(span_after_last((struct span){0}, '/').n, 0);
}

static void a_list_is_cut_into_its_items(void **state)
{
	struct span list = SPAN("a,,bc"), none = {0};

	assert_true(span_equal(span_cut(&list, ','), SPAN("a")));
	assert_true(span_equal(span_cut(&list, ','), SPAN("")));
	assert_true(span_equal(span_cut(&list, ','), SPAN("bc")));
	assert_int_equal(list.n, 0);
	assert_int_equal(span_cut(&list, ',').n, 0);
	list = SPAN("a,");
	assert_true(span_equal(span_cut(&list, ','), SPAN("a")));
	assert_int_equal(list.n, 0);
	assert_int_equal(span_cut(&none, ',').n, 0);
}

static void a_copy_ends_in_a_nul(void **state)
{
	char *copy = span_copy((struct span){"abc", 2}), *empty = span_copy((struct span){0});

	assert_string_equal(copy, "ab");
	assert_string_equal(empty, "");
	mem_free(copy);
	mem_free(empty);
	assert_null(span_copy((struct span){"", SIZE_MAX}));
	mem_fail_at(1);
	assert_null(span_copy(SPAN("abc")));
	mem_fail_at(0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_before_and_after_a_character),
		cmocka_unit_test(a_list_is_cut_into_its_items),
		cmocka_unit_test(a_copy_ends_in_a_nul),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
