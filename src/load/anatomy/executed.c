/* The anatomy of steps that run metadata recorded: when each operation ran on which device, and
 * nothing else. A step is one session.run(), from the first start to the last end:
 *
 *     stream:all, CPU operations   compute         what is alive first in this order
 *     collectives                  communication   is the part
 *     /memcpy                      copy
 *     Iterator…GetNext, Dequeue    input
 *     PyFunc                       callback
 *     host side of GPU operations  dispatch
 *     _Recv, _Send, RecvTensor     runtime: they wait
 *     nothing                      runtime
 *
 * Where the times of tasks have nothing in common, their clocks differ: then the step is that of
 * the task that takes longest. */
#include <stdlib.h>

#include "base/sort.h"
#include "load/anatomy/anatomy.h"
#include "load/anatomy/names.h"
#include "model/events.h"
#include "model/executed.h"
#include "model/model.h"
#include "model/transfer.h"

/* In order of precedence. */
static const enum anatomy_part classes[] = {ANATOMY_COMPUTE, ANATOMY_COMMUNICATION, ANATOMY_COPY,
	ANATOMY_INPUT, ANATOMY_CALLBACK, ANATOMY_DISPATCH, ANATOMY_RUNTIME};

enum { N_CLASSES = sizeof(classes) / sizeof(*classes), PS_PER_US = 1000000 };

/* Longer ones do not fit picoseconds: damage, or clocks that were set. */
#define MOST_STEP_US ((int64_t)1000000000000)

/* What ran: times are of the clock of its task. */
struct piece {
	int64_t start_us, end_us;
	uint32_t task, node;
	uint32_t class;
};

/* What moved data, by kind: these are not nodes. */
static const struct span transfer_names[] = {[TRANSFER_TENSOR] = {"RecvTensor", 10},
	[TRANSFER_TO_DEVICE] = {"copy to a device", 16},
	[TRANSFER_TO_HOST] = {"copy to the host", 16},
	[TRANSFER_ON_DEVICE] = {"copy on a device", 16},
	[TRANSFER_COPY] = {"copy", 4}};

enum { N_TRANSFERS = sizeof(transfer_names) / sizeof(*transfer_names) };

/* What operations of one type got. */
struct type_time {
	uint32_t op; /* a string; beyond the last one, a kind of transfer */
	double us[N_CLASSES];
};

struct reading {
	const struct model *m;
	struct anatomy *to;
	struct event_sorter events;
	bool has_streams, has_all_streams;
	VEC(struct piece) pieces; /* of one step */
	struct piece *tasks;      /* by task: from when until when it ran */
	VEC(struct type_time) types;
	uint32_t *type_of; /* by string, + 1; 0: none yet */
};

/* ---- classes ------------------------------------------------------------------------- */

static uint32_t find_class(enum anatomy_part part)
{
	uint32_t i = 0;

	while (i < N_CLASSES && classes[i] != part)
		i++;
	return i;
}

/* Nodes of events beyond the last one are kinds of transfers. */
static bool is_transfer(const struct reading *r, uint32_t node)
{
	return node >= r->m->nodes.n;
}

static uint32_t op_of(const struct reading *r, uint32_t node)
{
	return is_transfer(r, node) ? (uint32_t)(r->m->strings.text.n + (node - r->m->nodes.n))
				    : model_op(r->m, node);
}

static struct span op_text(const struct reading *r, uint32_t op)
{
	return op >= r->m->strings.text.n ? transfer_names[op - r->m->strings.text.n]
					  : model_text(r->m, op);
}

