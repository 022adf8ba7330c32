/* The kinds of operations that a walk could not count, for totals to say what they cover. */
#ifndef TFPROF_COUNT_UNCOUNTED_H
#define TFPROF_COUNT_UNCOUNTED_H

#include "base/buf.h"
#include "base/vec.h"

struct uncounted_kind {
	struct span type;
	size_t n;
};

struct uncounted {
	VEC(struct uncounted_kind) kinds;
};

/* False on allocation failure. */
bool uncounted_add(struct uncounted *u, struct span type);
/* "2 kinds of operations not counted: Einsum x18, Foo x2"; nothing if all were counted. Sorts the
 * kinds: the most frequent first. */
void uncounted_put(struct uncounted *u, struct buf *b);
void uncounted_clear(struct uncounted *u);

#endif
