/* A piece of one of a model's sources: which source, where in it, how long.
 *
 * There are several for each node, so a slice takes eight bytes:
 *
 *     source + 1: 8 bits │ offset: 34 │ length: 22         all 0: no slice
 *     255                │ index of one that does not fit: of more than 4 MiB, beyond
 *                          16 GiB, or of one source of hundreds
 */
#ifndef TFPROF_MODEL_SLICE_H
#define TFPROF_MODEL_SLICE_H

#include <stdint.h>

#include "base/span.h"
#include "base/vec.h"

struct slice {
	uint64_t bits;
};

/* The same, taken apart. */
struct slice_parts {
	size_t source, offset, n;
};

typedef VEC(struct slice_parts) slice_list;

enum { SLICE_OFFSET_BITS = 34, SLICE_LENGTH_BITS = 22, SLICE_LISTED = 255 };

static inline bool slice_is_listed(struct slice s)
{
	return s.bits >> (SLICE_OFFSET_BITS + SLICE_LENGTH_BITS) == SLICE_LISTED;
}

/* False on allocation failure. `listed` gets what does not fit. */
static inline bool slice_make(struct slice *s, slice_list *listed, struct slice_parts parts)
{
	uint64_t head = parts.source + 1;

	if (parts.source + 1 >= SLICE_LISTED || parts.offset >> SLICE_OFFSET_BITS ||
		parts.n >> SLICE_LENGTH_BITS) {
		if (!vec_push(listed, parts))
			return false;
		s->bits = (uint64_t)SLICE_LISTED << (SLICE_OFFSET_BITS + SLICE_LENGTH_BITS) |
			(listed->n - 1);
		return true;
	}
	s->bits = (head << SLICE_OFFSET_BITS | parts.offset) << SLICE_LENGTH_BITS | parts.n;
	return true;
}

/* Of one that is not none. */
static inline struct slice_parts slice_get(struct slice s, const slice_list *listed)
{
	uint64_t place = s.bits >> SLICE_LENGTH_BITS;

	if (slice_is_listed(s))
		return listed->at[s.bits &
			(((uint64_t)1 << (SLICE_OFFSET_BITS + SLICE_LENGTH_BITS)) - 1)];
	return (struct slice_parts){(size_t)(place >> SLICE_OFFSET_BITS) - 1,
		place & (((uint64_t)1 << SLICE_OFFSET_BITS) - 1),
		s.bits & (((uint64_t)1 << SLICE_LENGTH_BITS) - 1)};
}

#endif