/* N_CLASSES: it runs other operations, which count themselves, or it repeats others. */
static uint32_t class_of(const struct reading *r, const struct event *e)
{
	const struct device *device = &r->events.devices.at.at[e->device];
	unsigned class;

	if (is_transfer(r, e->node))
		return find_class(e->node - r->m->nodes.n == TRANSFER_TENSOR ? ANATOMY_RUNTIME
									     : ANATOMY_COPY);
	class = class_of_type(model_text(r->m, model_op(r->m, e->node)));
	if (device->kind == DEVICE_KIND_COPY_ENGINE)
		return find_class(ANATOMY_COPY);
	if (device->kind == DEVICE_KIND_STREAM)
		return r->has_all_streams && !(device->properties & DEVICE_STREAM_ALL)
			? N_CLASSES
			: find_class(class == ANATOMY_COMMUNICATION ? class : ANATOMY_COMPUTE);
	if (class == ANATOMY_RUNTIME)
		return N_CLASSES;
	if (class == WORK_WAIT || device->kind == DEVICE_KIND_NETWORK)
		return find_class(ANATOMY_RUNTIME);
	if (class == ANATOMY_COMPUTE && device->kind == DEVICE_KIND_ACCELERATOR && r->has_streams)
		return find_class(ANATOMY_DISPATCH);
	return find_class((enum anatomy_part) class);
}

static void find_streams(struct reading *r)
{
	for (size_t i = 0; i < r->events.devices.at.n; i++) {
		const struct device *device = &r->events.devices.at.at[i];

		r->has_streams |= device->kind == DEVICE_KIND_STREAM;
		r->has_all_streams |= (device->properties & DEVICE_STREAM_ALL) != 0;
	}
}

/* ---- one step ------------------------------------------------------------------------ */

/* What a class has while the sweep is at a time. */
struct alive {
	size_t n;
	double share; /* that each operation alive got so far */
};

static struct type_time *type_of(struct reading *r, uint32_t op)
{
	if (!r->type_of[op]) {
		if (!vec_push(&r->types, ((struct type_time){.op = op})))
			return NULL;
		r->type_of[op] = (uint32_t)r->types.n;
	}
	return &r->types.at[r->type_of[op] - 1];
}

static int by_start(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;

	return (x->start_us > y->start_us) - (x->start_us < y->start_us);
}

/* From when until when each task ran, by start. Returns how many ran. */
static size_t find_tasks(struct reading *r)
{
	size_t n = 0, n_tasks = r->events.devices.tasks.n;

	for (size_t i = 0; i < n_tasks; i++)
		r->tasks[i] = (struct piece){INT64_MAX, INT64_MIN, (uint32_t)i, 0, 0};
	for (size_t i = 0; i < r->pieces.n; i++) {
		const struct piece *piece = &r->pieces.at[i];
		struct piece *task = &r->tasks[piece->task];

		if (piece->start_us < task->start_us)
			task->start_us = piece->start_us;
		if (piece->end_us > task->end_us)
			task->end_us = piece->end_us;
	}
	for (size_t i = 0; i < n_tasks; i++)
		if (r->tasks[i].end_us >= r->tasks[i].start_us)
			r->tasks[n++] = r->tasks[i];
	qsort(r->tasks, n, sizeof(*r->tasks), by_start);
	return n;
}

/* From when until when the step ran. If the times of tasks have nothing in common, their clocks
 * differ: then only the task that takes longest is kept. */
static struct piece choose_tasks(struct reading *r)
{
	size_t n = find_tasks(r), n_kept = 0;
	struct piece all = r->tasks[0], longest = r->tasks[0];
	bool is_one = true;

	for (size_t i = 1; i < n; i++) {
		is_one &= r->tasks[i].start_us <= all.end_us;
		if (r->tasks[i].end_us > all.end_us)
			all.end_us = r->tasks[i].end_us;
		if (r->tasks[i].end_us - r->tasks[i].start_us > longest.end_us - longest.start_us)
			longest = r->tasks[i];
	}
	for (size_t i = 0; i < r->pieces.n; i++)
		if ((is_one || r->pieces.at[i].task == longest.task) &&
			r->pieces.at[i].class < N_CLASSES)
			r->pieces.at[n_kept++] = r->pieces.at[i];
	r->pieces.n = n_kept;
	return is_one ? all : longest;
}

