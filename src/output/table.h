/* The result of a query as rows, for programs. */
#ifndef TFPROF_OUTPUT_TABLE_H
#define TFPROF_OUTPUT_TABLE_H

#include "query/query.h"

/* A row per shown node, texts in the arena; NULL when memory is out. The query
 * must have all metrics. */
struct tfprof_row *table_make(struct query *q, struct arena *arena);

#endif
