/* What a query has to say besides its report. What TensorFlow's profiler would not say is
 * not said where it is imitated (options that came as a message). */
#ifndef TFPROF_LIB_NOTES_H
#define TFPROF_LIB_NOTES_H

#include "query/query.h"

/* Appends lines about a query that has run, whose view the caller holds. */
void notes_put(struct query *q, struct buf *notes);

#endif
