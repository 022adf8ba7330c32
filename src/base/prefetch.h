/* Prefetching: asking for memory ahead of its use.
 *
 * A function that only prefetches has no effect a compiler sees: it drops calls
 * unless they are inlined first. So such functions are declared
 *
 *     PREFETCHES name(…) { … }
 *
 * A loop prefetches where its items lie all over memory and little work is done with
 * each, and only if a row of bench/README.md takes at least a tenth longer otherwise.
 * How much stands at the loop.
 */
#ifndef TFPROF_BASE_PREFETCH_H
#define TFPROF_BASE_PREFETCH_H

#include <stddef.h>
#include <stdint.h>

#define PREFETCHES static inline __attribute__((always_inline)) void

PREFETCHES prefetch_line(const void *at)
{
	__builtin_prefetch(at);
}

/* A block, but at most a few hundred bytes. It may begin anywhere in a cache line, so
 * its end may be one line further than its size suggests. */
PREFETCHES prefetch_bytes(const char *at, size_t n)
{
	enum { LINE = 64, MOST = 512 };
	uintptr_t from = (uintptr_t)at & ~(uintptr_t)(LINE - 1);
	uintptr_t end = (uintptr_t)at + (n < MOST ? n : MOST);

	for (; from < end; from += LINE)
		prefetch_line((const void *)from);
}

#endif
