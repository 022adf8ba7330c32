#include "load/xplane/intervals.h"

#include "base/sort.h"

#include <stdlib.h>

static int by_start(const void *a, const void *b)
{
	const struct interval *x = a, *y = b;

	return (x->start_ps > y->start_ps) - (x->start_ps < y->start_ps);
}

void intervals_sort(intervals *list)
{
	if (list->n)
		qsort(list->at, list->n, sizeof(*list->at), by_start);
}

void intervals_unite(intervals *list)
{
	size_t n = 0;

	for (size_t i = 0; i < list->n; i++) {
		if (!n || list->at[i].start_ps > list->at[n - 1].end_ps)
			list->at[n++] = list->at[i];
		else if (list->at[i].end_ps > list->at[n - 1].end_ps)
			list->at[n - 1].end_ps = list->at[i].end_ps;
	}
	list->n = n;
}

int64_t intervals_overlap(const intervals *list, int64_t start_ps, int64_t end_ps)
{
	size_t low = 0;
	int64_t sum_ps = 0;

	sort_search(low, list->n, i, list->at[i].end_ps <= start_ps);
	for (; low < list->n && list->at[low].start_ps < end_ps; low++) {
		const struct interval *v = &list->at[low];

		sum_ps += (v->end_ps < end_ps ? v->end_ps : end_ps) -
			(v->start_ps > start_ps ? v->start_ps : start_ps);
	}
	return sum_ps;
}
