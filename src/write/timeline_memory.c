/* Readings of the allocator and changes of what nodes hold are two streams sorted by
 * (device, time), read together:
 *
 *     reading ──> used, if the last one used is old enough ──> two counters
 *        │                                        ↑
 *     changes strictly before it ──> ranking of the nodes
 */
#include "write/timeline_memory.h"

#include <stdio.h>

#include "base/clamped.h"
#include "base/sort.h"
#include "base/sorter.h"
#include "write/ranking.h"
#include "write/timeline.h"

enum { MIN_DISTANCE_US = 100, MAX_SHOWN = 10 };

/* Instead of an index: a device not seen yet, or not an accelerator. */
#define UNSEEN UINT32_MAX
#define NO_PLACE (UINT32_MAX - 1)

struct reading {
	uint32_t device; /* index in the list of accelerators */
	int64_t time_us, bytes;
};

struct change {
	uint32_t device, node;
	int64_t time_us, bytes;
};

struct memory {
	struct timeline_events *events;
	struct json *j;
	struct buf *text;
	VEC(uint32_t) devices; /* string ids of the accelerators */
	uint32_t *place_of;    /* string id → index in that list, or UNSEEN or NO_PLACE */
	struct sorter readings, changes;
	/* Nodes that hold memory, by name. */
	VEC(uint32_t) holders;
	uint32_t *holder_of; /* node → index in that list */
	struct ranking ranking;
};

static int by_time(uint32_t device_a, int64_t a, uint32_t device_b, int64_t b)
{
	if (device_a != device_b)
		return device_a < device_b ? -1 : 1;
	return (a > b) - (a < b);
}

static int compare_readings(const void *a, const void *b)
{
	const struct reading *x = a, *y = b;

	return by_time(x->device, x->time_us, y->device, y->time_us);
}

static int compare_changes(const void *a, const void *b)
{
	const struct change *x = a, *y = b;

	return by_time(x->device, x->time_us, y->device, y->time_us);
}

/* ---- collecting ---------------------------------------------------------- */

struct collector {
	struct memory *memory;
	uint32_t device, node;
	int64_t persistent, persistent_of_step;
	bool holds;
};

static bool collect_reading(void *context, const struct exec_memory *memory)
{
	struct collector *c = context;
	struct reading reading = {c->device, memory->micros, memory->allocator_bytes_in_use};

	if (memory->micros > 0)
		sorter_add(&c->memory->readings, &reading);
	return true;
}

static bool collect_allocation(void *context, const struct exec_allocation *allocation)
{
	struct collector *c = context;
	struct change change = {c->device, c->node, allocation->micros, allocation->bytes};

	sorter_add(&c->memory->changes, &change);
	c->holds = true;
	return true;
}

static bool add_persistent(void *context, const struct exec_memory *memory)
{
	struct collector *c = context;

	c->persistent_of_step += memory->accelerator_persistent_bytes;
	return true;
}

/* The maximum over all steps. */
static void collect_persistent(struct collector *c, const struct model *m)
{
	struct exec_visitor visitor = {.memory = add_persistent, .context = c};
	struct change change = {c->device, c->node, 0, 0};

	for (uint32_t row = m->nodes.first_exec[c->node]; row != NONE;
		row = exec_at(&m->execs, row)->next) {
		c->persistent_of_step = 0;
		exec_visit(m, row, &visitor);
		if (c->persistent_of_step > change.bytes)
			change.bytes = c->persistent_of_step;
	}
	if (change.bytes) {
		sorter_add(&c->memory->changes, &change);
		c->holds = true;
	}
}

static bool collect_node(struct memory *y, uint32_t node, uint32_t exec)
{
	const struct model *m = y->events->q->model;
	struct collector c = {.memory = y, .node = node};
	struct exec_visitor visitor = {.memory = collect_reading,
		.allocation = collect_allocation,
		.context = &c};

	c.device = y->place_of[m->nodes.device[node]];
	collect_persistent(&c, m);
	exec_visit(m, exec, &visitor);
	return !c.holds || vec_push(&y->holders, node);
}

