/* The arrows of a graph timeline: from each run of a node to the events of its
 * consumers on other devices. */
#ifndef TFPROF_WRITE_TIMELINE_FLOW_H
#define TFPROF_WRITE_TIMELINE_FLOW_H

#include "write/chrome_trace.h"
#include "write/timeline_events.h"

enum tfprof_status timeline_flows_write(struct timeline_events *e, struct json *j,
	struct tfprof_error *err);

#endif
