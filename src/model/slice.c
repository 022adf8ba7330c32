#include "model/slice.h"

bool slicer_list(const struct slicer *slicer, struct slice *s, struct span bytes)
{
	struct slice_parts parts = {slicer->source, (size_t)(bytes.at - slicer->begin), bytes.n};

	if (!vec_push(slicer->listed, parts))
		return false;
	s->bits = (uint64_t)SLICE_LISTED << SLICE_SOURCE | (slicer->listed->n - 1);
	return true;
}
