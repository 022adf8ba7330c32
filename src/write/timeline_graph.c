/* The timeline of graph view: processes, events, flows, memory. */
#include "write/timeline.h"

#include "write/timeline_events.h"
#include "write/timeline_flow.h"
#include "write/timeline_memory.h"

static void put_processes(const struct timeline_events *e, struct json *j)
{
	for (size_t pid = 0; pid < e->by_pid.n; pid++) {
		const struct device *device = &e->events.devices.at.at[e->by_pid.at[pid]];

		chrome_put_process(j, (int64_t)pid,
			device->properties & DEVICE_STREAM ? "Op execution threads: "
							   : "Op scheduling threads: ",
			device->name, "");
	}
}

/* Names of the threads and streams that a trace has lines for. */
static void put_lanes(const struct timeline_events *e, struct json *j)
{
	const struct model *m = e->q->model;

	for (uint32_t i = 0; i < e->events.uses_lane.n; i++) {
		const struct exec_lane *lane = &m->execs.lanes.at[i];
		uint32_t device;

		if (!e->events.uses_lane.at[i])
			continue;
		device = devices_find(&e->events.devices, model_text(m, lane->device));
		chrome_put_thread(j, timeline_place(e, device, lane->number),
			model_text(m, lane->name));
	}
}

static enum tfprof_status put_events(struct timeline_events *e, struct json *j,
	struct tfprof_error *err)
{
	const struct event *event;
	size_t n = 0;

	event_sorter_rewind(&e->events);
	while ((event = event_sorter_next(&e->events)) != NULL) {
		struct span name = model_name(e->q->model, event->node);

		chrome_open_event(j, "X", "Op", name, timeline_place(e, event->device, event->lane),
			event->start_us);
		json_put_int(j, "dur", event->duration_us);
		chrome_open_args(j);
		json_put_string(j, "name", name);
		chrome_close_args(j);
		chrome_close_event(j);
		if (n++ % 1024 == 0 && query_cancelled(e->q))
			break;
	}
	return event_sorter_check(&e->events, err);
}

static enum tfprof_status put_all(struct timeline_events *e, struct json *j, struct buf *text,
	struct tfprof_error *err)
{
	enum tfprof_status status;

	chrome_open(j);
	put_processes(e, j);
	put_lanes(e, j);
	status = put_events(e, j, err);
	if (status == TFPROF_OK)
		status = timeline_flows_write(e, j, err);
	if (status == TFPROF_OK)
		status = timeline_memory_write(e, j, text, err);
	chrome_close(j);
	return status == TFPROF_OK ? query_check_cancelled(e->q, err) : status;
}

enum tfprof_status timeline_graph_write(struct query *q, struct sink *out, struct buf *text,
	struct tfprof_error *err)
{
	struct timeline_events events;
	struct json j = json_writer(out);
	enum tfprof_status status = timeline_events_init(&events, q, err);

	buf_text(text, "generating trace file.\n");
	if (status == TFPROF_OK)
		status = put_all(&events, &j, text, err);
	timeline_events_clear(&events);
	return status;
}
