/* Shapes of values. */
#ifndef TFPROF_HLO_SHAPE_H
#define TFPROF_HLO_SHAPE_H

#include "base/buf.h"
#include "hlo/program.h"

/* Adds the values of a ShapeProto. */
void hlo_shape_add(struct hlo_program *p, struct decoder *d, struct span message);

/* "f32", "" for types without a name. */
struct span hlo_type_name(unsigned type);
/* "f32[8,16]", "(f32[8],s32[])". */
void hlo_put_shape(struct buf *b, const struct hlo_program *p, uint32_t value);

#endif
