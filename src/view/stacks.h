/* The distinct call stacks of a model, and which node is shown with which: a
 * gradient with that of the node it is the gradient of. */
#ifndef TFPROF_VIEW_STACKS_H
#define TFPROF_VIEW_STACKS_H

#include "model/model.h"

/* A distinct call stack, as one of forward nodes and as one of gradients: the
 * least name that brings it in, and the trie node it ends at. */
struct stack {
	struct span bytes;
	struct span name[2]; /* [is_gradient]; .at is NULL if nobody is there */
	uint32_t end[2];     /* likewise */
};

struct stacks {
	VEC(struct stack) at; /* as they come in memory */
	uint32_t *shown_with; /* by node: a stack, NONE if there is none */
	struct span *forward; /* by node: the name it is the gradient of */
	size_t n_lost;        /* forward names whose gradients find no stack */
};

/* What is by node is in memory of the arena. False when memory is out;
 * stacks_clear() in any case. */
bool stacks_find(struct stacks *s, const struct model *m, struct arena *arena);
void stacks_clear(struct stacks *s);

static inline bool stacks_is_gradient(const struct stacks *s, uint32_t node)
{
	return s->forward[node].at != NULL;
}

#endif
