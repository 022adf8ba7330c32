/* Times at which a device was busy: sorted, united, and how much of a time lies in them. */
#ifndef TFPROF_LOAD_XPLANE_INTERVALS_H
#define TFPROF_LOAD_XPLANE_INTERVALS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

struct interval {
	int64_t start_ps, end_ps;
	uint32_t launch; /* NONE: not known */
	bool is_copy, is_collective;
};

typedef VEC(struct interval) intervals;

void intervals_sort(intervals *list);

/* Joins those of a sorted list that overlap or touch. */
void intervals_unite(intervals *list);

/* How much of a time lies in a united list. */
int64_t intervals_overlap(const intervals *list, int64_t start_ps, int64_t end_ps);

#endif
