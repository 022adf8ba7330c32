/* Rows or nodes with a number each, to show those with the largest. */
#ifndef TFPROF_SERVER_RANKED_H
#define TFPROF_SERVER_RANKED_H

#include <stdint.h>
#include <stdlib.h>

#include "base/vec.h"

struct ranked {
	int64_t id, value;
};

typedef VEC(struct ranked) ranked_vec;

static inline int ranked_compare(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->value != y->value)
		return x->value < y->value ? 1 : -1;
	return (x->id > y->id) - (x->id < y->id);
}

/* The largest first; equal ones by id. */
static inline void ranked_sort(ranked_vec *list)
{
	if (list->n)
		qsort(list->at, list->n, sizeof(*list->at), ranked_compare);
}

#endif
