#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/vec.h"

struct pair {
	int64_t a;
	char b;
};

static void items_stay_in_order(void **state)
{
	VEC(struct pair) pairs = {0};

	for (int i = 0; i < 1000; i++)
		assert_true(vec_push(&pairs, ((struct pair){i * 3, (char)i})));
	assert_int_equal(pairs.n, 1000);
	for (int i = 0; i < 1000; i++) {
		assert_int_equal(pairs.at[i].a, i * 3);
		assert_int_equal(pairs.at[i].b, (char)i);
	}
	vec_clear(&pairs);
	assert_null(pairs.at);
	assert_int_equal(pairs.n, 0);
	assert_int_equal(pairs.cap, 0);
	assert_true(vec_push(&pairs, ((struct pair){1, 2})));
	vec_clear(&pairs);
}

static void reserved_room_needs_no_more_memory(void **state)
{
	VEC(int) numbers = {0};
	int *at;

	assert_true(vec_push(&numbers, 7));
	assert_true(vec_reserve(&numbers, 500));
	at = numbers.at;
	mem_fail_at(1);
	for (int i = 0; i < 500; i++)
		assert_true(vec_push(&numbers, i));
	mem_fail_at(0);
	assert_ptr_equal(numbers.at, at);
	assert_int_equal(numbers.at[0], 7);
	assert_int_equal(numbers.at[500], 499);
	vec_clear(&numbers);
}

static void a_failed_push_changes_nothing(void **state)
{
	VEC(int) numbers = {0};
	int evaluated = 0;

	mem_fail_at(1);
	assert_false(vec_push(&numbers, evaluated++));
	assert_int_equal(numbers.n, 0);
	assert_int_equal(evaluated, 0);
	while (numbers.n < numbers.cap || numbers.n == 0)
		assert_true(vec_push(&numbers, evaluated++));
	mem_fail_at(1);
	assert_false(vec_push(&numbers, -1));
	assert_int_equal(numbers.n, evaluated);
	assert_int_equal(numbers.at[numbers.n - 1], evaluated - 1);
	assert_false(vec_reserve(&numbers, SIZE_MAX));
	vec_clear(&numbers);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(items_stay_in_order),
		cmocka_unit_test(reserved_room_needs_no_more_memory),
		cmocka_unit_test(a_failed_push_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
