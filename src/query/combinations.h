/* The combinations of input shapes that the nodes of an op ran with, in op view. */
#ifndef TFPROF_QUERY_COMBINATIONS_H
#define TFPROF_QUERY_COMBINATIONS_H

#include "query/query.h"

struct combination {
	struct span text; /* "0:2x6|1:unknown", see input_shapes_put() */
	int64_t runs, micros, defined;
};

struct combinations {
	struct combination *at; /* most run first, then by text */
	size_t n;
	struct arena arena;
};

/* Only picked nodes count. False on allocation failure; clear in either case. */
bool combinations_make(struct combinations *c, struct query *q, struct row_nodes nodes,
	const char *separator);
void combinations_clear(struct combinations *c);

#endif
