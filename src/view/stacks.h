/* The distinct call stacks of a model, and which stack each node is shown with: a
 * gradient is shown with that of its forward node. */
#ifndef TFPROF_VIEW_STACKS_H
#define TFPROF_VIEW_STACKS_H

#include "model/model.h"

/* A distinct call stack. Forward nodes and gradients each have the smallest name with
 * this stack and the trie node where it ends. */
struct stack {
	struct span bytes;
	struct span name[2]; /* [is_gradient]; .at is NULL if no node has it */
	uint32_t end[2];     /* likewise */
};

struct stacks {
	VEC(struct stack) at; /* in memory order */
	uint32_t *shown_with; /* by node: its stack or NONE */
	struct span *forward; /* by node: name of its forward node if it is a gradient */
	size_t n_lost;        /* forward names whose gradients find no stack */
};

/* Arrays by node are allocated in the arena. False on allocation failure; call
 * stacks_clear() in either case. */
bool stacks_find(struct stacks *s, const struct model *m, struct arena *arena);
void stacks_clear(struct stacks *s);

static inline bool stacks_is_gradient(const struct stacks *s, uint32_t node)
{
	return s->forward[node].at != NULL;
}

#endif
