#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <string.h>

#include "base/arena.h"
#include "base/mem.h"

/* Sizes around what the arena does differently: nothing, small, a quarter of
 * a chunk, a chunk, more. */
static const size_t sizes[] = {0, 1, 15, 16, 17, 100, 16 * 1024, 16 * 1024 + 1, 64 * 1024 - 16,
	64 * 1024, 64 * 1024 + 1, 300000};
enum { N_SIZES = sizeof(sizes) / sizeof(sizes[0]), ROUNDS = 20 };

static void blocks_are_apart_and_aligned(void **state)
{
	struct arena a = {0};
	unsigned char *blocks[N_SIZES * ROUNDS];

	for (size_t i = 0; i < N_SIZES * ROUNDS; i++) {
		size_t size = sizes[i % N_SIZES];

		blocks[i] = arena_alloc(&a, size);
		assert_non_null(blocks[i]);
		assert_int_equal((uintptr_t)blocks[i] % 16, 0);
		memset(blocks[i], (int)(i & 0xff), size);
	}
	/* If two overlapped, the later one would show in the earlier. */
	for (size_t i = 0; i < N_SIZES * ROUNDS; i++)
		for (size_t j = 0; j < sizes[i % N_SIZES]; j++)
			assert_int_equal(blocks[i][j], i & 0xff);
	arena_clear(&a);
	assert_null(a.chunk);
	assert_int_equal(a.used, 0);
}

static void zeroed_blocks_are_zero_even_in_used_memory(void **state)
{
	struct arena a = {0};
	unsigned char *block;

	memset(arena_alloc(&a, 60000), 0xff, 60000);
	arena_clear(&a);
	block = arena_zero(&a, 1000, 60);
	assert_non_null(block);
	for (size_t i = 0; i < 60000; i++)
		assert_int_equal(block[i], 0);
	arena_clear(&a);
}

static void copies_end_in_a_nul(void **state)
{
	struct arena a = {0};
	struct span copy = arena_copy(&a, (struct span){"abcdef", 3});

	assert_string_equal(copy.at, "abc");
	assert_int_equal(copy.n, 3);
	copy = arena_copy(&a, (struct span){NULL, 0});
	assert_string_equal(copy.at, "");
	assert_int_equal(copy.n, 0);
	arena_clear(&a);
}

static void sizes_that_do_not_fit_are_refused(void **state)
{
	struct arena a = {0};

	assert_null(arena_alloc(&a, SIZE_MAX));
	assert_null(arena_alloc(&a, SIZE_MAX - 15));
	assert_null(arena_array(&a, SIZE_MAX / 2, 3));
	assert_null(arena_zero(&a, SIZE_MAX / 2, 3));
	assert_null(arena_copy(&a, (struct span){"", SIZE_MAX}).at);
	assert_non_null(arena_alloc(&a, 1));
	arena_clear(&a);
}

static void without_memory_the_arena_stays_usable(void **state)
{
	struct arena a = {0};
	char *first;

	mem_fail_at(1);
	assert_null(arena_alloc(&a, 10));
	first = arena_alloc(&a, 10);
	assert_non_null(first);
	strcpy(first, "stays");
	mem_fail_at(1);
	assert_null(arena_alloc(&a, 100000)); /* a chunk of its own */
	mem_fail_at(1);
	while (arena_alloc(&a, 1000)) /* until a new chunk is due */
		;
	assert_non_null(arena_alloc(&a, 1000));
	assert_string_equal(first, "stays");
	arena_clear(&a);
}

/* What either held stays where it is, and both can go on. */
static void arenas_join(void **state)
{
	for (int first = 0; first < 3; first++)
		for (int second = 0; second < 3; second++) {
			struct arena a = {0}, b = {0};
			char *texts[4] = {NULL};

			for (int i = 0; i < first; i++)
				texts[i] = strcpy(arena_alloc(&a, i ? 100000 : 10), "one");
			for (int i = 0; i < second; i++)
				texts[2 + i] = strcpy(arena_alloc(&b, i ? 100000 : 10), "two");
			arena_join(&a, &b);
			assert_non_null(arena_alloc(&a, 50));
			assert_non_null(arena_alloc(&b, 50));
			arena_clear(&b);
			for (int i = 0; i < first; i++)
				assert_string_equal(texts[i], "one");
			for (int i = 0; i < second; i++)
				assert_string_equal(texts[2 + i], "two");
			arena_clear(&a);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks_are_apart_and_aligned),
		cmocka_unit_test(zeroed_blocks_are_zero_even_in_used_memory),
		cmocka_unit_test(copies_end_in_a_nul),
		cmocka_unit_test(sizes_that_do_not_fit_are_refused),
		cmocka_unit_test(without_memory_the_arena_stays_usable),
		cmocka_unit_test(arenas_join),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
