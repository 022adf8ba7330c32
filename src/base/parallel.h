/* Work that splits: the same function over parts of it, in parallel.
 *
 * Parts run in the calling thread and in a pool of threads that the whole process
 * shares. A part waits for no other part, so all of them get done whoever runs
 * them: the caller takes what no thread of the pool has taken, and all of it if
 * there are no threads to be had, if it is itself running a part, or while the
 * process exits.
 *
 *     caller ── batch ──┐                ┌── thread
 *     caller ── batch ──┴── the list ────┼── thread      at most PARALLEL_MAX - 1,
 *               (on its stack)           └── thread      started when first needed
 *
 * Any thread may call at any time. The pool's threads end when the process exits
 * (or the library is unloaded); after fork() the child has a pool of its own. A
 * part must not fork and return in the child. */
#ifndef TFPROF_BASE_PARALLEL_H
#define TFPROF_BASE_PARALLEL_H

#include <stddef.h>

typedef void parallel_fn(void *context, size_t part);

enum { PARALLEL_MAX = 4 };

/* Into how many parts to split work on n items, 1 … PARALLEL_MAX: as many as there are
 * processors (see processors.h), each with at least `least` items, and at most
 * TFPROF_THREADS from the environment. For tests, TFPROF_TEST_PARTS=N in the
 * environment overrides all of that, unless there are fewer items. */
size_t parallel_parts(size_t n, size_t least);

/* Calls work(context, 0 … parts - 1), part 0 in this thread, and returns when all
 * have. */
void parallel_run(size_t parts, parallel_fn *work, void *context);

/* Registers what keeps the pool whole when the process forks. Call before pthread_atfork()
 * with a handler that waits for other threads that run parts; calls after the first do nothing. */
void parallel_watch_process(void);

/* Where part i of n items in `parts` parts begins; part i ends where i + 1 begins. */
static inline size_t parallel_begin(size_t n, size_t parts, size_t i)
{
	return n / parts * i + (i < n % parts ? i : n % parts);
}

/* Work whose results are put in order: blocks 0 … n - 1 are made in parallel, each in
 * a slot, and put one at a time, in order. Slots are reused, 3 for each part (1 if
 * there is one part), so that they stay in the cache. No thread waits for its turn:
 * whichever finds the next block made puts it and those that follow, so any thread may
 * put, not only the caller. */
typedef void parallel_block_fn(void *context, size_t slot, size_t block);

enum { PARALLEL_SLOTS = 3 * PARALLEL_MAX };

void parallel_in_order(size_t parts, size_t n, parallel_block_fn *make, parallel_block_fn *put,
	void *context);

#endif
