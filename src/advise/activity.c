#include "advise/activity.h"

#include "base/sort.h"

/* A device as a label writes it: its task, NONE if there is none. */
static bool task_in_label(struct activity *a, struct span name, struct buf *scratch, uint32_t *task)
{
	uint32_t device;

	*task = NONE;
	if (!name.n)
		return true;
	device_lower(scratch, name);
	device = scratch->failed ? NONE : devices_add(&a->devices, buf_get(scratch));
	if (device == NONE)
		return false;
	*task = activity_device(a, device)->task;
	return true;
}

/* ---- collecting ----------------------------------------------------------------- */

struct collector {
	struct activity *activity;
	uint32_t node, step;
	struct span last_name; /* most events have the device of the one before */
	uint32_t last_device;
};

static bool add_event(void *context, const struct exec_time *time)
{
	struct collector *c = context;
	struct event event = {.start = time->start_us,
		.node = c->node,
		.step = c->step,
		.accelerator = time->accelerator};

	if (time->device.at != c->last_name.at || time->device.n != c->last_name.n) {
		c->last_device = devices_add(&c->activity->devices, time->device);
		if (c->last_device == NONE)
			return false;
		c->last_name = time->device;
	}
	/* An event without a start, or that ends before it starts, tells nothing. */
	if (time->start_us <= 0 || time->duration_us < 0 ||
		__builtin_add_overflow(time->start_us, time->duration_us, &event.end))
		return true;
	event.device = c->last_device;
	return vec_push(&c->activity->events, event);
}

static bool collect_events(struct activity *a, const struct model *m)
{
	struct collector collector = {.activity = a, .last_name = {NULL, 0}};
	struct exec_visitor visitor = {.time = add_event, .context = &collector};

	for (uint32_t node = 0; node < m->nodes.n; node++) {
		collector.node = node;
		collector.step = 0;
		for (uint32_t row = m->nodes.first_exec[node]; row != NONE;
			row = exec_at(&m->execs, row)->next) {
			/* Both go up; a damaged profile may have execs of no step. */
			while (collector.step < m->steps.n &&
				m->steps.at[collector.step] < exec_at(&m->execs, row)->step)
				collector.step++;
			if (collector.step == m->steps.n)
				break;
			if (m->steps.at[collector.step] == exec_at(&m->execs, row)->step &&
				!exec_visit(m, row, &visitor))
				return false;
		}
	}
	return true;
}

static bool add_transfer(struct activity *a, const struct model *m, const struct transfer *t,
	struct buf *scratch)
{
	struct moved moved = {.device = devices_add(&a->devices, model_text(m, t->device)),
		.step = model_find_step(m, t->step)};

	if (moved.device == NONE)
		return false;
	moved.entry = transfer_read(t->stats,
		activity_device(a, moved.device)->kind == DEVICE_KIND_COPY_ENGINE);
	if (!task_in_label(a, moved.entry.from, scratch, &moved.from) ||
		!task_in_label(a, moved.entry.to, scratch, &moved.to))
		return false;
	if (moved.to == NONE)
		moved.to = activity_device(a, moved.device)->task;
	if (!moved.entry.start_us || moved.step == NONE)
		return true;
	return vec_push(&a->transfers, moved);
}

static bool collect_transfers(struct activity *a, const struct model *m)
{
	struct buf scratch = {0};
	bool fine = true;

	for (size_t i = 0; fine && i < m->transfers.n; i++)
		fine = add_transfer(a, m, &m->transfers.at[i], &scratch);
	buf_clear(&scratch);
	return fine;
}

/* ---- ordering --------------------------------------------------------------------- */

/* What is ordered: where its items' step and start stand. */
struct sortable {
	char *items;
	size_t n, item_size, step_at, start_at;
};

static uint32_t step_of(const struct sortable *s, size_t i)
{
	uint32_t step;

	memcpy(&step, s->items + i * s->item_size + s->step_at, sizeof(step));
	return step;
}

static int64_t start_of(const struct sortable *s, size_t i)
{
	int64_t start;

	memcpy(&start, s->items + i * s->item_size + s->start_at, sizeof(start));
	return start;
}