/* Finds the accelerators, in name order. */
static bool find_devices(struct memory *y)
{
	struct query *q = y->events->q;
	const struct model *m = q->model;
	uint32_t row = 0, node, exec, *order;
	VEC(struct span) names = {0};
	VEC(uint32_t) ids = {0};
	bool ok = true;

	y->place_of = arena_array(&q->arena, m->strings.text.n, sizeof(*y->place_of));
	if (!y->place_of)
		return false;
	memset(y->place_of, 0xff, m->strings.text.n * sizeof(*y->place_of));
	while (ok && timeline_next_node(q, &row, &node, &exec)) {
		uint32_t id = m->nodes.device[node];
		struct span name = model_text(m, id);

		if (y->place_of[id] != UNSEEN)
			continue;
		y->place_of[id] = NO_PLACE;
		if (!(device_get_properties(name) & DEVICE_CPU))
			ok = vec_push(&names, name) && vec_push(&ids, id);
	}
	order = mem_array(names.n, sizeof(*order));
	ok = ok && order && sort_texts(names.at, order, names.n);
	for (size_t i = 0; ok && i < names.n; i++) {
		y->place_of[ids.at[order[i]]] = (uint32_t)i;
		ok = vec_push(&y->devices, ids.at[order[i]]);
	}
	mem_free(order);
	vec_clear(&names);
	vec_clear(&ids);
	return ok;
}

/* Sorts holders by name, and maps nodes to them. */
static bool order_holders(struct memory *y)
{
	struct query *q = y->events->q;
	const struct model *m = q->model;
	size_t n = y->holders.n;
	struct span *names = mem_array(n, sizeof(*names));
	uint32_t *order = mem_array(n, sizeof(*order)), *sorted = mem_array(n, sizeof(*sorted));
	bool ok = names && order && sorted;

	y->holder_of = arena_array(&q->arena, m->nodes.n, sizeof(*y->holder_of));
	ok = ok && y->holder_of;
	for (size_t i = 0; ok && i < n; i++)
		names[i] = model_name(m, y->holders.at[i]);
	ok = ok && sort_texts(names, order, n);
	for (size_t i = 0; ok && i < n; i++) {
		sorted[i] = y->holders.at[order[i]];
		y->holder_of[sorted[i]] = (uint32_t)i;
	}
	if (ok && n)
		memcpy(y->holders.at, sorted, n * sizeof(*sorted));
	mem_free(names);
	mem_free(order);
	mem_free(sorted);
	return ok;
}

static bool collect(struct memory *y)
{
	struct query *q = y->events->q;
	uint32_t row = 0, node, exec;

	if (!find_devices(y))
		return false;
	while (y->devices.n && timeline_next_node(q, &row, &node, &exec) && !query_cancelled(q))
		if (y->place_of[q->model->nodes.device[node]] != NO_PLACE &&
			!collect_node(y, node, exec))
			return false;
	return order_holders(y) && ranking_init(&y->ranking, y->holders.n);
}

/* ---- writing ------------------------------------------------------------- */

static void put_in_use(struct memory *y, int64_t pid, const struct reading *r)
{
	chrome_open_event(y->j, "C", "Memory", SPAN("Allocated Bytes"),
		(struct chrome_place){pid, 0}, r->time_us);
	chrome_open_args(y->j);
	json_put_int(y->j, "Allocator Bytes in Use", r->bytes);
	chrome_close_args(y->j);
	chrome_close_event(y->j);
}

static void put_holder(struct memory *y, int place, uint32_t holder)
{
	char key[24], amount[48];

	snprintf(key, sizeof(key), "Top Allocation %02d", place);
	if (holder == NONE) {
		json_put_text(y->j, key, "N/A");
		return;
	}
	snprintf(amount, sizeof(amount), "%g MB from ", (double)y->ranking.bytes[holder] / 1e6);
	json_key(y->j, key);
	json_open_string(y->j);
	json_add_text(y->j, amount);
	json_add_span(y->j, model_name(y->events->q->model, y->holders.at[holder]));
	json_close_string(y->j);
}

