#include "base/mem.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

/* Counts down to the allocation that fails; only tests set it. */
static atomic_size_t fail_countdown;

void mem_fail_at(size_t nth)
{
	fail_countdown = nth;
}

static bool must_fail(void)
{
	if (atomic_load_explicit(&fail_countdown, memory_order_relaxed) == 0)
		return false;
	return atomic_fetch_sub(&fail_countdown, 1) == 1;
}

/* Asks for large pages in a block that is about to be filled: one fault for 2 MB instead of 512.
 * Without them `serialize` and `code_again` of bench/ take an eighth longer, loading a trace
 * too. Only for the first 16 MB: beyond, a virtual machine may have to get them from its host
 * first, which takes longer than it saves. */
static void *use_large_pages(void *block, size_t size)
{
#ifdef MADV_HUGEPAGE
	const size_t least = 1 << 20, most = 16 << 20;
	uintptr_t page = (uintptr_t)block & ~(uintptr_t)4095;

	if (block && size >= least)
		(void)madvise((void *)page, size < most ? size : most, MADV_HUGEPAGE);
#endif
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

void *mem_zero_array(size_t n, size_t item_size)
{
	size_t size;

	if (__builtin_mul_overflow(n, item_size, &size))
		return NULL;
	return mem_zero(size);
}

void *mem_resize(void *block, size_t size)
{
	return must_fail() ? NULL : realloc(block, size ? size : 1);
}

void mem_free(void *block)
{
	free(block);
}

void mem_prefault(void *at, size_t size)
{
#ifdef MADV_POPULATE_WRITE
	const uintptr_t page = 4096, step = 1 << 20;
	uintptr_t end = ((uintptr_t)at + size + page - 1) & ~(page - 1);

	if (!size)
		return;
	/* A few at a time, because other page faults wait meanwhile. */
	for (uintptr_t p = (uintptr_t)at & ~(page - 1); p < end; p += step)
		if (madvise((void *)p, end - p < step ? end - p : step, MADV_POPULATE_WRITE) != 0)
			return;
#endif
}

bool mem_grow(void **array, size_t *cap, size_t n, size_t more, size_t item_size)
{
	size_t need, room, size;
	bool is_known;
	void *block;

	if (__builtin_add_overflow(n, more, &need))
		return false;
	if (need <= *cap)
		return true;
	room = *cap > SIZE_MAX / 2 ? need : *cap * 2;
	is_known = room < need;
	if (is_known)
		room = need;
	if (room < 8)
		room = 8;
	if (__builtin_mul_overflow(room, item_size, &size))
		return false;
	block = mem_resize(*array, size);
	if (!block)
		return false;
	if (is_known) /* else half of it may stay empty */
		use_large_pages(block, size);
	*array = block;
	*cap = room;
	return true;
}
