/* The events of a graph timeline: what the shown nodes ran, by device and
 * start, each start once, laid out in lanes.
 *
 *     nodes, as shown --runs--> sorter --by device, start--> cursor --> lane
 *
 * A cursor reads them in order, as often as needed, and finds the same lanes
 * each time, so that nothing has to be kept for an event. */
#ifndef TFPROF_WRITE_TIMELINE_EVENTS_H
#define TFPROF_WRITE_TIMELINE_EVENTS_H

#include "base/sorter.h"
#include "write/chrome_trace.h"
#include "write/lanes.h"
#include "query/query.h"

struct timeline_device {
	uint32_t pid;     /* in order of first use */
	uint32_t rank;    /* in order of names */
	uint32_t seen_by; /* the last node that had it */
};

struct timeline_events {
	struct query *q;
	struct strings names;                /* of devices: ids … */
	VEC(struct timeline_device) devices; /* … into these (0 is the empty name) */
	VEC(uint32_t) by_pid;
	struct sorter runs;
};

struct timeline_event {
	uint32_t device;
	uint32_t node;
	uint32_t number; /* among the runs of its node */
	uint32_t lane;
	int64_t start_us, end_us;
};

/* The exec of a node in the query's step if it has a place on the timeline: a
 * start time and a canonical device. NONE if not. */
uint32_t timeline_exec(const struct query *q, uint32_t node);

/* The i-th shown graph node with a place, walked in the order they are shown;
 * false behind the last. Start with *row = 0. */
bool timeline_next_node(const struct query *q, uint32_t *row, uint32_t *node, uint32_t *exec);

/* To be cleared in any case. */
enum tfprof_status timeline_events_init(struct timeline_events *e, struct query *q,
	struct tfprof_error *err);
void timeline_events_clear(struct timeline_events *e);

/* Where viewers show a lane of a device. */
struct chrome_place timeline_place(const struct timeline_events *e, uint32_t device, uint32_t lane);

/* The device of a name, NONE if nothing ran on it. */
uint32_t timeline_device(const struct timeline_events *e, struct span name);

struct timeline_cursor {
	struct timeline_events *events;
	struct lanes lanes; /* of the device it is at */
	struct timeline_event event;
	bool any;
	bool failed; /* memory is out */
};

/* Only one cursor at a time. */
void timeline_cursor_init(struct timeline_cursor *c, struct timeline_events *e);
/* The next event; false at the end, or when something failed. */
bool timeline_cursor_next(struct timeline_cursor *c);
enum tfprof_status timeline_cursor_clear(struct timeline_cursor *c, struct tfprof_error *err);

#endif
