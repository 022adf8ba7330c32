/* Shapes of compiled instructions. */
#ifndef TFPROF_LOAD_XPLANE_HLO_SHAPE_H
#define TFPROF_LOAD_XPLANE_HLO_SHAPE_H

#include "load/xplane/modules.h"
#include "model/shapes.h"

/* An array; of a tuple, one of its elements. */
struct hlo_shape {
	unsigned type; /* PRIMITIVE_TYPE_… */
	dims_vec dims;
};

/* A ShapeProto, the arrays of a tuple one after the other. `fn` returns whether to go
 * on. */
typedef bool hlo_shape_fn(void *context, size_t i, const struct hlo_shape *shape);
void hlo_shape_read(struct decoder *d, struct span message, hlo_shape_fn *fn, void *context);

/* The ShapeProto of an instruction. */
struct span hlo_get_shape(struct decoder *d, const struct hlo_instruction *i);

/* Of all arrays together; what does not fit is INT64_MAX. */
int64_t hlo_shape_bytes(struct decoder *d, struct span message);

/* The ids in a field of an instruction, packed or not. */
typedef VEC(uint64_t) hlo_ids;
void hlo_read_ids(struct decoder *d, struct span message, uint32_t field, hlo_ids *ids);

#endif
