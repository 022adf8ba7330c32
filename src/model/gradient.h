/* Backward operations, by their names:
 *
 *     gradients/A_grad/…                    TensorFlow 1: of the node A
 *     …PartitionedCall/gradients/A_grad/…   TensorFlow 2: of A in another function
 *     …/gradient_tape/A/…                   TensorFlow 2: of the scope A, next to it
 *     …/transpose(jvp(A))/…                 JAX: of …/jvp(A)/…
 *
 * The first form is found as TensorFlow's profiler finds it. */
#ifndef TFPROF_MODEL_GRADIENT_H
#define TFPROF_MODEL_GRADIENT_H

#include "model/model.h"

enum gradient_kind {
	GRADIENT_OF_NODE,
	GRADIENT_OF_TAPE,
	GRADIENT_TRANSPOSED,
};

struct gradient {
	enum gradient_kind kind;
	struct span before;  /* the part of the forward name before … */
	struct span forward; /* … and from there on */
	struct span after;   /* GRADIENT_TRANSPOSED: and behind */
	bool is_called;      /* GRADIENT_OF_NODE: in a function that another one calls */
};

/* The length of a call that a name begins with, "StatefulPartitionedCall_3/"; 0 if it begins
 * with none. */
size_t gradient_call_length(struct span name);

/* Whether its own call stack is that of the forward operation: if there is no such node, it is
 * shown with that. */
static inline bool gradient_has_forward_stack(const struct gradient *g)
{
	return g->kind == GRADIENT_TRANSPOSED || g->is_called;
}

/* False if the name is not that of a backward operation. */
bool gradient_parse(struct span name, struct gradient *g);

/* The name of what it is the gradient of: a node, or a scope. */
void gradient_put_forward(struct buf *b, const struct gradient *g);

/* Where it goes in scope view if gradients are folded: gradients/A_grad/B to A/B, gradient_tape/A/B
 * to A/B, transpose(jvp(A))/B to jvp(A)/B. */
void gradient_put_folded(struct buf *b, struct span name, const struct gradient *g);

/* The node of that name; NONE if there is none. Below a tape's operation may be the instructions
 * that it was compiled to: then the scope around is the name. `scratch` is written over. */
uint32_t gradient_find_forward(const struct model *m, const struct gradient *g,
	struct buf *scratch);

#endif
