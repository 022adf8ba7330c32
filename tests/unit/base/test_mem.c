#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/mem.h"

static void blocks_can_be_empty(void **state)
{
	void *a = mem_alloc(0), *b = mem_zero(0), *c = mem_resize(NULL, 0);

	assert_non_null(a);
	assert_non_null(b);
	assert_non_null(c);
	mem_free(a);
	mem_free(b);
	mem_free(c);
	mem_free(NULL);
}

static void zeroed_memory_is_zero(void **state)
{
	unsigned char *block = mem_zero(1000);

	assert_non_null(block);
	for (int i = 0; i < 1000; i++)
		assert_int_equal(block[i], 0);
	mem_free(block);
}

static void products_that_do_not_fit_are_refused(void **state)
{
	void *array = NULL;
	size_t cap = 0;

	assert_null(mem_array(SIZE_MAX / 2, 3));
	assert_null(mem_array(3, SIZE_MAX / 2));
	assert_false(mem_grow(&array, &cap, 0, SIZE_MAX / 8 + 1, 8));
	assert_false(mem_grow(&array, &cap, 1, SIZE_MAX, 1));
	assert_null(array);
	assert_int_equal(cap, 0);
}

static void large_arrays_have_room_for_what_was_asked(void **state)
{
	static const size_t sizes[] = {1, 100, 2 << 20, (2 << 20) + 1, 5 << 20};
	char(*array)[24] = NULL;
	size_t cap = 0, n = 0;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		assert_true(mem_grow_large((void **)&array, &cap, n, sizes[i] / 24 + 1, 24));
		assert_true(cap >= n + sizes[i] / 24 + 1);
		for (size_t k = 0; k < sizes[i] / 24 + 1; k++)
			array[n++][23] = (char)i;
	}
	assert_int_equal(array[0][23], 0);
	assert_int_equal(array[n - 1][23], 4);
	assert_false(mem_grow_large((void **)&array, &cap, n, SIZE_MAX / 24, 24));
	assert_false(mem_grow_large((void **)&array, &cap, n, SIZE_MAX, 24));
	mem_free(array);
}

static void growing_keeps_what_is_there_and_doubles(void **state)
{
	int *array = NULL;
	size_t cap = 0, grown = 0;

	for (int i = 0; i < 10000; i++) {
		size_t before = cap;

		assert_true(mem_grow((void **)&array, &cap, (size_t)i, 1, sizeof(*array)));
		assert_true(cap > (size_t)i);
		grown += cap != before;
		assert_true(cap == before || cap >= 2 * before);
		array[i] = i;
	}
	assert_in_range(grown, 2, 14);
	for (int i = 0; i < 10000; i++)
		assert_int_equal(array[i], i);
	mem_free(array);
}

static void a_failed_growth_leaves_the_array(void **state)
{
	char *array = NULL;
	size_t cap = 0, before;

	assert_true(mem_grow((void **)&array, &cap, 0, 5, 1));
	array[4] = 'x';
	before = cap;
	mem_fail_at(1);
	assert_false(mem_grow((void **)&array, &cap, 5, 1000, 1));
	assert_int_equal(cap, before);
	assert_int_equal(array[4], 'x');
	mem_free(array);
}

static void the_chosen_allocation_fails_and_only_that(void **state)
{
	void *a, *b, *c;

	mem_fail_at(2);
	a = mem_alloc(1);
	b = mem_zero(1);
	c = mem_resize(NULL, 1);
	assert_non_null(a);
	assert_null(b);
	assert_non_null(c);
	mem_free(a);
	mem_free(c);
	mem_fail_at(1);
	mem_fail_at(0);
	a = mem_alloc(1);
	assert_non_null(a);
	mem_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks_can_be_empty),
		cmocka_unit_test(zeroed_memory_is_zero),
		cmocka_unit_test(products_that_do_not_fit_are_refused),
		cmocka_unit_test(large_arrays_have_room_for_what_was_asked),
		cmocka_unit_test(growing_keeps_what_is_there_and_doubles),
		cmocka_unit_test(a_failed_growth_leaves_the_array),
		cmocka_unit_test(the_chosen_allocation_fails_and_only_that),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
