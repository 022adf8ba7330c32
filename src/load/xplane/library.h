/* The functions of a graph whose nodes ran in a trace.
 *
 * TensorFlow puts a function's nodes in the place of its call, so a trace has them by the way
 * that leads to them:
 *
 *     StatefulPartitionedCall/dense/MatMul    the call, then the node of its function
 *     lstm/while/body/_12/lstm/while/add      the loop, "body", a number, the node
 *     case/branch0/_5/Relu                    one of several branches
 *     __inference_step_42/dense/MatMul        the function by its name
 *
 * A way that begins in the graph is followed. What else there is is looked for in all functions,
 * and found if one function alone has it. */
#ifndef TFPROF_LOAD_XPLANE_LIBRARY_H
#define TFPROF_LOAD_XPLANE_LIBRARY_H

#include "load/op_graph.h"
#include "model/model.h"

/* A node of a function: where in its graph, and what names of its neighbours begin with in the
 * trace. */
struct library_node {
	const struct graph *graph; /* NULL: none was found */
	uint32_t node;
	struct span call; /* the node of the main graph that the way begins with; may be empty */
	size_t start;     /* of the name: where the way begins */
	size_t prefix;    /* of the name: its length */
	bool is_ambiguous;
};

struct library_place {
	uint32_t graph, node;
};

struct library {
	struct op_library ops;
	size_t source;                       /* of the model: whose graph it is */
	VEC(const struct graph *) graphs;    /* the main one first */
	VEC(struct library_place) places;    /* of nodes */
	struct hash_index by_graph_and_name; /* → places */
	struct hash_index by_name;           /* → places: the first that functions have */
	VEC(bool) is_shared;                 /* by place: another function has the name, too */
	size_t longest;                      /* of the names */
	bool is_damaged;
};

/* Reads a graph that the model keeps. A damaged library has no nodes. False on allocation
 * failure. */
bool library_read(struct library *l, const struct model *m, size_t source);
void library_clear(struct library *l);

/* Whether a graph has functions at all. */
bool library_is_in(struct span graph_def);

/* What comes before `start` is not looked at. */
struct library_node library_follow(const struct library *l, struct span name, size_t start);
struct library_node library_find(const struct library *l, struct span name, size_t start);

/* The number of a function's graph, where 0 is the main graph; NONE if there is no such
 * function. */
uint32_t library_find_function(const struct library *l, struct span name);
/* The graph of the function that a node calls by this attribute; NONE if it calls none. */
uint32_t library_get_callee(const struct library *l, const struct graph *g, uint32_t node,
	enum attr_id attr);
/* The node of a name in a graph; NONE if there is none. */
uint32_t library_find_in(const struct library *l, uint32_t graph, struct span name);
/* The same, for many graphs: `hash` is hash_bytes() of the name. */
uint32_t library_find_hashed(const struct library *l, uint32_t graph, struct span name,
	uint64_t hash);

/* Adds the nodes of the function that a name was found in, each unless there is one: type, shapes,
 * attributes, and edges from nodes of the function and, through calls, of those around it.
 * Nodes that did not run are there, too: what they do may be part of another by now. False on
 * allocation failure. */
typedef bool library_added_fn(void *context, uint32_t node, uint32_t in_function);
bool library_add_nodes(const struct library *l, struct model *m, struct span name,
	const struct library_node *found, library_added_fn *added, void *context);

#endif
