#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/hash.h"
#include "base/mem.h"

enum { N = 5000 };

/* Ids stand for these numbers. */
static uint64_t value_of(uint32_t id)
{
	return (uint64_t)id * id * 2 + 1;
}

static bool same_value(const void *wanted, uint32_t id)
{
	return value_of(id) == *(const uint64_t *)wanted;
}

static uint32_t find(const struct hash_index *index, uint64_t value, uint64_t hash)
{
	return hash_find(index, hash, same_value, &value);
}

static uint64_t good_hash(uint64_t value)
{
	return hash_mix(1, value);
}

static uint64_t bad_hash(uint64_t value)
{
	return (value % 3) << 32 | value; /* three places for all */
}

static void fill_and_find(uint64_t (*hash)(uint64_t), uint32_t n)
{
	struct hash_index index = {0};

	assert_int_equal(find(&index, 1, hash(1)), NONE);
	for (uint32_t id = 0; id < n; id++) {
		uint64_t value = value_of(id);

		assert_int_equal(find(&index, value, hash(value)), NONE);
		assert_true(hash_add(&index, hash(value), id));
	}
	assert_int_equal(index.n, n);
	for (uint32_t id = 0; id < n; id++) {
		assert_int_equal(find(&index, value_of(id), hash(value_of(id))), id);
		assert_int_equal(find(&index, value_of(id) + 1, hash(value_of(id) + 1)), NONE);
	}
	hash_clear(&index);
	assert_int_equal(find(&index, 1, hash(1)), NONE);
}

static void what_is_added_is_found(void **state)
{
	fill_and_find(good_hash, N);
}

static void equal_hashes_are_told_apart(void **state)
{
	fill_and_find(bad_hash, 500);
}

static void a_hash_of_zero_and_the_largest_id_are_no_exception(void **state)
{
	struct hash_index index = {0};
	uint64_t value = value_of(NONE - 1);

	assert_true(hash_add(&index, 0, NONE - 1));
	assert_int_equal(hash_find(&index, 0, same_value, &value), NONE - 1);
	hash_clear(&index);
}

static void reserved_room_needs_no_more_memory(void **state)
{
	struct hash_index index = {0};

	assert_true(hash_reserve(&index, N));
	mem_fail_at(1);
	for (uint32_t id = 0; id < N; id++)
		assert_true(hash_add(&index, good_hash(value_of(id)), id));
	mem_fail_at(0);
	assert_int_equal(find(&index, value_of(N - 1), good_hash(value_of(N - 1))), N - 1);
	assert_false(hash_reserve(&index, SIZE_MAX));
	hash_clear(&index);
}

static void without_memory_nothing_is_lost(void **state)
{
	struct hash_index index = {0};
	uint32_t n = 0;

	mem_fail_at(1);
	assert_false(hash_add(&index, good_hash(1), 0));
	assert_int_equal(index.n, 0);
	for (; n < 10 || index.n < index.places / 4 * 3; n++)
		assert_true(hash_add(&index, good_hash(value_of(n)), n));
	mem_fail_at(1);
	assert_false(hash_add(&index, good_hash(value_of(n)), n));
	assert_int_equal(index.n, n);
	assert_int_equal(find(&index, value_of(n), good_hash(value_of(n))), NONE);
	for (uint32_t id = 0; id < n; id++)
		assert_int_equal(find(&index, value_of(id), good_hash(value_of(id))), id);
	assert_true(hash_add(&index, good_hash(value_of(n)), n));
	hash_clear(&index);
}

/* Adding in parts: each knows its places only. */
static void places_end_where_they_are_said_to(void **state)
{
	struct hash_index index = {0};
	const uint64_t last = (uint64_t)UINT32_MAX << 32; /* begins at the last place */
	uint64_t values[] = {value_of(0), value_of(1)};
	uint32_t id = 0;

	assert_true(hash_reserve(&index, 10));
	assert_int_equal(hash_begin(&index, last), index.places - 1);
	assert_int_equal(hash_put_before(&index, index.places, last, &id, same_value, &values[0]),
		HASH_ADDED);
	id = 1;
	assert_int_equal(hash_put_before(&index, index.places, last, &id, same_value, &values[1]),
		HASH_BEYOND);
	assert_int_equal(id, 1);
	id = 7;
	assert_int_equal(hash_put_before(&index, index.places, last, &id, same_value, &values[0]),
		HASH_KNOWN);
	assert_int_equal(id, 0);
	index.n = 1;
	assert_int_equal(find(&index, values[0], last), 0);
	assert_int_equal(find(&index, values[1], last), NONE);
	assert_true(hash_add(&index, last, 1));
	assert_int_equal(find(&index, values[1], last), 1);
	hash_clear(&index);
}

/* Every byte and the length count, wherever the words of the loop end. */
static void texts_that_differ_hash_differently(void **state)
{
	char text[40] = {0};

	for (size_t n = 0; n < 33; n++) {
		uint64_t hash = hash_bytes(text, n);

		assert_int_not_equal(hash, hash_bytes(text, n + 1));
		for (size_t i = 0; i < n; i++) {
			text[i] = 1;
			assert_int_not_equal(hash, hash_bytes(text, n));
			text[i] = 0;
		}
		memset(text + n, 'x', sizeof(text) - n); /* what is behind does not count */
		assert_int_equal(hash, hash_bytes(text, n));
		memset(text, 0, sizeof(text));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_added_is_found),
		cmocka_unit_test(equal_hashes_are_told_apart),
		cmocka_unit_test(a_hash_of_zero_and_the_largest_id_are_no_exception),
		cmocka_unit_test(reserved_room_needs_no_more_memory),
		cmocka_unit_test(without_memory_nothing_is_lost),
		cmocka_unit_test(places_end_where_they_are_said_to),
		cmocka_unit_test(texts_that_differ_hash_differently),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
