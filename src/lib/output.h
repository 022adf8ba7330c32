/* Writing what a query found, in the way its options name. */
#ifndef TFPROF_LIB_OUTPUT_H
#define TFPROF_LIB_OUTPUT_H

#include "lib/result.h"
#include "query/query.h"

/* The metrics an output needs beyond those the options look at. */
unsigned output_metrics(const struct tfprof_options *o);

/* Why this query cannot have the output it asks for; nothing if it can. */
void output_refuse(const struct query *q, struct buf *why);

/* Graph timelines show one step each: without one, there is one for each. */
bool output_is_by_step(const struct query *q);

/* After query_run(). `frame`: options before and a line after a stdout report. */
enum tfprof_status output_write(struct query *q, tfprof_result *r, bool frame,
	struct tfprof_error *err);

#endif
