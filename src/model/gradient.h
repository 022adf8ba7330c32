/* Backward operations, by their names:
 *
 *     gradients/A_grad/…                    TensorFlow 1: of the node A
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
	GRADIENT_TRANSPOSED, /* its call stack is that of the forward operation */
};

struct gradient {
	enum gradient_kind kind;
	struct span before;  /* of the forward name, what comes before … */
	struct span forward; /* … and from there on */
	struct span after;   /* GRADIENT_TRANSPOSED: and behind */
};

/* False if the name is of no backward operation. */
bool gradient_parse(struct span name, struct gradient *g);

/* The name of what it is the gradient of: a node, or a scope. */
void gradient_put_forward(struct buf *b, const struct gradient *g);

/* The node of that name; NONE if there is none. `scratch` is written over. */
uint32_t gradient_find_forward(const struct model *m, const struct gradient *g,
	struct buf *scratch);

#endif
