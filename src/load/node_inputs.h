/* The source nodes of each node's inputs: all that graph view needs of data flow. The
 * model may be loaded or complete. */
#ifndef TFPROF_LOAD_NODE_INPUTS_H
#define TFPROF_LOAD_NODE_INPUTS_H

#include "base/arena.h"
#include "model/model.h"

struct node_inputs {
	uint32_t *first;  /* by node, and the end */
	uint32_t *source; /* by position: source[first[node]] …; NONE if it is not known */
	size_t n;
};

enum tfprof_status node_inputs_read(struct node_inputs *in, const struct model *m,
	struct arena *arena, struct tfprof_error *err);

#endif
