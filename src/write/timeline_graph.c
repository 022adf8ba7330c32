/* The timeline of graph view: processes, events, flows, memory. */
#include "write/timeline.h"

#include "model/device.h"
#include "write/timeline_events.h"
#include "write/timeline_flow.h"
#include "write/timeline_memory.h"

static void put_processes(const struct timeline_events *e, struct json *j)
{
	for (size_t pid = 0; pid < e->by_pid.n; pid++) {
		struct span name = strings_get(&e->names, e->by_pid.at[pid]);

		chrome_put_process(j, (int64_t)pid,
			device_get_properties(name) & DEVICE_STREAM ? "Op execution threads: "
								    : "Op scheduling threads: ",
			name, "");
	}
}

static enum tfprof_status put_events(struct timeline_events *e, struct json *j,
	struct tfprof_error *err)
{
	struct timeline_cursor cursor;
	const struct timeline_event *event = &cursor.event;
	size_t n = 0;

	timeline_cursor_init(&cursor, e);
	while (timeline_cursor_next(&cursor)) {
		struct span name = model_name(e->q->model, event->node);

		chrome_open_event(j, "X", "Op", name, timeline_place(e, event->device, event->lane),
			event->start_us);
		json_put_int(j, "dur",
			(int64_t)((uint64_t)event->end_us - (uint64_t)event->start_us));
		chrome_open_args(j);
		json_put_string(j, "name", name);
		chrome_close_args(j);
		chrome_close_event(j);
		if (n++ % 1024 == 0 && query_cancelled(e->q))
			break;
	}
	return timeline_cursor_clear(&cursor, err);
}

static enum tfprof_status put_all(struct timeline_events *e, struct json *j, struct buf *text,
	struct tfprof_error *err)
{
	enum tfprof_status status;

	chrome_open(j);
	put_processes(e, j);
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
