#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "base/strings.h"

static void equal_text_has_one_id(void **state)
{
	struct strings s;
	char text[20];

	assert_true(strings_init(&s));
	for (unsigned round = 0; round < 2; round++)
		for (unsigned i = 0; i < 3000; i++) {
			snprintf(text, sizeof(text), "name_%u", i);
			assert_int_equal(strings_add(&s, span_of(text)), i + 1);
			assert_int_equal(strings_find(&s, span_of(text)), i + 1);
		}
	for (unsigned i = 0; i < 3000; i++) {
		snprintf(text, sizeof(text), "name_%u", i);
		assert_true(span_equal(strings_get(&s, i + 1), span_of(text)));
	}
	strings_clear(&s);
}

static void the_empty_string_is_zero(void **state)
{
	struct strings s;

	assert_true(strings_init(&s));
	assert_int_equal(strings_add(&s, SPAN("")), 0);
	assert_int_equal(strings_alias(&s, (struct span){NULL, 0}), 0);
	assert_int_equal(strings_find(&s, (struct span){NULL, 0}), 0);
	assert_int_equal(strings_get(&s, 0).n, 0);
	assert_int_equal(strings_find(&s, SPAN("x")), NONE);
	strings_clear(&s);
}

static void bytes_of_any_kind_are_text(void **state)
{
	struct strings s;
	uint32_t a, b;

	assert_true(strings_init(&s));
	a = strings_add(&s, SPAN("a\0b"));
	b = strings_add(&s, SPAN("a\0c"));
	assert_int_not_equal(a, b);
	assert_int_not_equal(a, strings_add(&s, SPAN("a")));
	assert_int_equal(strings_find(&s, SPAN("a\0b")), a);
	assert_int_equal(strings_get(&s, a).n, 3);
	strings_clear(&s);
}

static void copies_and_aliases(void **state)
{
	struct strings s;
	char copied[] = "copied", aliased[] = "aliased";
	uint32_t copy, alias;

	assert_true(strings_init(&s));
	copy = strings_add(&s, span_of(copied));
	alias = strings_alias(&s, span_of(aliased));
	assert_ptr_not_equal(strings_get(&s, copy).at, copied);
	assert_ptr_equal(strings_get(&s, alias).at, aliased);
	copied[0] = 'X';
	assert_string_equal(strings_get(&s, copy).at, "copied");
	assert_int_equal(strings_alias(&s, SPAN("copied")), copy);
	assert_int_equal(strings_add(&s, SPAN("aliased")), alias);
	strings_clear(&s);
}

/* Texts made known all at once get the ids they would get one by one: that of the
 * first of equal ones, or of one that was there. Where memory runs out, they do the
 * next time. */
static void check_index(const char *threads, uint32_t n, size_t fail_at)
{
	enum { N = 4000, DISTINCT = 2000 };
	static char bytes[N][16];
	static uint32_t ids[N], hashes[N];
	struct strings s;
	uint32_t known;
	bool ok;

	setenv("TFPROF_TEST_PARTS", threads, 1);
	assert_true(strings_init(&s));
	known = strings_add(&s, SPAN("name_7"));
	assert_true(strings_append(&s, n));
	for (uint32_t i = 0; i < n; i++) {
		snprintf(bytes[i], sizeof(bytes[i]), "name_%u", i % DISTINCT);
		ids[i] = known + 1 + i;
		s.text.at[ids[i]] = span_of(bytes[i]);
		hashes[i] = strings_short_hash(span_of(bytes[i]));
	}
	mem_fail_at(fail_at);
	ok = strings_index(&s, ids, hashes, n);
	mem_fail_at(0);
	assert_true(fail_at != 1 || !ok);
	assert_true(ok || (fail_at && strings_index(&s, ids, hashes, n)));
	for (uint32_t i = 0; i < n; i++) {
		uint32_t expected = i % DISTINCT == 7 ? known : known + 1 + i % DISTINCT;

		assert_int_equal(ids[i], expected);
		assert_int_equal(strings_find(&s, span_of(bytes[i])), expected);
	}
	assert_int_equal(s.index.n, n < DISTINCT ? 1 + n : 1 + DISTINCT);
	assert_int_equal(strings_find(&s, SPAN("name_2000")), NONE);
	strings_clear(&s);
	unsetenv("TFPROF_TEST_PARTS");
}

static void texts_made_known_at_once(void **state)
{
	/* Of many, some have their places taken where a part ends. */
	for (uint32_t n = 100; n <= 4000; n += 60) {
		check_index("1", n, 0);
		check_index("2", n, 0);
		check_index("4", n, 0);
		check_index("4", n, 1);
		check_index("4", n, 2);
	}
}

/* After any allocation failure, the pool keeps its contents and works again later. */
static void every_allocation_may_fail(void **state)
{
	for (size_t nth = 1;; nth++) {
		struct strings s;
		bool failed = false;
		char text[20];

		mem_fail_at(nth);
		if (!strings_init(&s)) {
			mem_fail_at(0);
			strings_clear(&s);
			continue;
		}
		for (unsigned i = 0; i < 200; i++) {
			uint32_t id;

			snprintf(text, sizeof(text), "%u", i);
			id = strings_add(&s, span_of(text));
			if (id == NONE) {
				failed = true;
				id = strings_add(&s, span_of(text));
			}
			assert_int_equal(id, i + 1);
		}
		mem_fail_at(0);
		for (unsigned i = 0; i < 200; i++) {
			snprintf(text, sizeof(text), "%u", i);
			assert_int_equal(strings_find(&s, span_of(text)), i + 1);
		}
		strings_clear(&s);
		if (!failed) {
			assert_true(nth > 5);
			return;
		}
	}
}

static void spans_find_compare_and_contain(void **state)
{
	assert_int_equal(span_find(SPAN("abcabc"), SPAN("ca")), 2);
	assert_int_equal(span_find(SPAN("abc"), SPAN("x")), 3);
	assert_int_equal(span_find(SPAN("abc"), SPAN("")), 0);
	assert_int_equal(span_find((struct span){NULL, 0}, SPAN("x")), 0);
	assert_false(span_contains((struct span){NULL, 0}, SPAN("x")));
	assert_true(span_contains(SPAN("abc"), SPAN("c")));
	assert_true(span_contains(SPAN(""), SPAN("")));
	assert_true(span_compare(SPAN("a"), SPAN("ab")) < 0);
	assert_true(span_compare(SPAN("b"), SPAN("ab")) > 0);
	assert_true(span_compare(SPAN("\xff"), SPAN("a")) > 0);
	assert_int_equal(span_compare(SPAN(""), (struct span){NULL, 0}), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_text_has_one_id),
		cmocka_unit_test(the_empty_string_is_zero),
		cmocka_unit_test(bytes_of_any_kind_are_text),
		cmocka_unit_test(copies_and_aliases),
		cmocka_unit_test(texts_made_known_at_once),
		cmocka_unit_test(every_allocation_may_fail),
		cmocka_unit_test(spans_find_compare_and_contain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
