/* The result of a query as a message: GraphNodeProto for scope and graph view,
 * MultiGraphNodeProto for op and code view. */
#ifndef TFPROF_WRITE_MESSAGE_H
#define TFPROF_WRITE_MESSAGE_H

#include "query/query.h"

/* Appends the message. The query must have all metrics. */
void message_write(struct query *q, struct buf *out);

/* Only the name of the root: what an output that a view does not support
 * gives. */
void message_write_root(struct buf *out);

#endif
