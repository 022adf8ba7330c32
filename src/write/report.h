/* The text report of a query: documentation, a header and a line per shown
 * node. Tree views and op view differ in their lines; columns are a table. */
#ifndef TFPROF_WRITE_REPORT_H
#define TFPROF_WRITE_REPORT_H

#include "base/sink.h"
#include "write/format.h"
#include "write/writer.h"

/* ---- for the two kinds of lines ----------------------------------------- */

/* A column that holds a number (see metric_list.h). */
struct report_number {
	enum metric metric;
	enum unit unit;
	unsigned selects;
	const char *header, *tree, *list;
};

/* The number columns to print, N_METRICS at most, in order: tree views put
 * parameters and float operations first, op and code view last. */
size_t report_numbers(const struct query *q, const struct report_number **columns);

/* Both are false when memory is out. */
bool report_tree_lines(struct query *q, struct sink *out);
bool report_list_lines(struct query *q, struct sink *out);

/* The distinct devices or types of the picked ones among these, joined by `|`; a node
 * without a device adds an empty text. Whether there is a device. */
bool report_devices(const struct query *q, struct buf *b, struct row_nodes nodes);
void report_types(const struct query *q, struct buf *b, struct row_nodes nodes);
/* "A|B" */
void report_set(const struct model *m, struct buf *b, uint32_t set);

#endif
