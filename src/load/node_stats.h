/* NodeExecStats, an entry of run metadata: checked, summed up and turned into a record
 * in one pass over its bytes. Changes only the reader, so parts of a step can be read
 * in parallel, each with its own reader. */
#ifndef TFPROF_LOAD_NODE_STATS_H
#define TFPROF_LOAD_NODE_STATS_H

#include "base/arena.h"
#include "base/buf.h"
#include "model/exec.h"
#include "model/shapes.h"
#include "proto/decoder.h"

struct node_stats {
	struct span name;     /* the node's: up to the first colon */
	struct span executed; /* the type that ran, by its label; may be empty */
	int64_t start_us;     /* 0 or less: none, and no record */
	int64_t duration_us;
	struct exec_sums memory; /* its bytes only */
	struct span record;      /* its times, then its memory */
	size_t n_times;          /* bytes of the record that are times */
	uint32_t n_shapes;       /* of its outputs; those of entries follow each other */
};

/* The shape of an output, which has `n` dimensions. */
struct output_shape {
	int32_t output;
	uint32_t n;
	size_t first_dim;
	uint64_t hash;
	bool is_scalar;
};

struct node_stats_reader {
	struct decoder decoder;
	struct arena records;
	struct buf scratch;
	VEC(struct exec_output) outputs;
	VEC(struct exec_allocation) allocations;
	VEC(struct output_shape) shapes; /* of all entries read since the caller emptied them */
	dims_vec dims;
};

void node_stats_reader_clear(struct node_stats_reader *reader);

/* Reads an entry of a device of these kinds (see device.h). */
void node_stats_read(struct node_stats_reader *reader, struct span message, unsigned device_kind,
	struct node_stats *stats);

#endif
