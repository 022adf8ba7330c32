/* The text report of a query: documentation, a header and one line per shown node.
 * Tree views and op view differ in their lines; columns come from a table. */
#ifndef TFPROF_WRITE_REPORT_H
#define TFPROF_WRITE_REPORT_H

#include "base/prefetch.h"
#include "base/sink.h"
#include "write/format.h"
#include "write/writer.h"

/* ---- for the two kinds of lines ----------------------------------------- */

/* A column of numbers (see metric_list.h). */
struct report_number {
	enum metric metric;
	enum unit unit;
	unsigned selects;
	const char *header, *tree, *list;
};

/* The number columns to print, at most N_METRICS, in order: scope and graph view put
 * parameters and float operations first, op and code view last. */
size_t report_numbers(const struct query *q, const struct report_number **columns);

/* False on allocation failure. */
bool report_tree_lines(struct query *q, struct sink *out);
bool report_list_lines(struct query *q, struct sink *out);

/* Appends the distinct devices or types of the picked nodes, joined by `|`; a node
 * without a device adds an empty text. report_devices() returns whether there is any
 * device. */
bool report_devices(const struct query *q, struct buf *b, struct row_nodes nodes);
void report_types(const struct query *q, struct buf *b, struct row_nodes nodes);
/* "A|B" */
void report_set(const struct model *m, struct buf *b, uint32_t set);

/* Shown nodes sorted by a number are scattered in memory. Prefetches the next ones in
 * stages, since each address is read from the previous stage. */
PREFETCHES report_prefetch(const struct query *q, uint32_t row)
{
	enum { AHEAD = 5 };
	const struct tree *t = q->tree;
	const struct model *m = q->model;
	const uint32_t *view = q->view + row;
	uint32_t node;

	if (q->n - row <= 4 * AHEAD)
		return;
	prefetch_bytes((const char *)query_total_row(q, view[AHEAD]),
		q->numbers.n * sizeof(*q->numbers.total));
	__builtin_prefetch(tree_label_at(t, view[AHEAD])->at);
	__builtin_prefetch(tree_label_at(t, view[2 * AHEAD]));
	if (!t->node)
		return;
	metrics_prefetch_exec(m, t->node[view[AHEAD]]);
	node = t->node[view[3 * AHEAD]];
	metrics_prefetch_node(m, node);
	if (node != NONE)
		__builtin_prefetch(&m->nodes.name[node]);
	__builtin_prefetch(&t->node[view[4 * AHEAD]]);
}

#endif
