/* A NodeOutput with its TensorDescription, and the latter's text form, identical to
 * Python's str() of the message. */
#ifndef TFPROF_PROTO_TENSOR_DESCRIPTION_H
#define TFPROF_PROTO_TENSOR_DESCRIPTION_H

#include "base/buf.h"
#include "proto/decoder.h"

struct tensor_description {
	int32_t dtype;
	bool has_shape, unknown_rank;
	bool has_allocation, has_single_reference;
	int64_t requested_bytes, allocated_bytes, allocation_id;
	uint64_t ptr;
	struct span allocator_name;
	struct span shape; /* a TensorShapeProto, if has_shape */
};

struct node_output {
	int32_t slot;
	struct tensor_description tensor;
};

/* Reads a NodeOutput. Like protobuf, merges a second description into the first. Unless
 * `dims` is NULL, decodes the shape and appends the text of its dimensions to it. */
void node_output_read(struct decoder *d, struct span message, struct node_output *output,
	struct buf *dims);

void tensor_description_text(const struct tensor_description *t, struct span dims, struct buf *out);

#endif
