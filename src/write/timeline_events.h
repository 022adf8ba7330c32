/* The events of a graph timeline: the runs of shown nodes in a step, by device and
 * start, with distinct starts (model/events.h), and where viewers show them. */
#ifndef TFPROF_WRITE_TIMELINE_EVENTS_H
#define TFPROF_WRITE_TIMELINE_EVENTS_H

#include "model/events.h"
#include "query/query.h"
#include "write/chrome_trace.h"

struct timeline_device {
	uint32_t pid;  /* in order of first use */
	uint32_t rank; /* in order of names */
};

struct timeline_events {
	struct query *q;
	struct event_sorter events;
	VEC(struct timeline_device) devices; /* as in events */
	VEC(uint32_t) by_pid;
};

/* The exec of a node in the query's step if it is on the timeline, that is, has a
 * start time and a canonical device; otherwise NONE. */
uint32_t timeline_exec(const struct query *q, uint32_t node);

/* Iterates over the shown nodes that are on the timeline, in display order; false at
 * the end. Start with *row = 0. */
bool timeline_next_node(const struct query *q, uint32_t *row, uint32_t *node, uint32_t *exec);

/* Clear in any case. */
enum tfprof_status timeline_events_init(struct timeline_events *e, struct query *q,
	struct tfprof_error *err);
void timeline_events_clear(struct timeline_events *e);

/* Where viewers show a lane of a device. */
struct chrome_place timeline_place(const struct timeline_events *e, uint32_t device, uint32_t lane);

#endif
