#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/sorter.h"

struct item {
	uint32_t key, number;
};

static int by_key(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	return (x->key > y->key) - (x->key < y->key);
}

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

/* Ascending, equal keys as they came, all there. */
static void check_order(struct sorter *s, size_t n)
{
	const struct item *item;
	struct item last = {0};
	uint64_t sum = 0;
	size_t i = 0;

	for (sorter_rewind(s); (item = sorter_next(s)) != NULL; i++) {
		if (i)
			assert_true(item->key > last.key ||
				(item->key == last.key && item->number > last.number));
		last = *item;
		sum += item->number;
	}
	assert_int_equal(i, n);
	assert_int_equal(sum, n ? (uint64_t)n * (n - 1) / 2 : 0);
	assert_null(sorter_next(s));
	assert_int_equal(sorter_check(s, NULL), TFPROF_OK);
}

static void sort_some(size_t n, uint32_t n_keys, size_t memory_bytes)
{
	struct sorter s;
	uint32_t random = (uint32_t)n + n_keys;

	sorter_init(&s, sizeof(struct item), by_key, memory_bytes);
	for (uint32_t i = 0; i < n; i++) {
		struct item item = {next_random(&random) % n_keys, i};

		sorter_add(&s, &item);
	}
	check_order(&s, n);
	check_order(&s, n); /* again, from the beginning */
	sorter_clear(&s);
	sorter_clear(&s);
}

static void test_in_memory(void **state)
{
	for (size_t n = 0; n < 200; n++)
		sort_some(n, 1 + (uint32_t)n / 3, 0);
	sort_some(100000, 1000, 0);
}

static void test_through_the_file(void **state)
{
	static const size_t memories[] = {1, 64, 100, 1000, 5000, 100000};

	for (size_t m = 0; m < sizeof(memories) / sizeof(*memories); m++)
		for (size_t n = 0; n < 3000; n = 2 * n + 1)
			for (uint32_t n_keys = 1; n_keys < 5000; n_keys *= 17)
				sort_some(n, n_keys, memories[m]);
}

static void test_sorted_already(void **state)
{
	struct sorter s;

	for (int round = 0; round < 2; round++) {
		sorter_init(&s, sizeof(struct item), by_key, round ? 400 : 0);
		for (uint32_t i = 0; i < 1000; i++)
			sorter_add(&s, &(struct item){i, i});
		check_order(&s, 1000);
		sorter_clear(&s);
	}
}

static void test_default(void **state)
{
	struct sorter s;

	sorter_set_default(800);
	sorter_init(&s, sizeof(struct item), by_key, 0);
	for (uint32_t i = 0; i < 1000; i++)
		sorter_add(&s, &(struct item){i % 7, i});
	assert_true(s.runs.n > 10);
	check_order(&s, 1000);
	sorter_clear(&s);
	sorter_set_default(0);
	sorter_init(&s, sizeof(struct item), by_key, 0);
	for (uint32_t i = 0; i < 1000; i++)
		sorter_add(&s, &(struct item){i % 7, i});
	assert_int_equal(s.runs.n, 0);
	sorter_clear(&s);
}

static void test_no_place_for_the_file(void **state)
{
	struct tfprof_error err;
	struct sorter s;
	const char *before = getenv("TMPDIR");
	char *kept = before ? strdup(before) : NULL;

	setenv("TMPDIR", "/nonexistent/directory", 1);
	sorter_init(&s, sizeof(struct item), by_key, 64);
	for (uint32_t i = 0; i < 100; i++)
		sorter_add(&s, &(struct item){i, i});
	sorter_rewind(&s);
	assert_null(sorter_next(&s));
	assert_int_equal(sorter_check(&s, &err), TFPROF_IO);
	assert_non_null(strstr(err.text, "No such file"));
	assert_non_null(strstr(err.text, "TMPDIR"));
	sorter_clear(&s);
	if (kept)
		setenv("TMPDIR", kept, 1);
	else
		unsetenv("TMPDIR");
	free(kept);
}

static void test_memory_runs_out(void **state)
{
	for (int round = 0; round < 2; round++) {
		enum tfprof_status status = TFPROF_NO_MEMORY;
		size_t nth = 0;

		while (status != TFPROF_OK) {
			struct tfprof_error err;
			struct sorter s;
			size_t n = 0;

			mem_fail_at(++nth);
			sorter_init(&s, sizeof(struct item), by_key, round ? 2000 : 0);
			for (uint32_t i = 0; i < 1000; i++)
				sorter_add(&s, &(struct item){1000 - i, i});
			sorter_rewind(&s);
			while (sorter_next(&s))
				n++;
			status = sorter_check(&s, &err);
			mem_fail_at(0);
			assert_true(status == TFPROF_OK || status == TFPROF_NO_MEMORY);
			assert_int_equal(n, status != TFPROF_OK ? 0 : 1000);
			sorter_clear(&s);
			assert_true(nth < 100);
		}
		assert_true(nth > 4);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_in_memory),
		cmocka_unit_test(test_through_the_file),
		cmocka_unit_test(test_sorted_already),
		cmocka_unit_test(test_default),
		cmocka_unit_test(test_no_place_for_the_file),
		cmocka_unit_test(test_memory_runs_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
