/* NodeDefs of a graph, decoded some thousand at a time. Decoding looks at bytes
 * only, so that other batches can be decoded while one is being added.
 *
 *     defs ── name, op, hashes of them
 *          ── inputs[]         source name, its hash, which output
 *          ── shape, outputs[] → shapes[] → dims[]
 */
#ifndef TFPROF_LOAD_NODE_DEF_H
#define TFPROF_LOAD_NODE_DEF_H

#include "base/vec.h"
#include "load/audit.h"
#include "model/model.h"
#include "proto/decoder.h"

struct node_input {
	struct span source; /* the name of a node */
	uint64_t hash;
	int32_t output; /* which of its outputs */
};

struct node_shape {
	size_t first; /* in dims */
	size_t n;
	uint64_t hash;
};

struct node_def {
	struct span message;
	struct span name, op, device;
	uint64_t name_hash, op_hash;
	uint32_t n_inputs; /* the inputs of defs follow each other */
	uint32_t n_outputs;
	size_t first_output;  /* in shapes */
	size_t shape;         /* in shapes; SIZE_MAX: none */
	struct decoder attrs; /* of the attributes used; matters only if the node is new */
};

struct node_defs {
	VEC(struct node_def) defs;
	VEC(struct node_input) inputs;
	VEC(struct node_shape) shapes;
	dims_vec dims;
	struct field_counts fields;
	struct decoder decoder; /* fails after the last one */
};

/* Replaces the contents of the batch with the NodeDefs of a piece of a graph. */
void node_defs_read(struct node_defs *batch, struct span piece);
/* Adds one more. */
void node_defs_add(struct node_defs *batch, struct span message);
void node_defs_clear(struct node_defs *batch);

/* Gives a node of the model the shape and the outputs of a definition (graph.c). False on
 * allocation failure. */
bool node_def_put_shapes(struct model *m, uint32_t node, const struct node_defs *batch,
	const struct node_def *def);

#endif
