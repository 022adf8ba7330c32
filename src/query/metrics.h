/* The numbers of one node at a step. */
#ifndef TFPROF_QUERY_METRICS_H
#define TFPROF_QUERY_METRICS_H

#include "base/prefetch.h"
#include "model/model.h"
#include "query/metric_list.h"

struct numbers {
	int64_t at[N_METRICS];
};

/* Of a step, or, if it is negative, the average over the node's steps. */
void metrics_of(const struct model *m, uint32_t node, int64_t step, struct numbers *out);

/* The same as the original has it, which divides as unsigned: the average of a
 * negative sum over several steps is huge. Its minimums are compared with
 * that, so what it shows by default depends on it. */
void metrics_of_wrapping(const struct model *m, uint32_t node, int64_t step, struct numbers *out);

/* Prefetches what is read of a node (it may be NONE): first its columns, and when they
 * are there its exec row. */
PREFETCHES metrics_prefetch_node(const struct model *m, uint32_t node)
{
	if (node == NONE)
		return;
	prefetch_line(&m->nodes.first_exec[node]);
	prefetch_line(&m->nodes.types[node]);
	prefetch_line(&m->nodes.shape[node]);
	prefetch_line(&m->nodes.float_ops[node]);
}

PREFETCHES metrics_prefetch_exec(const struct model *m, uint32_t node)
{
	const struct exec *row;

	if (node == NONE || m->nodes.first_exec[node] == NONE)
		return;
	row = exec_at(&m->execs, m->nodes.first_exec[node]);
	prefetch_line(row);
	prefetch_line((const char *)(row + 1) - 1);
}

/* Sums wrap like the original's, except parameters, which stay at the top. */
static inline int64_t metric_add(enum metric metric, int64_t a, int64_t b)
{
	int64_t sum;

	if (__builtin_add_overflow(a, b, &sum) && metric == METRIC_PARAMS)
		return INT64_MAX;
	return sum;
}

#endif
