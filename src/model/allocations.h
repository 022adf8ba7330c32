/* What the allocators of traces did: what each had in use over time, and for whom.
 *
 *     pools    "GPU_0_bfc", "TPU 1": whose memory, how much of it there is
 *     events   taken or given back, by time within each trace */
#ifndef TFPROF_MODEL_ALLOCATIONS_H
#define TFPROF_MODEL_ALLOCATIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

struct memory_pool {
	uint32_t name;                               /* string id */
	uint32_t device;                             /* string id; 0: memory of the host */
	int64_t lifetime_peak_bytes, capacity_bytes; /* -1: not known */
	bool is_tpu; /* what it reserves is the temporaries of programs */
};

struct memory_event {
	int64_t time_us;
	int64_t step;             /* -1: in none */
	int64_t bytes;            /* of the piece, as the pool rounds it */
	int64_t requested;        /* that were asked for */
	int64_t in_use, reserved; /* of the pool, afterwards; in_use includes reserved */
	uint64_t address;
	uint32_t pool;
	uint32_t node;  /* NONE: not known, or given back */
	uint32_t shape; /* string id; 0: not known */
	bool is_free;
};

struct allocations {
	VEC(struct memory_pool) pools;
	VEC(struct memory_event) events;
};

static inline void allocations_clear(struct allocations *a)
{
	vec_clear(&a->pools);
	vec_clear(&a->events);
}

#endif
