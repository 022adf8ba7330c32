#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <setjmp.h>
#include <cmocka.h>

/* Interned sets of strings. */
#include "model/sets.h"

enum { MANY = 20000 };

static struct sets sets;
static struct strings strings;

static int start(void **state)
{
	return sets_init(&sets) && strings_init(&strings) ? 0 : -1;
}

static int end(void **state)
{
	sets_clear(&sets);
	strings_clear(&strings);
	return 0;
}

static uint32_t intern(const char *text)
{
	return strings_add(&strings, span_of(text));
}

/* Each text once, from the last to the first, then all again. */
static void make_many(uint32_t *ids)
{
	for (int i = 0; i < MANY; i++) {
		char text[20];

		snprintf(text, sizeof(text), "type %05d", MANY - 1 - i);
		ids[i] = ids[MANY + i] = intern(text);
	}
}

static void many_at_once_make_one_set(void **state)
{
	static uint32_t ids[2 * MANY];
	uint32_t known = sets_with(&sets, &strings, 0, intern("type 00007")), set;
	const struct string_set *made;
	size_t n_before = sets.at.n;

	make_many(ids);
	set = sets_with_all(&sets, &strings, known, ids, 2 * MANY);
	made = sets_get(&sets, set);
	assert_int_equal(sets.at.n, n_before + 1);
	assert_int_equal(made->n, MANY);
	for (int i = 0; i < MANY; i++)
		assert_int_equal(made->at[i], ids[MANY - 1 - i]);
	assert_int_equal(sets_with_all(&sets, &strings, 0, ids, MANY), set);
	assert_int_equal(sets.at.n, n_before + 1);
}

static void few_are_the_same_set_in_any_order(void **state)
{
	uint32_t a = intern("a"), b = intern("b"), c = intern("c");
	uint32_t one[] = {c, a, b, a}, other[] = {b, c};
	uint32_t set = sets_with_all(&sets, &strings, 0, one, 4);

	assert_int_equal(sets_get(&sets, set)->n, 3);
	assert_int_equal(sets_with_all(&sets, &strings, sets_with(&sets, &strings, 0, a), other, 2),
		set);
	assert_int_equal(sets_with_all(&sets, &strings, set, NULL, 0), set);
}

static void a_string_is_left_out(void **state)
{
	uint32_t a = intern("a"), b = intern("b"), ids[] = {a, b};
	uint32_t set = sets_with_all(&sets, &strings, 0, ids, 2);

	assert_int_equal(sets_without(&sets, set, b), sets_with(&sets, &strings, 0, a));
	assert_int_equal(sets_without(&sets, set, intern("c")), set);
	assert_int_equal(sets_without(&sets, sets_without(&sets, set, b), a), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(many_at_once_make_one_set, start, end),
		cmocka_unit_test_setup_teardown(few_are_the_same_set_in_any_order, start, end),
		cmocka_unit_test_setup_teardown(a_string_is_left_out, start, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
