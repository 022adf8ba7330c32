/* The memory part of a graph timeline: for each accelerator, what its
 * allocator had in use, and which nodes held most of that. */
#ifndef TFPROF_WRITE_TIMELINE_MEMORY_H
#define TFPROF_WRITE_TIMELINE_MEMORY_H

#include "write/chrome_trace.h"
#include "write/timeline_events.h"

/* `text` gets a line for each accelerator: its peak. */
enum tfprof_status timeline_memory_write(struct timeline_events *e, struct json *j,
	struct buf *text, struct tfprof_error *err);

#endif
