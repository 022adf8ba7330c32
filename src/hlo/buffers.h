/* Where the values of a compiled program are in memory (BufferAssignmentProto). Read when asked
 * for.
 *
 *     buffers       values that need memory
 *     allocations   blocks that the runtime asks for; each has a range of assigned buffers:
 *
 *         0          offset                        size
 *         │  buffer 7  │ buffer 9 │  …               │
 *                      │ buffer 12     │                two whose lives do not overlap
 *
 *     traces        of the compiler's heap: when buffers of an allocation came and went */
#ifndef TFPROF_HLO_BUFFERS_H
#define TFPROF_HLO_BUFFERS_H

#include "hlo/program.h"

struct hlo_buffer {
	uint64_t id;
	int64_t bytes;
	uint32_t op, value; /* what it holds; NONE: not in the program */
};

struct hlo_assigned {
	uint32_t buffer;
	int64_t offset, bytes;
};

enum hlo_class {
	HLO_PARAMETERS,
	HLO_CONSTANTS,
	HLO_THREAD_LOCAL, /* on a stack: not part of the program's memory */
	HLO_OUTPUTS,
	HLO_TEMPORARIES,
};

struct hlo_allocation {
	int64_t bytes;
	uint64_t space;
	enum hlo_class class;
	bool is_aliased; /* a parameter that becomes an output */
	uint64_t parameter;
	uint32_t first, n; /* assigned */
};

enum hlo_heap_kind { HLO_HEAP_ALLOC, HLO_HEAP_FREE, HLO_HEAP_SHARE };

struct hlo_heap_event {
	enum hlo_heap_kind kind;
	uint32_t buffer, shared; /* NONE: not in the program */
	struct span op;          /* the instruction's name */
};

struct hlo_heap_trace {
	uint32_t allocation; /* NONE: of none */
	uint32_t first, n;   /* events */
};

struct hlo_buffers {
	VEC(struct hlo_buffer) at;
	VEC(struct hlo_allocation) allocations;
	VEC(struct hlo_assigned) assigned;
	VEC(struct hlo_heap_event) events;
	VEC(struct hlo_heap_trace) traces;
	struct hash_index by_id;
	size_t n_damaged; /* ids that name nothing, places outside of their allocation */
};

/* False if it is malformed (d->bad) or on allocation failure; clear in any case. */
bool hlo_buffers_read(struct hlo_buffers *b, const struct hlo_program *p, struct decoder *d);
void hlo_buffers_clear(struct hlo_buffers *b);

#endif
