#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "base/sort.h"
#include "base/vec.h"

static int by_key(const void *a, const void *b)
{
	const struct sort_item *x = a, *y = b;

	return x->key != y->key ? (x->key > y->key) - (x->key < y->key)
				: (x->id > y->id) - (x->id < y->id);
}

/* The library's sort, with ids as tie breakers, is the oracle. */
static void check_items(size_t n, uint64_t distinct)
{
	struct sort_item *items = mem_array(n + 1, sizeof(*items));
	struct sort_item *scratch = mem_array(n + 1, sizeof(*items));
	struct sort_item *expected = mem_array(n + 1, sizeof(*items));

	for (size_t i = 0; i < n; i++)
		expected[i] = items[i] =
			(struct sort_item){((uint64_t)random() << 33 ^ (uint64_t)random()) %
					distinct,
				(uint32_t)i};
	sort_items(items, scratch, n);
	qsort(expected, n, sizeof(*expected), by_key);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(items[i].key, expected[i].key);
		assert_int_equal(items[i].id, expected[i].id);
	}
	mem_free(items);
	mem_free(scratch);
	mem_free(expected);
}

static void test_items_of_any_number(void **state)
{
	const size_t sizes[] = {0, 1, 2, 23, 24, 25, 100, 1023, 1024, 1025, 5000};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		check_items(sizes[i], 3);
		check_items(sizes[i], 1000);
		check_items(sizes[i], UINT64_MAX);
	}
}

static void test_keys_order_signed_numbers(void **state)
{
	const int64_t ascending[] = {INT64_MIN, -5, -1, 0, 1, 7, INT64_MAX};

	for (size_t i = 1; i < sizeof(ascending) / sizeof(*ascending); i++) {
		assert_true(
			sort_key_ascending(ascending[i - 1]) < sort_key_ascending(ascending[i]));
		assert_true(
			sort_key_descending(ascending[i - 1]) > sort_key_descending(ascending[i]));
	}
}

enum { N_TEXTS = 3000 };

/* Few letters and a common beginning, so that texts share much. */
static void make_texts(struct span *texts)
{
	static char bytes[N_TEXTS][40];

	for (size_t i = 0; i < N_TEXTS; i++) {
		size_t n = (size_t)random() % 30;

		memcpy(bytes[i], "gradients/unit", 14);
		for (size_t k = 0; k < n; k++)
			bytes[i][n % 3 ? 14 + k % 20 : k] = "ab/-\xff\x01"[random() % 6];
		texts[i] = (struct span){bytes[i], n % 3 ? 14 + (n < 20 ? n : 20) : n};
	}
}

static void expect_sorted(const struct span *texts, const uint32_t *ids, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		int c = span_compare(texts[ids[i - 1]], texts[ids[i]]);

		assert_true(c < 0 || (c == 0 && ids[i - 1] < ids[i]));
	}
}

static void test_texts(void **state)
{
	struct span texts[N_TEXTS];
	uint32_t order[N_TEXTS];

	make_texts(texts);
	for (const char *const *threads = (const char *const[]){"1", "2", "3", NULL}; *threads;
		threads++) {
		setenv("TFPROF_TEST_PARTS", *threads, 1);
		assert_true(sort_texts(texts, order, N_TEXTS));
		expect_sorted(texts, order, N_TEXTS);
	}
	unsetenv("TFPROF_TEST_PARTS");
}

static void test_groups_of_texts(void **state)
{
	static const uint32_t first[] = {0, 0, 1, 3, 40, 40, 2500, N_TEXTS};
	const size_t n_groups = sizeof(first) / sizeof(*first) - 1;
	struct span texts[N_TEXTS];
	uint32_t ids[N_TEXTS];

	make_texts(texts);
	for (uint32_t i = 0; i < N_TEXTS; i++)
		ids[i] = i;
	assert_true(sort_text_groups(texts, ids, first, n_groups));
	for (size_t g = 0; g < n_groups; g++) {
		expect_sorted(texts, ids + first[g], first[g + 1] - first[g]);
		for (uint32_t i = first[g]; i < first[g + 1]; i++)
			assert_in_range(ids[i], first[g], first[g + 1] - 1);
	}
}

static void test_no_memory(void **state)
{
	struct span texts[] = {SPAN("same beginning b"), SPAN("same beginning a")};
	uint32_t order[2];
	bool sorted = false;

	for (size_t n = 1; !sorted; n++) {
		mem_fail_at(n);
		sorted = sort_texts(texts, order, 2);
		mem_fail_at(0);
		assert_true(n < 20);
	}
	assert_int_equal(order[0], 1);
}

static void test_places_among_sorted_numbers(void **state)
{
	const int64_t numbers[] = {-3, 0, 0, 7};

	for (int64_t value = -5; value < 10; value++) {
		size_t n_smaller = 0;

		for (size_t i = 0; i < 4; i++)
			n_smaller += numbers[i] < value;
		assert_int_equal(sort_place(numbers, 4, value), n_smaller);
	}
	assert_int_equal(sort_place(NULL, 0, 1), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_items_of_any_number),
		cmocka_unit_test(test_keys_order_signed_numbers),
		cmocka_unit_test(test_places_among_sorted_numbers),
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_groups_of_texts),
		cmocka_unit_test(test_no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
