/* Texts that name an operation: "name:type", as recorders write them. */
#ifndef TFPROF_LOAD_XPLANE_OP_TEXT_H
#define TFPROF_LOAD_XPLANE_OP_TEXT_H

#include "base/span.h"

struct op_text {
	struct span name, type;
};

/* The parts of "dense/MatMul:MatMul", "jit(f)/dot_general:" and the like. A type that is
 * not given follows from the name. False if it names no operation. */
bool op_text_parse(struct span text, struct op_text *op);
/* Only those of TensorFlow's graphs, "dense/MatMul:MatMul". */
bool op_text_parse_node(struct span text, struct op_text *op);

/* The type of an operation whose name a compiler kept: as given, without what JAX puts
 * in brackets; if none is given, the last part of the name without its number. */
struct span op_text_type(struct span name, struct span type);

/* "dot" of "dot.3": the type of an instruction whose program is missing. */
struct span op_text_without_number(struct span name);

#endif