/* By step, then by start; first[step] is where a step's begin. */
static bool sort_by_step(const struct sortable *s, size_t n_steps, size_t *first)
{
	struct sort_item *keys = mem_array(s->n, sizeof(*keys));
	struct sort_item *scratch = mem_array(s->n, sizeof(*scratch));
	size_t *next = mem_array(n_steps + 1, sizeof(*next));
	char *copy = mem_array(s->n, s->item_size);
	bool fine = keys && scratch && next && copy && s->n < NONE;

	for (size_t i = 0; fine && i < s->n; i++) {
		keys[i] = (struct sort_item){sort_key_ascending(start_of(s, i)), (uint32_t)i};
		first[step_of(s, i) + 1]++;
	}
	for (size_t i = 0; fine && i < n_steps; i++)
		first[i + 1] += first[i];
	if (fine && s->n) {
		memcpy(next, first, (n_steps + 1) * sizeof(*next));
		sort_items(keys, scratch, s->n);
		for (size_t i = 0; i < s->n; i++)
			memcpy(copy + next[step_of(s, keys[i].id)]++ * s->item_size,
				s->items + keys[i].id * s->item_size, s->item_size);
		memcpy(s->items, copy, s->n * s->item_size);
	}
	mem_free(keys);
	mem_free(scratch);
	mem_free(next);
	mem_free(copy);
	return fine;
}

static bool sort_all(struct activity *a)
{
	struct sortable events = {(char *)a->events.at, a->events.n, sizeof(struct event),
		offsetof(struct event, step), offsetof(struct event, start)};
	struct sortable transfers = {(char *)a->transfers.at, a->transfers.n, sizeof(struct moved),
		offsetof(struct moved, step), offsetof(struct moved, entry.start_us)};

	return sort_by_step(&events, a->n_steps, a->first_event) &&
		sort_by_step(&transfers, a->n_steps, a->first_transfer);
}

static bool measure_steps(struct activity *a)
{
	struct interval *spans = mem_array(a->devices.tasks.n, sizeof(*spans));

	for (size_t step = 0; spans && step < a->n_steps; step++) {
		activity_spans(a, step, spans);
		for (size_t t = 0; t < a->devices.tasks.n; t++)
			if (spans[t].end - spans[t].start > a->step_us[step])
				a->step_us[step] = spans[t].end - spans[t].start;
	}
	mem_free(spans);
	return spans;
}

bool activity_collect(struct activity *a, const struct model *m)
{
	*a = (struct activity){.n_steps = m->steps.n};
	a->first_event = arena_zero(&a->arena, m->steps.n + 1, sizeof(*a->first_event));
	a->first_transfer = arena_zero(&a->arena, m->steps.n + 1, sizeof(*a->first_transfer));
	a->step_us = arena_zero(&a->arena, m->steps.n, sizeof(*a->step_us));
	return a->first_event && a->first_transfer && a->step_us && collect_events(a, m) &&
		collect_transfers(a, m) && sort_all(a) && measure_steps(a);
}

void activity_clear(struct activity *a)
{
	devices_clear(&a->devices);
	vec_clear(&a->events);
	vec_clear(&a->transfers);
	arena_clear(&a->arena);
}

/* ---- asking ---------------------------------------------------------------------- */

static void widen(struct interval *span, int64_t start, int64_t end)
{
	if (span->end == 0 || start < span->start)
		span->start = start;
	if (end > span->end)
		span->end = end;
}

void activity_spans(const struct activity *a, size_t step, struct interval *spans)
{
	struct events events = activity_events(a, step);
	struct moves moves = activity_transfers(a, step);

	memset(spans, 0, a->devices.tasks.n * sizeof(*spans));
	for (size_t i = 0; i < events.n; i++)
		widen(&spans[activity_device(a, events.at[i].device)->task], events.at[i].start,
			events.at[i].end);
	for (size_t i = 0; i < moves.n; i++)
		widen(&spans[activity_device(a, moves.at[i].device)->task],
			moves.at[i].entry.start_us, moves.at[i].entry.end_us);
}

int64_t activity_mean_step(const struct activity *a)
{
	int64_t sum = 0, n = 0;

	for (size_t step = 0; step < a->n_steps; step++)
		if (a->step_us[step] && !__builtin_add_overflow(sum, a->step_us[step], &sum))
			n++;
	return n ? sum / n : 0;
}