/* Adds the time from one edge to the next to the first class that is alive. */
static void advance(struct anatomy_step *step, struct alive *alive, int64_t us)
{
	bool is_hidden = false;

	for (unsigned c = 0; c < N_CLASSES; c++) {
		if (!alive[c].n)
			continue;
		if (is_hidden) {
			step->hidden[classes[c]] += us * PS_PER_US;
			continue;
		}
		is_hidden = true;
		step->parts[classes[c]] += us * PS_PER_US;
		alive[c].share += (double)us / (double)alive[c].n;
	}
	if (!is_hidden)
		step->parts[ANATOMY_RUNTIME] += us * PS_PER_US;
}

/* Starts and ends in the order of time: id is 2 × piece, + 1 if it ends. */
static struct sort_item *sort_edges(const struct reading *r)
{
	size_t n = 2 * r->pieces.n;
	struct sort_item *items = mem_array(2 * n + 1, sizeof(*items));

	for (size_t i = 0; items && i < r->pieces.n; i++) {
		items[2 * i] = (struct sort_item){sort_key_ascending(r->pieces.at[i].start_us),
			(uint32_t)(2 * i)};
		items[2 * i + 1] = (struct sort_item){sort_key_ascending(r->pieces.at[i].end_us),
			(uint32_t)(2 * i + 1)};
	}
	if (items)
		sort_items(items, items + n, n);
	return items;
}

static bool sweep(struct reading *r, struct anatomy_step *step, int64_t start_us, int64_t end_us)
{
	struct alive alive[N_CLASSES] = {0};
	struct sort_item *edges = sort_edges(r);
	double *entered = mem_array(r->pieces.n + 1, sizeof(*entered));
	int64_t at_us = start_us;
	bool ok = edges && entered;

	for (size_t i = 0; ok && i < 2 * r->pieces.n; i++) {
		size_t id = edges[i].id / 2;
		const struct piece *piece = &r->pieces.at[id];
		struct alive *class = &alive[piece->class];
		int64_t time_us = edges[i].id % 2 ? piece->end_us : piece->start_us;
		struct type_time *type;

		advance(step, alive, time_us - at_us);
		at_us = time_us;
		if (edges[i].id % 2 == 0) {
			class->n++;
			entered[id] = class->share;
			continue;
		}
		class->n--;
		type = type_of(r, op_of(r, piece->node));
		ok = type;
		if (type)
			type->us[piece->class] += class->share - entered[id];
	}
	if (ok)
		advance(step, alive, end_us - at_us);
	mem_free(edges);
	mem_free(entered);
	return ok;
}

static int by_size(const void *a, const void *b)
{
	const struct anatomy_cause *x = a, *y = b;

	return (x->ps < y->ps) - (x->ps > y->ps);
}

/* What the types got, largest first, and resets it. */
static bool list_causes(struct reading *r, struct anatomy_step *step)
{
	struct anatomy_causes *to = &step->causes;
	int64_t named_ps = 0;

	to->at = arena_alloc(&r->to->arena,
		(r->types.n * N_CLASSES + 1) * sizeof(struct anatomy_cause));
	if (!to->at)
		return false;
	for (size_t i = 0; i < r->types.n; i++) {
		struct type_time *type = &r->types.at[i];
		struct span op = op_text(r, type->op);

		for (unsigned c = 0; c < N_CLASSES; c++) {
			int64_t ps = (int64_t)(type->us[c] * PS_PER_US + 0.5);

			if (ps > 0)
				to->at[to->n++] = (struct anatomy_cause){classes[c], op, ps};
			if (ps > 0 && classes[c] == ANATOMY_RUNTIME)
				named_ps += ps;
		}
		r->type_of[type->op] = 0;
	}
	r->types.n = 0;
	if (step->parts[ANATOMY_RUNTIME] - named_ps >= PS_PER_US)
		to->at[to->n++] = (struct anatomy_cause){ANATOMY_RUNTIME,
			SPAN("between operations"), step->parts[ANATOMY_RUNTIME] - named_ps};
	if (to->n)
		qsort(to->at, to->n, sizeof(*to->at), by_size);
	return true;
}

