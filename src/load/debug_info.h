/* GraphDebugInfo: the call stacks that made the nodes of a graph and of its functions.
 *
 *     name_to_trace_id   "dense/MatMul@forward_12" → trace ┐  "node@function", or of the graph
 *     traces_by_id       trace → frames, outermost first  ◀┘  itself "node@" or "node"
 *     frames_by_id       frame → file, line, function, text of the line
 *     files              names, by position
 *
 * Older files have `traces` instead, which go from names to frames at once. TensorFlow writes
 * it beside a SavedModel or a MetaGraphDef, and as a field of GraphDefs. */
#ifndef TFPROF_LOAD_DEBUG_INFO_H
#define TFPROF_LOAD_DEBUG_INFO_H

#include "load/call_stacks.h"
#include "load/load.h"

/* A node and its stack, in the order of the file. */
struct debug_name {
	struct span node, function; /* an empty function: of the graph itself */
	struct call_stack stack;    /* n is 0 if it has no frames */
	struct slice slice;         /* the same, once the model keeps it */
};

struct debug_info {
	VEC(struct debug_name) names;
	struct hash_index index; /* of the names */
	struct call_stacks stacks;
};

/* Reads a message within the source of an input. Its names alias the bytes. A stack that
 * refers to what the message does not have is an error; if the model takes what is whole, it is
 * left out, and a note says so. Clear in any case. */
enum tfprof_status debug_info_read(struct debug_info *d, const struct model *m,
	const struct load *l, const struct source *source, struct span message,
	struct tfprof_error *err);
void debug_info_clear(struct debug_info *d);

/* NULL if there is none, or an empty one. */
const struct debug_name *debug_info_find(const struct debug_info *d, struct span node,
	struct span function);

/* Makes the model keep the stacks. */
enum tfprof_status debug_info_keep(struct debug_info *d, struct model *m, struct tfprof_error *err);

/* Keeps the stacks, and gives those of the graph itself to nodes from `first_node` on without a
 * stack. Stacks of functions wait for a trace: the names must stay as long as the model.
 * `n_outside` is how many of the graph's names are of no node. */
enum tfprof_status debug_info_apply(struct debug_info *d, struct model *m, size_t first_node,
	size_t *n_outside, struct tfprof_error *err);

#endif
