/* The distinct devices and types of a row's graph nodes in op and code view, in byte
 * order. */
#ifndef TFPROF_QUERY_DISTINCT_H
#define TFPROF_QUERY_DISTINCT_H

#include "query/query.h"

typedef VEC(uint32_t) ids_vec;

/* Replaces `ids` by the distinct string ids of the picked nodes, sorted. A node without
 * a device adds the empty text. False on allocation failure. */
bool distinct_devices(const struct query *q, struct row_nodes nodes, ids_vec *ids);
bool distinct_types(const struct query *q, struct row_nodes nodes, ids_vec *ids);

#endif
