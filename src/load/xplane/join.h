/* A trace and the graph of the same model: which node of the graph an operation is of.
 *
 * TensorFlow calls functions from functions: in a trace, "StatefulPartitionedCall/dense/MatMul"
 * is what the graph of the called function has as "dense/MatMul". A name is tried as it is,
 * then as a way through the functions of the
 * graph (library.h), then without the calls it begins with, and then among all functions. */
#ifndef TFPROF_LOAD_XPLANE_JOIN_H
#define TFPROF_LOAD_XPLANE_JOIN_H

#include "load/xplane/library.h"
#include "model/model.h"

/* The node that a name means without the calls before it; NONE if there is none. */
uint32_t join_find(const struct model *m, struct span name);

/* The length of a call that a name begins with, "PartitionedCall_3/"; 0 if it begins with
 * none. */
size_t join_call_length(struct span name);

/* A node of a function. */
struct join_found {
	const struct library *library;
	struct library_node in;
};

/* The functions of the graphs that a model has. */
struct join {
	VEC(struct library) libraries;
	struct join_found *found; /* by target */
	size_t n_damaged;         /* libraries */
};

/* False on allocation failure. */
bool join_read_libraries(struct join *j, const struct model *m);
void join_clear(struct join *j);

/* Looks into all libraries: only one may know the name. False if none does. */
typedef struct library_node library_find_fn(const struct library *l, struct span name);
bool join_find_in_libraries(const struct join *j, struct span name, library_find_fn *find,
	struct join_found *found);

#endif
