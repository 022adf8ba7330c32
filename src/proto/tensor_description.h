/* A TensorDescription message: the fields a timeline asks for, and its text
 * form, byte for byte as Python's str() of the message gives it. */
#ifndef TFPROF_PROTO_TENSOR_DESCRIPTION_H
#define TFPROF_PROTO_TENSOR_DESCRIPTION_H

#include "base/buf.h"
#include "base/span.h"
#include "proto/wire.h"

struct tensor_description {
	int32_t dtype;
	bool has_shape, unknown_rank;
	struct buf dims; /* their text form */
	bool has_allocation, has_single_reference;
	int64_t requested_bytes, allocated_bytes, allocation_id;
	uint64_t ptr;
	struct span allocator_name; /* points into the message */
};

/* Makes it the empty message, keeping the memory of `dims`; clear frees it. */
void tensor_description_reset(struct tensor_description *t);
void tensor_description_clear(struct tensor_description *t);

/* Adds a message; a second one is merged into the first, as protobuf does it.
 * False if the bytes are malformed, at `*bad`. That memory ran out shows in
 * `dims.failed`. */
bool tensor_description_read(struct tensor_description *t, struct span message, const char **bad);

void tensor_description_text(const struct tensor_description *t, struct buf *out);

#endif
