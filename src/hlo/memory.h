/* The memory of a compiled program: how much of which class, and who holds it at the peak.
 *
 *     struct hlo_memory memory = {0};
 *     if (!hlo_memory_read(&memory, &program, &d)) → damaged at d.bad, or allocation failed
 *     memory.spaces, .arenas, .live
 *     hlo_memory_clear(&memory);
 *
 * Sizes are those of one device. Memory spaces are never added up. Temporaries of a space are in
 * one block, the arena, where values with disjoint lives share addresses. */
#ifndef TFPROF_HLO_MEMORY_H
#define TFPROF_HLO_MEMORY_H

#include "base/buf.h"
#include "hlo/borrow.h"

enum { HLO_HOST_SPACE = 5 };

struct hlo_space {
	uint64_t number;
	int64_t parameters, outputs, temporaries, constants;
	int64_t thread_local; /* on stacks of threads: not part of the other classes */
	int64_t aliased;      /* parameters that become outputs */
};

/* A value that is alive when its arena is fullest. */
struct hlo_live {
	uint32_t op, value;
	int64_t bytes;
	struct hlo_borrowed_name name;
};

struct hlo_arena {
	uint64_t space;
	int64_t bytes, peak;
	struct span at;        /* the op that reaches the peak */
	bool is_from_schedule; /* there is no trace of the compiler's heap */
	uint32_t first, n;     /* live, the largest first */
};

/* A block of device memory that the program asks for each time it runs. */
struct hlo_request {
	int64_t bytes;
	bool is_output; /* else its temporaries */
};

struct hlo_memory {
	VEC(struct hlo_space) spaces;
	VEC(struct hlo_arena) arenas;
	VEC(struct hlo_live) live;
	struct hlo_live largest_output, largest_constant; /* in device memory; bytes 0: none */
	VEC(struct hlo_request) requests;
	size_t n_donatable;      /* parameters that could be given up for an output */
	int64_t donatable_bytes; /* at most so much is saved */
	size_t n_damaged;
	bool is_known; /* the program has a buffer assignment */
};

/* Where to find peaks: in the compiler's heap if there is a trace of it, only in the schedule, or
 * not at all. */
enum hlo_peak_source { HLO_PEAK_OF_HEAP, HLO_PEAK_OF_SCHEDULE, HLO_NO_PEAK };

bool hlo_memory_read(struct hlo_memory *m, const struct hlo_program *p, enum hlo_peak_source source,
	struct decoder *d);
void hlo_memory_clear(struct hlo_memory *m);

struct hlo_buffers;
/* Counts parameters that could be donated (donate.c). False on allocation failure. */
bool hlo_find_donatable(struct hlo_memory *m, const struct hlo_program *p,
	const struct hlo_buffers *b);

/* "layer_0/mlp", with " (gradient)" or " (kept by a loop)"; "(no scope)". */
void hlo_put_layer(struct buf *b, const struct hlo_program *p, const struct hlo_borrowed_name *n);
/* "model.py:20"; nothing if it is not known. */
void hlo_put_line(struct buf *b, const struct hlo_program *p, uint32_t op);

#endif
