/* Rows of a tree as stacks with weights, for viewers of call stacks: the weight of a row is
 * its total less those of its shown children. */
#ifndef TFPROF_WRITE_STACK_ROWS_H
#define TFPROF_WRITE_STACK_ROWS_H

#include "write/writer.h"

/* The metric that is selected; N_METRICS unless exactly one word is, and it is a metric. */
enum metric stack_metric(const struct tfprof_options *o);
/* Refuses other views than scope and code, and several numbers. */
void stack_refuse(const struct query *q, const char *format, struct buf *why);
/* The weight of each row, in memory of the query; NULL on allocation failure. */
int64_t *stack_weights(struct query *q, enum metric metric);
/* The name of a row within its parent: of a scope, the last part. */
struct span stack_frame(const struct query *q, uint32_t row);

#endif
