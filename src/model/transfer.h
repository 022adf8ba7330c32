/* Decodes what a RecvTensor or MEMCPY entry says about the data it moved. */
#ifndef TFPROF_MODEL_TRANSFER_H
#define TFPROF_MODEL_TRANSFER_H

#include "base/buf.h"
#include "base/span.h"

enum transfer_kind {
	TRANSFER_TENSOR,    /* RecvTensor: between tasks, or devices of a task */
	TRANSFER_TO_DEVICE, /* MEMCPYHtoD */
	TRANSFER_TO_HOST,   /* MEMCPYDtoH */
	TRANSFER_ON_DEVICE, /* MEMCPYDtoD, MEMCPYPtoP and the like */
	TRANSFER_COPY,      /* on a copy engine, direction unknown */
};

/* Spans point into the entry. Empty or 0: unknown. */
struct transfer_entry {
	enum transfer_kind kind;
	int64_t start_us, end_us;
	int64_t bytes;
	struct span name;     /* of the entry: a node, "MEMCPYHtoD", or both */
	struct span tensor;   /* TRANSFER_TENSOR */
	struct span from, to; /* devices, as in the label */
};

/* Reads a NodeExecStats, ignoring malformed fields. `is_copy`: it is on a copy
 * engine. */
struct transfer_entry transfer_read(struct span stats, bool is_copy);

/* Whether operations of a type, as traces have it, are copies; then which. */
bool transfer_is_copy(struct span type, enum transfer_kind *kind);

/* Whether a transfer is known to cross the bus between host and device. */
bool transfer_crosses_bus(const struct transfer_entry *t);

#endif
