/* The timeline of a query as a Chrome trace, for Chrome's own viewer and Perfetto. Each
 * view has its own kind:
 *
 *     graph         what ran when on which device, in lanes; arrows along data flow
 *                   between devices; memory of accelerators
 *     op            what ran when, in lanes by operation type
 *     scope, code   a flame chart: one level per depth, bars as wide as their time
 *
 * Memory does not grow with the number of events: many events are sorted through a
 * temporary file. */
#ifndef TFPROF_WRITE_TIMELINE_H
#define TFPROF_WRITE_TIMELINE_H

#include "write/writer.h"

/* Whether the timeline is for Perfetto. It treats tid 0 as the process's main thread,
 * counters as numbers and nested events as a flame chart, and so would lose part of
 * what TensorFlow's events say. */
static inline bool timeline_is_for_perfetto(const struct query *q)
{
	return q->options->output.viewer == VIEWER_PERFETTO;
}

/* ---- the three kinds ----------------------------------------------------- */

/* The query must have METRIC_MICROS and, in graph and op view, a single step. `text` gets
 * one line per accelerator in graph view. Failures of the sink stick. */
enum tfprof_status timeline_graph_write(struct query *q, struct sink *out, struct buf *text,
	struct tfprof_error *err);
enum tfprof_status timeline_op_write(struct query *q, struct sink *out, struct buf *text,
	struct tfprof_error *err);
enum tfprof_status timeline_flame_write(struct query *q, struct sink *out,
	struct tfprof_error *err);

#endif
