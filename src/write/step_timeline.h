/* The Chrome trace of one step's statistics: what ran when, on which device,
 * and how data and memory moved. It shows the StepStats as they are, entry by
 * entry; the timeline of a profile's graph view is another one.
 *
 *     pid 0                    Allocators: a counter for each
 *     pid 1, 3, 5 …            a device's entries, laid out in lanes
 *     pid 2, 4, 6 …            the tensors it made
 *
 * The events are those of TensorFlow's own timeline module. Text that is not
 * UTF-8 shows as U+FFFD, and sums beyond 64 bits stay at the limit. */
#ifndef TFPROF_WRITE_STEP_TIMELINE_H
#define TFPROF_WRITE_STEP_TIMELINE_H

#include "base/sink.h"
#include "proto/decoder.h"

enum step_timeline_flags {
	STEP_TIMELINE_DATAFLOW = 1, /* arrows from producers to consumers */
	STEP_TIMELINE_MEMORY = 2,   /* tensors as objects, and the counters */
};

/* Write the step_stats of a RunMetadata, or a StepStats by itself, as one JSON
 * document. Failures of the sink are left for its commit to report. */
void step_timeline_write(struct decoder *d, struct span run_metadata, unsigned flags,
	struct sink *out);
void step_timeline_write_stats(struct decoder *d, struct span step_stats, unsigned flags,
	struct sink *out);

#endif
