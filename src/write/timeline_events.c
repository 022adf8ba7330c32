#include "write/timeline_events.h"

#include "base/sort.h"
#include "write/timeline.h"

struct run {
	uint32_t device, node, number;
	int64_t start_us, duration_us;
};

uint32_t timeline_exec(const struct query *q, uint32_t node)
{
	const struct model *m = q->model;
	uint32_t exec;

	/* A host goes with every device, unless a profile says otherwise. */
	if (!m->nodes.device[node] || !m->nodes.host_device[node])
		return NONE;
	exec = exec_find(m, node, q->options->number[OPT_STEP]);
	return exec != NONE && exec_get_extent(m, exec).start_us != 0 ? exec : NONE;
}

bool timeline_next_node(const struct query *q, uint32_t *row, uint32_t *node, uint32_t *exec)
{
	/* Row 0 is the root, which is no node. */
	while (++*row < q->n) {
		*node = q->tree->node[q->view[*row]];
		*exec = timeline_exec(q, *node);
		if (*exec != NONE)
			return true;
	}
	return false;
}

/* ---- collecting ---------------------------------------------------------- */

struct collector {
	struct timeline_events *events;
	uint32_t node, n_runs;
	VEC(uint32_t) fresh; /* devices that no node had before */
};

static uint32_t add_device(struct timeline_events *e, struct span name)
{
	uint32_t id = strings_add(&e->names, name);

	while (id != NONE && e->devices.n <= id)
		if (!vec_push(&e->devices, ((struct timeline_device){NONE, NONE, NONE})))
			return NONE;
	return id;
}

static bool collect_time(void *context, const struct exec_time *time)
{
	struct collector *c = context;
	struct timeline_events *e = c->events;
	struct run run = {add_device(e, time->device), c->node, c->n_runs++, time->start_us,
		time->duration_us};
	struct timeline_device *device;

	if (run.device == NONE)
		return false;
	device = &e->devices.at[run.device];
	if (device->pid == NONE && device->seen_by != c->node) {
		device->seen_by = c->node;
		if (!vec_push(&c->fresh, run.device))
			return false;
	}
	sorter_add(&e->runs, &run);
	return true;
}

/* Writes the places of `n` devices in order of their names to `order`. */
static bool order_devices(const struct timeline_events *e, const uint32_t *devices, size_t n,
	uint32_t *order)
{
	struct span *names = mem_array(n, sizeof(*names));
	bool fine = names != NULL;

	for (size_t i = 0; fine && i < n; i++)
		names[i] = strings_get(&e->names, devices[i]);
	fine = fine && sort_texts(names, order, n);
	mem_free(names);
	return fine;
}

/* Within a node, new devices get their pids in order of their names. */
static bool give_pids(struct collector *c)
{
	struct timeline_events *e = c->events;
	size_t n = c->fresh.n;
	uint32_t *order;
	bool fine;

	if (!n)
		return true;
	order = mem_array(n, sizeof(*order));
	fine = order && order_devices(e, c->fresh.at, n, order);
	for (size_t i = 0; fine && i < n; i++) {
		uint32_t device = c->fresh.at[order[i]];

		e->devices.at[device].pid = (uint32_t)e->by_pid.n;
		fine = vec_push(&e->by_pid, device);
	}
	mem_free(order);
	c->fresh.n = 0;
	return fine;
}

static bool give_ranks(struct timeline_events *e)
{
	size_t n = e->by_pid.n;
	uint32_t *order = mem_array(n, sizeof(*order));
	bool fine = order && order_devices(e, e->by_pid.at, n, order);

	for (size_t i = 0; fine && i < n; i++)
		e->devices.at[e->by_pid.at[order[i]]].rank = (uint32_t)i;
	mem_free(order);
	return fine;
}

static bool collect(struct timeline_events *e)
{
	struct collector c = {.events = e};
	struct exec_visitor visitor = {.time = collect_time, .context = &c};
	uint32_t row = 0, exec;
	bool fine = true;

	while (fine && timeline_next_node(e->q, &row, &c.node, &exec)) {
		c.n_runs = 0;
		fine = exec_visit(e->q->model, exec, &visitor) && give_pids(&c);
		if (row % 1024 == 0 && query_cancelled(e->q))
			break;
	}
	vec_clear(&c.fresh);
	return fine;
}

static int by_device_and_start(const void *a, const void *b)
{
	const struct run *x = a, *y = b;

	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	return (x->start_us > y->start_us) - (x->start_us < y->start_us);
}

enum tfprof_status timeline_events_init(struct timeline_events *e, struct query *q,
	struct tfprof_error *err)
{
	*e = (struct timeline_events){.q = q};
	sorter_init(&e->runs, sizeof(struct run), by_device_and_start, 0);
	if (!strings_init(&e->names) || !collect(e) || !give_ranks(e))
		return error_no_memory(err);
	return sorter_check(&e->runs, err);
}

void timeline_events_clear(struct timeline_events *e)
{
	strings_clear(&e->names);
	vec_clear(&e->devices);
	vec_clear(&e->by_pid);
	sorter_clear(&e->runs);
}

struct chrome_place timeline_place(const struct timeline_events *e, uint32_t device, uint32_t lane)
{
	return (struct chrome_place){e->devices.at[device].pid,
		(int64_t)lane + timeline_is_for_perfetto(e->q)};
}

uint32_t timeline_device(const struct timeline_events *e, struct span name)
{
	uint32_t id = strings_find(&e->names, name);

	return id != NONE && id < e->devices.n && e->devices.at[id].pid != NONE ? id : NONE;
}

/* ---- reading ------------------------------------------------------------- */

void timeline_cursor_init(struct timeline_cursor *c, struct timeline_events *e)
{
	*c = (struct timeline_cursor){.events = e};
	sorter_rewind(&e->runs);
}

bool timeline_cursor_next(struct timeline_cursor *c)
{
	struct timeline_event *e = &c->event;
	const struct run *run;

	/* The first to have a start time keeps it. */
	do {
		run = sorter_next(&c->events->runs);
		if (!run)
			return false;
	} while (c->any && run->device == e->device && run->start_us == e->start_us);
	if (!c->any || run->device != e->device)
		lanes_clear(&c->lanes);
	c->any = true;
	e->device = run->device;
	e->node = run->node;
	e->number = run->number;
	e->start_us = run->start_us;
	e->end_us = (int64_t)((uint64_t)run->start_us + (uint64_t)run->duration_us);
	/* A lane is free from the moment its last event ends. */
	e->lane = lanes_take(&c->lanes, e->start_us < INT64_MAX ? e->start_us + 1 : INT64_MAX,
		e->end_us);
	c->failed = e->lane == LANES_NONE;
	return !c->failed;
}

enum tfprof_status timeline_cursor_clear(struct timeline_cursor *c, struct tfprof_error *err)
{
	lanes_clear(&c->lanes);
	if (c->failed)
		return error_no_memory(err);
	return sorter_check(&c->events->runs, err);
}
