/* Time of nodes that ran as another operation than the graph names: fused or replaced
 * kernels (see model/executed.h). */
#ifndef TFPROF_QUERY_RENAMED_H
#define TFPROF_QUERY_RENAMED_H

#include "query/query.h"

/* A line for op view that says what share of its time is charged to another operation
 * than the one that ran; nothing if it is less than 1 %, if no time is selected, or if
 * nodes are grouped by what ran. */
void renamed_note(const struct query *q, struct buf *notes);

#endif
