/* The memory part of a graph timeline: for each accelerator, the bytes its allocator
 * had in use, and the nodes that held most of them. */
#ifndef TFPROF_WRITE_TIMELINE_MEMORY_H
#define TFPROF_WRITE_TIMELINE_MEMORY_H

#include "write/chrome_trace.h"
#include "write/timeline_events.h"

/* `text` gets one line per accelerator: its peak. */
enum tfprof_status timeline_memory_write(struct timeline_events *e, struct json *j,
	struct buf *text, struct tfprof_error *err);

#endif
