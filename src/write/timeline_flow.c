/* At first, only the times and devices of a flow's ends are known. Its lanes come from
 * joining flows with events, once in producer order and once in consumer order; a flow
 * without matching events is dropped. Then flows are numbered in their final order:
 *
 *     flows --by producer--> + lane --by consumer--> + lane --in order--> ids
 */
#include "write/timeline_flow.h"

#include "write/timeline.h"

/* One end of a flow. */
struct end {
	uint32_t device, lane;
	int64_t time_us; /* start of the event */
};

struct flow {
	struct end from, to;
	int64_t leaves_us;
	int32_t position;       /* among the consumer's inputs */
	uint32_t node;          /* of the event where it begins */
	uint32_t consumer, run; /* of the event where it ends */
	uint32_t from_pid, to_rank;
};

#define COMPARE(a, b)                              \
	do {                                       \
		if ((a) != (b))                    \
			return (a) < (b) ? -1 : 1; \
	} while (0)

static int by_producer(const void *a, const void *b)
{
	const struct flow *x = a, *y = b;

	COMPARE(x->from.device, y->from.device);
	COMPARE(x->from.time_us, y->from.time_us);
	return 0;
}

static int by_consumer(const void *a, const void *b)
{
	const struct flow *x = a, *y = b;

	COMPARE(x->to.device, y->to.device);
	COMPARE(x->to.time_us, y->to.time_us);
	return 0;
}

static int by_place(const void *a, const void *b)
{
	const struct flow *x = a, *y = b;

	COMPARE(x->from_pid, y->from_pid);
	COMPARE(x->from.lane, y->from.lane);
	COMPARE(x->from.time_us, y->from.time_us);
	COMPARE(x->to_rank, y->to_rank);
	COMPARE(x->to.time_us, y->to.time_us);
	COMPARE(x->position, y->position);
	return 0;
}

/* ---- finding flows ------------------------------------------------------- */

struct finder {
	struct timeline_events *events;
	struct sorter *flows;
	struct exec_visitor producers;
	struct flow flow;     /* as far as known */
	struct span from, to; /* canonical devices of the two nodes */
	uint32_t n_runs;      /* of the consumer, so far */
};

/* Visits a run of an input. */
static bool find_producer(void *context, const struct exec_time *time)
{
	struct finder *f = context;

	if (span_equal(time->device, f->from)) {
		f->flow.from.time_us = time->start_us;
		sorter_add(f->flows, &f->flow);
	}
	return true;
}

static void find_from_input(struct finder *f, const struct edge *edge)
{
	struct query *q = f->events->q;
	const struct model *m = q->model;
	uint32_t producer = model_node_of(m, edge->source), exec;

	if (producer == NONE || m->nodes.device[producer] == m->nodes.device[f->flow.consumer] ||
		!query_picks_node(q, producer))
		return;
	exec = timeline_exec(q, producer);
	if (exec == NONE)
		return;
	f->from = model_text(m, m->nodes.device[producer]);
	f->flow.from.device = devices_find(&f->events->events.devices, f->from);
	if (f->flow.from.device == NONE)
		return;
	f->flow.position = edge->position;
	exec_visit(m, exec, &f->producers);
}

/* Visits a run of a consumer. */
static bool find_consumer(void *context, const struct exec_time *time)
{
	struct finder *f = context;
	const struct model *m = f->events->q->model;
	uint32_t first = m->nodes.first_edge[f->flow.consumer];

	f->flow.run = f->n_runs++;
	if (!span_equal(time->device, f->to))
		return true;
	f->flow.to.time_us = time->start_us;
	for (uint32_t i = 0; i < m->nodes.n_edges[f->flow.consumer]; i++)
		find_from_input(f, &m->edges.at[first + i]);
	return !query_cancelled(f->events->q);
}

static void find(struct timeline_events *e, struct sorter *flows)
{
	struct finder f = {.events = e, .flows = flows};
	struct exec_visitor consumers = {.time = find_consumer, .context = &f};
	const struct model *m = e->q->model;
	uint32_t row = 0, exec;

	f.producers = (struct exec_visitor){.time = find_producer, .context = &f};
	while (timeline_next_node(e->q, &row, &f.flow.consumer, &exec) && !query_cancelled(e->q)) {
		f.to = model_text(m, m->nodes.device[f.flow.consumer]);
		f.flow.to.device = devices_find(&e->events.devices, f.to);
		f.n_runs = 0;
		if (f.flow.to.device != NONE)
			exec_visit(m, exec, &consumers);
	}
}

