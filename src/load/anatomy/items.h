/* Events of a line on their way into a tree: in order, and joined where several are one thing. */
#ifndef TFPROF_LOAD_ANATOMY_ITEMS_H
#define TFPROF_LOAD_ANATOMY_ITEMS_H

#include "load/anatomy/keys.h"
#include "load/anatomy/scene.h"

/* An event, or what several of them make. */
struct item {
	int64_t start, end;
	uint32_t name, facts; /* a text; the place of what its stats say, or NONE */
};

typedef VEC(struct item) item_list;

/* By start, the longer first; equal ones keep their order. False on allocation failure. */
bool items_sort(item_list *v);

/* Joins tasks of thread pools, and waits, which are recorded as two events each. Events come in
 * order; a task without an end has INT64_MAX. */
struct joiner {
	const struct scene *s;
	item_list *v;
	const facts_list *facts;
	uint32_t region;   /* the task that has begun: its place; NONE */
	size_t n_waits;    /* that have begun */
	struct keys waits; /* to the place of each that has begun, or NONE */
};

/* Adds an event, unless it ends another. False on allocation failure. */
bool joiner_add(struct joiner *j, struct item it);
/* Whether the ends of all items are known by now. */
static inline bool joiner_is_done(const struct joiner *j)
{
	return j->region == NONE && !j->n_waits;
}

/* The items have been used up. */
void joiner_reset(struct joiner *j);

/* ---- trees ---- */

/* Nodes that grow into a tree. Zero, with .nodes, is empty. */
struct tree {
	node_list *nodes;
	VEC(uint32_t) open; /* those that may enclose the next one, outermost first */
};

/* False on allocation failure. */
bool tree_add(struct tree *t, const struct scene *s, struct item it);
/* Nothing more comes: ends all that are open. */
void tree_end(struct tree *t);

#endif
