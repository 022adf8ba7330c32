/* With which shapes of inputs the nodes of a group ran, in op view. */
#ifndef TFPROF_QUERY_COMBINATIONS_H
#define TFPROF_QUERY_COMBINATIONS_H

#include "query/query.h"

struct combination {
	struct span text; /* "0:2x6|1:unknown", as input_shapes_put() */
	int64_t runs, micros, defined;
};

struct combinations {
	struct combination *at; /* most run first, then by text */
	size_t n;
	struct arena arena;
};

/* Of the picked ones among these nodes. False when memory is out; clear in any
 * case. */
bool combinations_make(struct combinations *c, struct query *q, struct row_nodes nodes,
	const char *separator);
void combinations_clear(struct combinations *c);

#endif