static bool finish_step(struct reading *r, uint32_t place)
{
	struct anatomy_step step = {.number = r->m->steps.at[place]};
	struct piece ran;

	if (!r->pieces.n)
		return true;
	ran = choose_tasks(r);
	if (ran.end_us - ran.start_us > MOST_STEP_US || r->pieces.n >= UINT32_MAX / 2) {
		r->pieces.n = 0;
		return true;
	}
	step.wall_ps = (ran.end_us - ran.start_us) * PS_PER_US;
	if (!sweep(r, &step, ran.start_us, ran.end_us) || !list_causes(r, &step))
		return false;
	r->pieces.n = 0;
	return vec_push(&r->to->steps, step);
}

/* ---- all of them --------------------------------------------------------------------- */

static bool add_event(struct reading *r, const struct event *e)
{
	return vec_push(&r->pieces,
		((struct piece){e->start_us, event_end(e), r->events.devices.at.at[e->device].task,
			e->node, class_of(r, e)}));
}

static bool read_steps(struct reading *r)
{
	const struct event *e;
	uint32_t place = NONE;
	bool ok = true;

	event_sorter_rewind(&r->events);
	while (ok && (e = event_sorter_next(&r->events))) {
		if (place != NONE && e->step != place)
			ok = finish_step(r, place);
		place = e->step;
		ok = ok && add_event(r, e);
	}
	if (ok && place != NONE)
		ok = finish_step(r, place);
	return ok && anatomy_find_steady(r->to);
}

static bool add_transfers(struct reading *r)
{
	for (size_t i = 0; i < r->m->transfers.n; i++) {
		const struct transfer *t = &r->m->transfers.at[i];
		uint32_t device = devices_add(&r->events.devices, model_text(r->m, t->device));
		struct event e = {.step = model_find_step(r->m, t->step), .device = device};
		struct transfer_entry entry;

		if (device == NONE)
			return false;
		entry = transfer_read(t->stats,
			r->events.devices.at.at[device].kind == DEVICE_KIND_COPY_ENGINE);
		if (e.step == NONE || entry.start_us <= 0 || entry.end_us < entry.start_us)
			continue;
		e.node = (uint32_t)r->m->nodes.n + entry.kind;
		e.start_us = entry.start_us;
		e.duration_us = entry.end_us - entry.start_us;
		events_add(&r->events, &e);
	}
	return true;
}

enum tfprof_status anatomy_read_runs(struct anatomy *a, const struct model *m,
	struct tfprof_error *err)
{
	struct reading r = {.m = m, .to = a};
	enum tfprof_status status;
	bool ok;

	a->by = ANATOMY_BY_RUNS;
	r.type_of = mem_zero_array(m->strings.text.n + N_TRANSFERS, sizeof(*r.type_of));
	event_sorter_init(&r.events, EVENTS_BY_STEP, EVENTS_VALID, SIZE_MAX);
	events_add_model(&r.events, m, EVENTS_ALL_STEPS);
	ok = add_transfers(&r);
	find_streams(&r);
	r.tasks = mem_array(r.events.devices.tasks.n + 1, sizeof(*r.tasks));
	status = event_sorter_check(&r.events, err);
	if (status == TFPROF_OK && (!ok || !r.type_of || !r.tasks || !read_steps(&r)))
		status = error_no_memory(err);
	if (status == TFPROF_OK)
		status = event_sorter_check(&r.events, err);
	event_sorter_clear(&r.events);
	vec_clear(&r.pieces);
	vec_clear(&r.types);
	mem_free(r.tasks);
	mem_free(r.type_of);
	return status;
}
