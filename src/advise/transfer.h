/* What a RecvTensor or MEMCPY entry says of the data it moved. */
#ifndef TFPROF_ADVISE_TRANSFER_H
#define TFPROF_ADVISE_TRANSFER_H

#include "base/buf.h"
#include "base/span.h"

enum transfer_kind {
	TRANSFER_TENSOR,       /* RecvTensor: between tasks, or devices of one */
	TRANSFER_TO_DEVICE,    /* MEMCPYHtoD */
	TRANSFER_TO_HOST,      /* MEMCPYDtoH */
	TRANSFER_ON_DEVICE,    /* MEMCPYDtoD, MEMCPYPtoP and the like */
};

/* Spans point into the entry. Empty or 0: it does not say. */
struct transfer_entry {
	enum transfer_kind kind;
	int64_t start_us, end_us;
	int64_t bytes;
	struct span tensor;
	struct span from, to;          /* devices, as the label writes them */
};

/* Of a NodeExecStats; what is malformed in it is passed over. */
struct transfer_entry transfer_read(struct span stats);

#endif
