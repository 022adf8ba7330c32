/* Work that splits: the same function over parts of it, at the same time.
 *
 * A part gets a thread of its own only where there is a processor for it; else,
 * or if threads cannot be had, parts run one after the other. So parts must not
 * wait for each other. */
#ifndef TFPROF_BASE_PARALLEL_H
#define TFPROF_BASE_PARALLEL_H

#include <stddef.h>

typedef void parallel_fn(void *context, size_t part);

enum { PARALLEL_MAX = 4 };

/* Into how many parts work on n items should go, 1 … PARALLEL_MAX: as many as
 * there are processors, each with at least `least` items. If the environment
 * says TFPROF_THREADS=N, into N, unless there are fewer items. */
size_t parallel_parts(size_t n, size_t least);

/* Calls work(context, 0 … parts - 1), and returns when all have. */
void parallel_run(size_t parts, parallel_fn *work, void *context);

/* Where part i of n items in `parts` parts begins; part i ends where i + 1 begins. */
static inline size_t parallel_begin(size_t n, size_t parts, size_t i)
{
	return n / parts * i + (i < n % parts ? i : n % parts);
}

/* Work that is put out in order: every block 0 … n - 1 is made, by any of the
 * parts, in a slot of its own, and put from there; one is put at a time, the next
 * one next. Slots are used again, 3 for each part (1 if there is one part): few
 * stay in the cache. Nobody waits for a turn to put: who finds that the next one is
 * made puts it, and all that follow it; so any of the threads may, not only the
 * one that called. */
typedef void parallel_block_fn(void *context, size_t slot, size_t block);

enum { PARALLEL_SLOTS = 3 * PARALLEL_MAX };

void parallel_in_order(size_t parts, size_t n, parallel_block_fn *make, parallel_block_fn *put,
	void *context);

#endif
