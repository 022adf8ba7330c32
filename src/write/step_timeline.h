/* The Chrome trace of one step's statistics: what ran when on which device, and how
 * data and memory moved. It shows the entries of StepStats as they are; the timeline
 * of graph view (timeline.h) is a different one.
 *
 *     pid 0                    Allocators: one counter each
 *     pid 1, 3, 5 …            a device's entries, laid out in lanes
 *     pid 2, 4, 6 …            the tensors it made
 *
 * The events are those of TensorFlow's own timeline module. Invalid UTF-8 becomes
 * U+FFFD, and sums saturate at 64 bits. */
#ifndef TFPROF_WRITE_STEP_TIMELINE_H
#define TFPROF_WRITE_STEP_TIMELINE_H

#include "base/sink.h"
#include "proto/decoder.h"

enum step_timeline_flags {
	STEP_TIMELINE_DATAFLOW = 1, /* arrows from producers to consumers */
	STEP_TIMELINE_MEMORY = 2,   /* tensors as objects, and counters */
};

/* Writes the step_stats of a RunMetadata as one JSON document. Failures of the sink are
 * reported at commit. */
void step_timeline_write(struct decoder *d, struct span run_metadata, unsigned flags,
	struct sink *out);

#endif
