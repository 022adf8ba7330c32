/* What the graph nodes of a row in op and code view have in common: their distinct
 * devices and types, in byte order. */
#ifndef TFPROF_QUERY_DISTINCT_H
#define TFPROF_QUERY_DISTINCT_H

#include "query/query.h"

typedef VEC(uint32_t) ids_vec;

/* String ids of the picked ones among these nodes, each once, sorted; what `ids` held
 * is replaced. A node without a device adds the empty text. False on allocation
 * failure. */
bool distinct_devices(const struct query *q, struct row_nodes nodes, ids_vec *ids);
bool distinct_types(const struct query *q, struct row_nodes nodes, ids_vec *ids);

#endif
