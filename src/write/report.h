/* The text report of a query: documentation, a header and one line per shown node.
 * Tree views and op view differ in their lines; columns come from a table. */
#ifndef TFPROF_WRITE_REPORT_H
#define TFPROF_WRITE_REPORT_H

#include "base/sink.h"
#include "base/visible.h"
#include "query/format.h"
#include "write/writer.h"

/* ---- for the two kinds of lines ----------------------------------------- */

/* The metrics to print, at most N_METRICS, in order: scope and graph view put
 * parameters and float operations first, op and code view last. A column that select does
 * not name is left out if it can only be 0 or repeat another. */
size_t report_numbers(const struct query *q, enum metric *columns);

/* False on allocation failure. */
bool report_tree_lines(struct query *q, struct sink *out);
bool report_list_lines(struct query *q, struct sink *out);

/* Appends a name, or other text of the profile. Where the options came as a message, it
 * stays as it is; else what would act on a terminal is escaped. */
static inline void report_name(const struct query *q, struct buf *b, struct span name)
{
	if (q->options->tolerant)
		buf_span(b, name);
	else
		visible_put(b, name);
}

/* Appends the distinct devices or types of the picked nodes, joined by `|`; a node
 * without a device adds an empty text. report_devices() returns whether there is any
 * device. */
bool report_devices(const struct query *q, struct buf *b, struct row_nodes nodes);
void report_types(const struct query *q, struct buf *b, struct row_nodes nodes);
/* "1.7 threads"; "--" if that is not known. */
void report_threads(const struct query *q, uint32_t row, struct buf *b);
/* "A|B" */
void report_set(const struct query *q, struct buf *b, uint32_t set);

#endif
