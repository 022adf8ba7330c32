#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
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

/* Around the sizes from and up to which there are large pages. */
static void large_blocks_keep_what_is_in_them(void **state)
{
	static const size_t sizes[] = {(1 << 20) - 1, 1 << 20, (2 << 20) + 1, (33 << 20) + 5};
	enum { N = sizeof(sizes) / sizeof(*sizes) };
	char *full[N], *zero[N];

	for (size_t i = 0; i < N; i++) {
		full[i] = mem_alloc(sizes[i]);
		assert_non_null(full[i]);
		memset(full[i], (int)i + 1, sizes[i]);
		zero[i] = mem_zero(sizes[i]);
		assert_non_null(zero[i]);
	}
	for (size_t i = 0; i < N; i++) {
		full[i] = mem_resize(full[i], 2 * sizes[i]);
		assert_non_null(full[i]);
		for (size_t k = 0; k < sizes[i]; k++)
			if (full[i][k] != (char)(i + 1) || zero[i][k])
				fail_msg("byte %zu of %zu has changed", k, sizes[i]);
		mem_free(full[i]);
		mem_free(zero[i]);
	}
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
		cmocka_unit_test(large_blocks_keep_what_is_in_them),
		cmocka_unit_test(growing_keeps_what_is_there_and_doubles),
		cmocka_unit_test(a_failed_growth_leaves_the_array),
		cmocka_unit_test(the_chosen_allocation_fails_and_only_that),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
