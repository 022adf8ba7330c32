/* The timeline of a query as a Chrome trace, which Chrome's own viewer and
 * Perfetto open. Each view has its own kind:
 *
 *     graph         what ran when, on which device, lane by lane; arrows along
 *                   data flow between devices; memory of accelerators
 *     scope, code   a flame chart: a level for each depth, as wide as it takes
 *                   time
 *
 * Memory does not grow with the number of events: they are sorted through a
 * temporary file once they are many. */
#ifndef TFPROF_WRITE_TIMELINE_H
#define TFPROF_WRITE_TIMELINE_H

#include "write/writer.h"

/* Whether it is made for Perfetto, which takes tid 0 for the process's own
 * thread, counters for numbers and what is nested for a flame chart, and so
 * would lose some of what the original's events say. */
static inline bool timeline_is_for_perfetto(const struct query *q)
{
	return q->options->output.viewer == VIEWER_PERFETTO;
}

/* ---- the two kinds ------------------------------------------------------- */

/* The query has METRIC_MICROS; in graph view its step is one step. `text` gets a line for each
 * accelerator. Failures of the sink stay in it. */
enum tfprof_status timeline_graph_write(struct query *q, struct sink *out, struct buf *text,
	struct tfprof_error *err);
enum tfprof_status timeline_flame_write(struct query *q, struct sink *out,
	struct tfprof_error *err);

#endif