/* The largest allocations that fit into the bytes not yet accounted for. */
static void put_holders(struct memory *y, int64_t pid, const struct reading *r)
{
	int64_t rest = r->bytes;
	uint32_t holder = ranking_at_most(&y->ranking, rest);
	bool perfetto = timeline_is_for_perfetto(y->events->q);
	char amount[48];
	int place;

	/* Perfetto's counters are numbers only. */
	chrome_open_event(y->j, perfetto ? "i" : "C", "Memory", SPAN("Top Allocations"),
		(struct chrome_place){pid, perfetto}, r->time_us);
	if (perfetto)
		json_put_text(y->j, "s", "t");
	chrome_open_args(y->j);
	for (place = 0; place < MAX_SHOWN && holder != NONE; place++) {
		put_holder(y, place, holder);
		rest -= y->ranking.bytes[holder];
		holder = ranking_next(&y->ranking, holder);
		if (holder != NONE && y->ranking.bytes[holder] > rest)
			holder = ranking_at_most(&y->ranking, rest);
	}
	for (place = place ? place : 1; place < MAX_SHOWN; place++)
		put_holder(y, place, NONE);
	snprintf(amount, sizeof(amount), "%.2f MB", (double)rest / 1e6);
	json_put_text(y->j, "Not Displayed", amount);
	chrome_close_args(y->j);
	chrome_close_event(y->j);
}

/* Applies the changes before a reading; returns the next one. */
static const struct change *apply_changes(struct memory *y, const struct change *next,
	const struct reading *r)
{
	for (; next && next->device == r->device && next->time_us < r->time_us;
		next = sorter_next(&y->changes)) {
		uint32_t holder = y->holder_of[next->node];

		ranking_set(&y->ranking, holder,
			clamped_sum(y->ranking.bytes[holder], next->bytes));
	}
	return next;
}

/* The readings to show: the last of several at the same time, if far enough from the
 * one shown before. */
struct selection {
	struct memory *memory;
	const struct reading *next; /* from the sorter */
	struct reading chosen;
	int64_t last_us, peak;
};

static bool select_next(struct selection *s, uint32_t device)
{
	while (s->next && s->next->device == device) {
		s->chosen = *s->next;
		s->next = sorter_next(&s->memory->readings);
		if (s->next && compare_readings(s->next, &s->chosen) == 0)
			continue;
		if (s->chosen.bytes > s->peak)
			s->peak = s->chosen.bytes;
		if (s->chosen.time_us - s->last_us < MIN_DISTANCE_US)
			continue;
		s->last_us = s->chosen.time_us;
		return true;
	}
	return false;
}

static void put_devices(struct memory *y)
{
	const struct model *m = y->events->q->model;
	int64_t pid = (int64_t)y->events->by_pid.n;
	struct selection s = {.memory = y};
	const struct change *change;

	sorter_rewind(&y->readings);
	sorter_rewind(&y->changes);
	s.next = sorter_next(&y->readings);
	change = sorter_next(&y->changes);
	for (uint32_t d = 0; d < y->devices.n && !query_cancelled(y->events->q); d++, pid += 2) {
		struct span name = model_text(m, y->devices.at[d]);

		chrome_put_process(y->j, pid, "mem usage on:", name, "");
		chrome_put_process(y->j, pid + 1, "mem usage on:", name, " allocations");
		s.peak = s.last_us = 0;
		while (select_next(&s, d) && !query_cancelled(y->events->q)) {
			change = apply_changes(y, change, &s.chosen);
			put_in_use(y, pid, &s.chosen);
			put_holders(y, pid + 1, &s.chosen);
		}
		while (change && change->device == d)
			change = sorter_next(&y->changes);
		ranking_reset(&y->ranking);
		if (!(device_get_properties(name) & DEVICE_ACCELERATOR))
			continue;
		buf_span(y->text, name);
		buf_printf(y->text, " peak memory: %.2f MB\n", (double)s.peak / 1e6);
	}
}

enum tfprof_status timeline_memory_write(struct timeline_events *e, struct json *j,
	struct buf *text, struct tfprof_error *err)
{
	struct memory y = {.events = e, .j = j, .text = text};
	enum tfprof_status status;

	sorter_init(&y.readings, sizeof(struct reading), compare_readings, 0);
	sorter_init(&y.changes, sizeof(struct change), compare_changes, 0);
	status = collect(&y) ? TFPROF_OK : error_no_memory(err);
	if (status == TFPROF_OK) {
		put_devices(&y);
		status = sorter_check(&y.readings, err);
	}
	if (status == TFPROF_OK)
		status = sorter_check(&y.changes, err);
	ranking_clear(&y.ranking);
	sorter_clear(&y.readings);
	sorter_clear(&y.changes);
	vec_clear(&y.devices);
	vec_clear(&y.holders);
	return status;
}
