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

/* A slice, taken apart. */
struct slice_parts {
	size_t source, offset, n;
};

typedef VEC(struct slice_parts) slice_list;

enum {
	SLICE_LENGTH_BITS = 22,
	SLICE_OFFSET_BITS = 34,
	SLICE_SOURCE = SLICE_LENGTH_BITS + SLICE_OFFSET_BITS, /* where the source begins */
	SLICE_LISTED = 255,
};

static inline bool slice_is_listed(struct slice s)
{
	return s.bits >> SLICE_SOURCE == SLICE_LISTED;
}

/* Makes slices of one source. */
struct slicer {
	const char *begin; /* start of the source */
	size_t source;
	slice_list *listed; /* gets the slices that do not fit */
};

/* One that does not fit. */
bool slicer_list(const struct slicer *slicer, struct slice *s, struct span bytes);

/* False on allocation failure. In line, since loading a profile cuts three for every
 * node. */
static inline bool slicer_cut(const struct slicer *slicer, struct slice *s, struct span bytes)
{
	size_t offset = (size_t)(bytes.at - slicer->begin);

	if (slicer->source + 1 < SLICE_LISTED &&
		!(offset >> SLICE_OFFSET_BITS | bytes.n >> SLICE_LENGTH_BITS)) {
		s->bits = (uint64_t)(slicer->source + 1) << SLICE_SOURCE |
			(uint64_t)offset << SLICE_LENGTH_BITS | bytes.n;
		return true;
	}
	return slicer_list(slicer, s, bytes);
}

/* Of one that is not none. */
static inline struct slice_parts slice_get(struct slice s, const slice_list *listed)
{
	const uint64_t one = 1;

	if (slice_is_listed(s))
		return listed->at[s.bits & ((one << SLICE_SOURCE) - 1)];
	return (struct slice_parts){(size_t)(s.bits >> SLICE_SOURCE) - 1,
		s.bits >> SLICE_LENGTH_BITS & ((one << SLICE_OFFSET_BITS) - 1),
		s.bits & ((one << SLICE_LENGTH_BITS) - 1)};
}

#endif
