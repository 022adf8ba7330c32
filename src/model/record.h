/* What one entry of run metadata said about a node, as bytes: a message of the
 * same fields as ExecProfile, so that it is read and saved alike.
 *
 *     4   Tuple { start, duration }       time on an accelerator
 *     5   Tuple { start, duration }       time on a processor
 *     7   ExecMemory                      its outputs, each slot once
 *     11  AllocationRecord
 *
 * in this order. Which device the times are of stands beside the bytes. */
#ifndef TFPROF_MODEL_RECORD_H
#define TFPROF_MODEL_RECORD_H

#include "base/buf.h"
#include "model/exec.h"
#include "proto/fields.h"
#include "proto/wire.h"

enum record_field {
	RECORD_ACCELERATOR = WIRE_LEN(EXEC_PROFILE_ACCELERATOR_EXECS),
	RECORD_CPU = WIRE_LEN(EXEC_PROFILE_CPU_EXECS),
	RECORD_MEMORY = WIRE_LEN(EXEC_PROFILE_MEMORY_EXECS),
	RECORD_ALLOCATION = WIRE_LEN(EXEC_PROFILE_ALLOCATIONS),
};

void record_put_time(struct buf *b, bool accelerator, int64_t start_us, int64_t duration_us);

/* A slot is a key: of several outputs of one slot the last counts, in the place
 * of the first. Puts `outputs` in order for that. */
void record_put_memory(struct buf *b, const struct exec_memory *memory, struct exec_output *outputs,
	size_t n);

void record_put_allocation(struct buf *b, const struct exec_allocation *allocation);

#endif
