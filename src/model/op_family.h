/* Families of operation types, by which pictures are coloured and an overview begins:
 * what kind of work is it? */
#ifndef TFPROF_MODEL_OP_FAMILY_H
#define TFPROF_MODEL_OP_FAMILY_H

#include "base/span.h"

/* id, name, what it is for people */
#define OP_FAMILIES(X)                                             \
	X(MATRIX, "matrix", "matrix & convolution")                \
	X(ELEMENT, "element", "element-wise")                      \
	X(REDUCTION, "reduction", "reduction & normalization")     \
	X(COPY, "copy", "copy & reshape")                          \
	X(VARIABLE, "variable", "variables & update")              \
	X(COMMUNICATION, "communication", "communication & input") \
	X(CONTROL, "control", "shape & control")

enum op_family {
#define X(id, name, title) FAMILY_##id,
	OP_FAMILIES(X)
#undef X
		N_OP_FAMILIES
};

struct op_family_info {
	const char *name, *title;
};
extern const struct op_family_info op_families[N_OP_FAMILIES];

/* Of TensorFlow's types ("Conv2D"), their fused kernels ("_MklNativeFusedConv2D") and
 * those of XLA ("dot_general", "fusion"). An unknown type is element-wise. */
enum op_family op_get_family(struct span op);

#endif
