/* The only way to the heap, so that tests can make any allocation fail. Sizes are
 * checked: mem_array() and mem_grow() refuse a product that overflows. All return NULL
 * on allocation failure. */
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

/* Makes room for `more` items after the first `n` of a growing array: at least doubles
 * the capacity, so that pushing is amortized. */
bool mem_grow(void **array, size_t *cap, size_t n, size_t more, size_t item_size);

/* Pre-faults pages, which costs less than faulting on each, and nothing in the thread
 * that writes there if another one does it. Does nothing where the system cannot. */
void mem_prefault(void *at, size_t size);

/* For tests: the n-th allocation from now on fails (0: never again). */
void mem_fail_at(size_t nth);

#endif
