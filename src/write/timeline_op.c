/* The timeline of op view: what ran in a step, by operation type. A shown type is a
 * process, in the order of the report; its lanes are those of each device it ran on:
 *
 *     MatMul    /cpu:0  ███    ██        more than one lane per device
 *               /cpu:0    ██             where runs overlap
 *               /gpu:0      █  █
 *     Conv2D    /cpu:0 █       █
 */
#include "base/spelling.h"
#include "write/timeline.h"

#include "write/timeline_events.h"

/* Where the runs of one type go. */
struct type_lanes {
	struct json *j;
	const struct event_sorter *events;
	int64_t pid;
	uint32_t device;   /* of the previous event */
	VEC(int64_t) tids; /* by lane of that device; 0: not used yet */
	int64_t last_tid;
};

static void add_nodes(struct event_sorter *events, const struct query *q, uint32_t view)
{
	struct row_nodes nodes = query_nodes(q, view);
	uint32_t step = model_find_step(q->model, q->options->number[OPT_STEP]);

	for (size_t i = 0; i < nodes.n; i++) {
		uint32_t exec =
			query_picks_node(q, nodes.at[i]) ? timeline_exec(q, nodes.at[i]) : NONE;

		if (exec != NONE)
			events_add_exec(events, q->model, nodes.at[i], step, exec);
	}
}

/* The thread of an event; 0 on allocation failure. Names a thread when it is first used. They
 * count from 1: Perfetto takes thread 0 for the process itself. */
static int64_t find_thread(struct type_lanes *l, const struct event *event)
{
	if (event->device != l->device)
		l->tids.n = 0;
	l->device = event->device;
	while (l->tids.n <= event->lane)
		if (!vec_push(&l->tids, 0))
			return 0;
	if (!l->tids.at[event->lane]) {
		l->tids.at[event->lane] = ++l->last_tid;
		chrome_put_thread(l->j, (struct chrome_place){l->pid, l->last_tid},
			l->events->devices.at.at[event->device].name);
	}
	return l->tids.at[event->lane];
}

static bool put_event(struct type_lanes *l, const struct query *q, struct span type,
	const struct event *event)
{
	struct chrome_place place = {l->pid, find_thread(l, event)};
	struct span name = model_name(q->model, event->node);

	if (!place.tid)
		return false;
	chrome_open_event(l->j, "X", "Op", name, place, event->start_us);
	json_put_int(l->j, "dur", event->duration_us);
	chrome_open_args(l->j);
	json_put_string(l->j, "name", name);
	json_put_string(l->j, "op", type);
	chrome_close_args(l->j);
	chrome_close_event(l->j);
	return true;
}

static enum tfprof_status put_type(const struct query *q, uint32_t row, struct json *j,
	struct tfprof_error *err)
{
	struct span type = tree_label(q->tree, q->view[row]);
	struct event_sorter events;
	struct type_lanes lanes = {.j = j, .events = &events, .pid = row};
	const struct event *event;
	enum tfprof_status status;
	bool ok = true;

	event_sorter_init(&events, EVENTS_BY_DEVICE, EVENTS_VALID, 0);
	add_nodes(&events, q, q->view[row]);
	if (events.n)
		chrome_put_process(j, row, "", type, "");
	event_sorter_rewind(&events);
	while (ok && (event = event_sorter_next(&events)) != NULL)
		ok = put_event(&lanes, q, type, event);
	status = ok ? event_sorter_check(&events, err) : error_no_memory(err);
	event_sorter_clear(&events);
	vec_clear(&lanes.tids);
	return status;
}

enum tfprof_status timeline_op_write(struct query *q, struct sink *out, struct buf *text,
	struct tfprof_error *err)
{
	struct json j = json_writer(out);
	enum tfprof_status status = TFPROF_OK;

	if (q->options->number[OPT_STEP] < 0)
		return error_set(err, TFPROF_ARGUMENT,
			"a timeline of op view shows one step: choose it with %s",
			SETTING("step", ""));
	buf_text(text, "generating trace file.\n");
	chrome_open(&j);
	for (uint32_t row = 1; status == TFPROF_OK && row < q->n && !query_cancelled(q); row++)
		status = put_type(q, row, &j, err);
	chrome_close(&j);
	return status == TFPROF_OK ? query_check_cancelled(q, err) : status;
}
