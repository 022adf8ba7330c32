/* The only door to the heap, so that tests can make any allocation fail.
 *
 * Sizes are checked: mem_array() and mem_grow() refuse a product that does
 * not fit. All return NULL when memory is out. */
#ifndef TFPROF_BASE_MEM_H
#define TFPROF_BASE_MEM_H

#include <stdbool.h>
#include <stddef.h>

void *mem_alloc(size_t size);
void *mem_zero(size_t size);
void *mem_array(size_t n, size_t item_size);
void *mem_zero_array(size_t n, size_t item_size);
void *mem_resize(void *block, size_t size);
void mem_free(void *block);

/* Makes room for `more` items behind the first `n` of a growing array: at
 * least doubles the capacity, so that pushing is amortized. */
bool mem_grow(void **array, size_t *cap, size_t n, size_t more, size_t item_size);

/* Has the system give the pages of memory that nobody uses yet, in this thread: who
 * writes there next does not wait for them. What is written there is not kept. */
void mem_touch(void *at, size_t size);
/* The same while somebody writes there: that is kept. Not every system can. Many
 * pages at once cost half of what they cost one by one. */
void mem_prepare(void *at, size_t size);
/* For a loop that fills the items begin … end - 1 of an array in order and is at the
 * i-th: every now and then prepares some to come, as few as stay in the cache. */
static inline void mem_prepare_ahead(void *array, size_t item_size, size_t i, size_t begin,
	size_t end)
{
	enum { AHEAD = 8192 };
	size_t left = end - i;

	if ((i - begin) % AHEAD == 0)
		mem_prepare((char *)array + i * item_size,
			(left < AHEAD ? left : AHEAD) * item_size);
}

/* For tests: the n-th allocation from now on fails (0: never again). */
void mem_fail_at(size_t nth);

#endif
