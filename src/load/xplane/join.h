/* A trace and the graph of the same model: which node of the graph an operation is of.
 *
 * TensorFlow calls functions from functions: in a trace, "StatefulPartitionedCall/dense/MatMul"
 * is what the graph of the called function has as "dense/MatMul". A name is tried as it is,
 * then without the calls it begins with. */
#ifndef TFPROF_LOAD_XPLANE_JOIN_H
#define TFPROF_LOAD_XPLANE_JOIN_H

#include "model/model.h"

/* The node that a name means without the calls before it; NONE if there is none. */
uint32_t join_find(const struct model *m, struct span name);

#endif
