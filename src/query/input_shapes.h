/* The shapes of a node's inputs as text. */
#ifndef TFPROF_QUERY_INPUT_SHAPES_H
#define TFPROF_QUERY_INPUT_SHAPES_H

#include "query/query.h"

/* Appends the i-th input: "0:2x6", "1:unknown". */
void input_shapes_put_one(const struct query *q, struct buf *b, uint32_t node, uint32_t i);
/* All inputs, with the separator between. */
void input_shapes_put(const struct query *q, struct buf *b, uint32_t node, const char *separator);

#endif
