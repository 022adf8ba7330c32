/* A flag with which another thread or a signal handler stops long work. */
#ifndef TFPROF_BASE_CANCEL_H
#define TFPROF_BASE_CANCEL_H

#include <stdbool.h>

static inline bool is_cancelled(const volatile int *cancel)
{
	return cancel && __atomic_load_n(cancel, __ATOMIC_RELAXED);
}

static inline void cancel_set(volatile int *cancel)
{
	__atomic_store_n(cancel, 1, __ATOMIC_RELAXED);
}

#endif
