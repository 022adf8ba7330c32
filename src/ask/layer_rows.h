/* The rows of the question layers: a tree of them, with what the nodes of each layer cost. Parents
 * come first; the children of a row are in no order. */
#ifndef TFPROF_ASK_LAYER_ROWS_H
#define TFPROF_ASK_LAYER_ROWS_H

#include "ask/question.h"
#include "model/layer_tree.h"
#include "view/lineless.h"

enum {
	HAS_RUN = 1,
	HAS_BACKWARD = 2,
	HAS_COUNT = 4,
	HAS_MEMORY = 8,
	HAS_LINES = 16,
	HAS_PARAMETERS = 64,
	HAS_SHARE = 32,  /* of time or, if nothing ran, of float operations */
	HAS_BATCH = 128, /* what was counted is of the batch that ran */
	HAS_PEAK = 256,  /* asked for: it takes time */
	HAS_COSTS = 512, /* of compiled programs */
};

/* Work that no layer does: what code view calls it, and the model's own. */
enum { OWN_ROW = N_LINELESS, N_EXTRA };

struct layer_row {
	struct span name;
	uint32_t parent; /* row */
	/* The id of its first node with most float operations: the order of the model, also in
	 * saved profiles. Nodes without any may stand anywhere: files list what has no input
	 * early. Compilers move instructions. */
	int64_t place;
	int64_t place_ops; /* of that one; less than 0: it is an instruction */
	uint32_t node;     /* its most expensive one; NONE: it has none */
	bool is_forward;   /* that one */
	int64_t cost;      /* of that one */
	int64_t forward_us, backward_us, float_ops, matrix_float_ops, bytes_accessed, parameters;
	int64_t bytes, peak_bytes, runs;
};

struct layers {
	const struct asked *q;
	struct layer_tree tree;
	uint32_t *of_node;          /* by node: its place in the tree */
	bool *is_backward;          /* by node */
	uint32_t *row_of;           /* by scope of the tree; NONE: it has none */
	VEC(struct layer_row) rows; /* parents first; the first is the root */
	uint32_t extra[N_EXTRA];    /* rows; 0: none */
	struct buf own_name;
	unsigned has;
};

/* Makes the rows for .q, a profile that is complete. False on allocation failure; clear in any
 * case. */
bool layers_read(struct layers *l);
void layers_clear(struct layers *l);

#endif
