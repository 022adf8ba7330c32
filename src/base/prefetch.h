/* Asking for memory ahead of its use.
 *
 * A function that only does that has no effect a compiler sees: it drops calls
 * unless they are inlined first. So such functions are declared
 *
 *     PREFETCHES name(…) { … }
 */
#ifndef TFPROF_BASE_PREFETCH_H
#define TFPROF_BASE_PREFETCH_H

#include <stddef.h>

#define PREFETCHES static inline __attribute__((always_inline)) void

/* All of a block, but no more than some hundred bytes. */
PREFETCHES prefetch_bytes(const char *at, size_t n)
{
	enum { LINE = 64, MOST = 512 };

	for (size_t i = 0; i < n && i < MOST; i += LINE)
		__builtin_prefetch(at + i);
}

#endif
