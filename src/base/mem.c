#include "base/mem.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

/* Counts down to the allocation that fails; test builds only set it. */
static size_t fail_countdown;

void mem_fail_at(size_t nth)
{
	fail_countdown = nth;
}

static bool must_fail(void)
{
	if (__builtin_expect(fail_countdown == 0, 1))
		return false;
	return --fail_countdown == 0;
}

/* Columns of a large profile are read in no particular order, so most of their
 * cost is finding pages: large pages make that, and the first touch, cheap. */
static void *use_large_pages(void *block, size_t size)
{
	const uintptr_t page = (uintptr_t)2 << 20;
	uintptr_t start = ((uintptr_t)block + page - 1) & ~(page - 1);
	uintptr_t end = ((uintptr_t)block + size) & ~(page - 1);

	if (block && size >= 2 * page && end > start)
		madvise((void *)start, end - start, MADV_HUGEPAGE);
	return block;
}

void *mem_alloc(size_t size)
{
	return must_fail() ? NULL : use_large_pages(malloc(size ? size : 1), size);
}

void *mem_zero(size_t size)
{
	return must_fail() ? NULL : use_large_pages(calloc(1, size ? size : 1), size);
}

void *mem_array(size_t n, size_t item_size)
{
	size_t size;

	if (__builtin_mul_overflow(n, item_size, &size))
		return NULL;
	return mem_alloc(size);
}

void *mem_resize(void *block, size_t size)
{
	return must_fail() ? NULL : use_large_pages(realloc(block, size ? size : 1), size);
}

void mem_free(void *block)
{
	free(block);
}

bool mem_grow(void **array, size_t *cap, size_t n, size_t more, size_t item_size)
{
	size_t need, room, size;
	void *block;

	if (__builtin_add_overflow(n, more, &need))
		return false;
	if (need <= *cap)
		return true;
	room = *cap > SIZE_MAX / 2 ? need : *cap * 2;
	if (room < need)
		room = need;
	if (room < 8)
		room = 8;
	if (__builtin_mul_overflow(room, item_size, &size))
		return false;
	block = mem_resize(*array, size);
	if (!block)
		return false;
	*array = block;
	*cap = room;
	return true;
}
