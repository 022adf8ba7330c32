/* A trace and the graph of the same model: which node of the graph an operation is of.
 *
 * TensorFlow calls functions from functions: in a trace, "StatefulPartitionedCall/dense/MatMul"
 * is what the graph of the called function has as "dense/MatMul". A name is tried as it is and as
 * a way through the functions of the graph (library.h), then the same without the calls that lead
 * to the graph, and then among all functions. */
#ifndef TFPROF_LOAD_XPLANE_JOIN_H
#define TFPROF_LOAD_XPLANE_JOIN_H

#include "load/xplane/library.h"
#include "model/model.h"

/* A node of a function. */
struct join_found {
	const struct library *library;
	struct library_node in;
};

/* A function that ran, by the way that led to it. */
struct join_function {
	const struct library *library;
	const struct graph *graph;
	struct span prefix; /* of the names of its nodes */
	struct span call;   /* see library.h */
};

/* A node of the model that is one of a function. */
struct join_node {
	uint32_t node, function;
	uint32_t in; /* the function: its place there */
};

/* The functions of the graphs that a model has. */
struct join {
	VEC(struct library) libraries;
	struct join_found *found; /* by target */
	size_t n_damaged;         /* libraries */
	VEC(struct join_function) functions;
	struct hash_index function_index;
	VEC(struct join_node) nodes;
	bool is_full; /* more functions than that are not joined: calls of calls multiply */
};

enum { JOIN_MOST_NODES = 1 << 20 };

/* False on allocation failure. */
bool join_read_libraries(struct join *j, const struct model *m);
void join_clear(struct join *j);

/* What a name that no node has means: the node that it is without the calls that lead to the graph
 * or within the loop or conditional that runs it, or one of a function. False if it is neither;
 * *node is NONE unless it is a node. */
bool join_find(const struct join *j, const struct model *m, struct span name, uint32_t *node,
	struct join_found *found);

/* The node of a name that was found in a function, made with all others of the function if that
 * is new. NONE on allocation failure. */
uint32_t join_add_node(struct join *j, struct model *m, struct span name,
	const struct join_found *found);

#endif