/* ---- joining with events ------------------------------------------------- */

static struct end end_at(const struct event *event)
{
	return (struct end){event->device, event->lane, event->start_us};
}

static bool end_before(const struct end *a, const struct end *b)
{
	return a->device != b->device ? a->device < b->device : a->time_us < b->time_us;
}

/* Completes each flow with the event at one of its ends, and passes it on. */
static enum tfprof_status join_events(struct timeline_events *e, struct sorter *in,
	struct sorter *out, bool producers, struct tfprof_error *err)
{
	const struct event *event;
	enum tfprof_status status;
	const struct flow *next;

	event_sorter_rewind(&e->events);
	event = event_sorter_next(&e->events);
	sorter_rewind(in);
	while (event && (next = sorter_next(in)) != NULL) {
		struct flow flow = *next;
		struct end *end = producers ? &flow.from : &flow.to, here = end_at(event);

		while (end_before(&here, end) && (event = event_sorter_next(&e->events)) != NULL)
			here = end_at(event);
		if (!event || end_before(end, &here))
			continue;
		*end = here;
		if (producers) {
			flow.leaves_us = event_end(event);
			flow.node = event->node;
			flow.from_pid = e->devices.at[end->device].pid;
		} else if (event->node != flow.consumer || event->run != flow.run) {
			continue;
		}
		flow.to_rank = e->devices.at[flow.to.device].rank;
		sorter_add(out, &flow);
	}
	status = event_sorter_check(&e->events, err);
	return status == TFPROF_OK ? sorter_check(in, err) : status;
}

/* ---- writing ------------------------------------------------------------- */

static void put_end(const struct timeline_events *e, struct json *j, const char *phase,
	struct span name, const struct end *end, int64_t time_us, int64_t id)
{
	chrome_open_event(j, phase, "DataFlow", name, timeline_place(e, end->device, end->lane),
		time_us);
	json_put_int(j, "id", id);
	if (*phase == 'f')
		json_put_text(j, "bp", "e");
	chrome_close_event(j);
}

static enum tfprof_status put_flows(struct timeline_events *e, struct sorter *flows, struct json *j,
	struct tfprof_error *err)
{
	/* Perfetto wants both ends inside their events. */
	bool perfetto = timeline_is_for_perfetto(e->q);
	struct buf name = {0};
	const struct flow *flow;
	enum tfprof_status status;
	int64_t id = 0;

	sorter_rewind(flows);
	while ((flow = sorter_next(flows)) != NULL && !name.failed && !query_cancelled(e->q)) {
		id++;
		name.n = 0;
		buf_span(&name, model_name(e->q->model, flow->node));
		buf_text(&name, "_flow");
		put_end(e, j, "s", buf_get(&name), &flow->from,
			perfetto ? flow->from.time_us : flow->leaves_us, id);
		put_end(e, j, perfetto ? "f" : "t", buf_get(&name), &flow->to, flow->to.time_us,
			id);
	}
	status = name.failed ? error_no_memory(err) : sorter_check(flows, err);
	buf_clear(&name);
	return status;
}

enum tfprof_status timeline_flows_write(struct timeline_events *e, struct json *j,
	struct tfprof_error *err)
{
	struct sorter found, begun, whole;
	enum tfprof_status status;

	sorter_init(&found, sizeof(struct flow), by_producer, 0);
	sorter_init(&begun, sizeof(struct flow), by_consumer, 0);
	sorter_init(&whole, sizeof(struct flow), by_place, 0);
	find(e, &found);
	status = join_events(e, &found, &begun, true, err);
	sorter_clear(&found);
	if (status == TFPROF_OK)
		status = join_events(e, &begun, &whole, false, err);
	sorter_clear(&begun);
	if (status == TFPROF_OK)
		status = put_flows(e, &whole, j, err);
	sorter_clear(&whole);
	return status;
}
