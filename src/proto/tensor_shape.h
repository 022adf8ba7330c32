/* Iterates over the dimensions of a TensorShapeProto:
 *
 *     struct tensor_dims dims = tensor_dims(message);
 *     while (tensor_dims_next(&d, &dims, &dim))
 *             … dim.size …
 *     if (dims.unknown_rank) …
 */
#ifndef TFPROF_PROTO_TENSOR_SHAPE_H
#define TFPROF_PROTO_TENSOR_SHAPE_H

#include "proto/decoder.h"

struct tensor_dim {
	int64_t size; /* -1: unknown */
	struct span name;
};

struct tensor_dims {
	struct wire_reader r;
	bool unknown_rank; /* valid at the end */
};

static inline struct tensor_dims tensor_dims(struct span message)
{
	return (struct tensor_dims){.r = wire_reader(message)};
}

static inline struct tensor_dim tensor_dim_read(struct decoder *d, struct span message)
{
	struct wire_reader r = wire_reader(message);
	struct wire_field f;
	struct tensor_dim dim = {0};

	while (decoder_next(d, &r, &f))
		switch (f.tag) {
		case WIRE_VARINT(TENSOR_SHAPE_DIM_SIZE): dim.size = (int64_t)f.value; break;
		case WIRE_LEN(TENSOR_SHAPE_DIM_NAME): dim.name = f.bytes; break;
		}
	return dim;
}

static inline bool tensor_dims_next(struct decoder *d, struct tensor_dims *dims,
	struct tensor_dim *dim)
{
	struct wire_field f;

	while (decoder_next(d, &dims->r, &f))
		switch (f.tag) {
		case WIRE_VARINT(TENSOR_SHAPE_UNKNOWN_RANK):
			dims->unknown_rank = f.value != 0;
			break;
		case WIRE_LEN(TENSOR_SHAPE_DIM): *dim = tensor_dim_read(d, f.bytes); return true;
		}
	return false;
}

#endif
