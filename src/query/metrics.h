/* The metrics of one node at a step. */
#ifndef TFPROF_QUERY_METRICS_H
#define TFPROF_QUERY_METRICS_H

#include "base/prefetch.h"
#include "model/model.h"
#include "query/metric_list.h"

struct numbers {
	int64_t at[N_METRICS];
};

/* The metrics at a step or, if it is negative, their average over the node's steps. */
void metrics_of(const struct model *m, uint32_t node, int64_t step, struct numbers *out);

/* The same with TensorFlow's unsigned division, where the average of a negative sum
 * over several steps is huge. TensorFlow compares minimums with that, so what is shown
 * by default depends on it. */
void metrics_of_wrapping(const struct model *m, uint32_t node, int64_t step, struct numbers *out);

/* Numbers of one exec row or, if `row` is NONE, at a step in which the node did not run. */
void metrics_of_exec(const struct model *m, uint32_t node, uint32_t row, struct numbers *out);

/* Prefetch what is read of a node, which may be NONE: first its columns, later its
 * exec row. */
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

#endif
