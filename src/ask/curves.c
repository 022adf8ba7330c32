#include "ask/curves.h"

#include <stdlib.h>

#include "base/clamped.h"

/* ---- run metadata ---------------------------------------------------------------- */

struct collector {
	struct memory_curve *curve;
	uint32_t node;
	bool ok;
};

static bool collect_reading(void *context, const struct exec_memory *memory)
{
	struct collector *c = context;
	struct memory_reading reading = {memory->micros, memory->allocator_bytes_in_use};
	struct memory_change kept = {.time_us = INT64_MIN,
		.bytes = memory->accelerator_persistent_bytes,
		.node = c->node};

	if (reading.time_us > 0 && reading.bytes > 0)
		c->ok = vec_push(&c->curve->readings, reading);
	if (c->ok && kept.bytes)
		c->ok = vec_push(&c->curve->changes, kept);
	return c->ok;
}

static bool collect_allocation(void *context, const struct exec_allocation *allocation)
{
	struct collector *c = context;
	struct memory_change change = {.time_us = allocation->micros,
		.bytes = allocation->bytes,
		.node = c->node};

	c->ok = vec_push(&c->curve->changes, change);
	return c->ok;
}

static struct memory_curve *find_curve(struct memory_curves *list, uint32_t name)
{
	for (size_t i = 0; i < list->at.n; i++)
		if (list->at.at[i].name == name)
			return &list->at.at[i];
	if (!vec_push(&list->at, ((struct memory_curve){.name = name})))
		return NULL;
	return &list->at.at[list->at.n - 1];
}

static bool read_records(struct memory_curves *list, const struct model *m, int64_t step)
{
	struct collector c = {.ok = true};
	struct exec_visitor visitor = {.memory = collect_reading,
		.allocation = collect_allocation,
		.context = &c};

	for (uint32_t node = 0; c.ok && node < m->nodes.n; node++)
		for (uint32_t row = m->nodes.first_exec[node]; c.ok && row != NONE;
			row = exec_at(&m->execs, row)->next) {
			if (step >= 0 && exec_at(&m->execs, row)->step != step)
				continue;
			c.node = node;
			c.curve = find_curve(list, m->nodes.device[node]);
			c.ok = c.curve;
			if (c.ok)
				exec_visit(m, row, &visitor);
		}
	return c.ok;
}

/* ---- traces ---------------------------------------------------------------------- */

/* An address, and the event that took the piece there; NONE: it was given back. */
struct piece {
	uint64_t address;
	uint32_t pool, taken;
};

struct pieces {
	const struct allocations *of;
	struct hash_index index;
	VEC(struct piece) at;
};

struct piece_probe {
	const struct pieces *pieces;
	const struct memory_event *event;
};

static bool same_piece(const void *context, uint32_t i)
{
	const struct piece_probe *p = context;
	const struct piece *piece = &p->pieces->at.at[i];

	return piece->address == p->event->address && piece->pool == p->event->pool;
}

/* The piece of an event, added if it is new; NULL on allocation failure. */
static struct piece *find_piece(struct pieces *p, const struct memory_event *e)
{
	uint64_t hash = hash_bytes(&(uint64_t[]){e->address, e->pool}, 16);
	uint32_t at = hash_find(&p->index, hash, same_piece, &(struct piece_probe){p, e});

	if (at != NONE)
		return &p->at.at[at];
	if (!vec_push(&p->at, ((struct piece){e->address, e->pool, NONE})) ||
		!hash_add(&p->index, hash, (uint32_t)p->at.n - 1))
		return NULL;
	return &p->at.at[p->at.n - 1];
}

static bool add_change(struct memory_curve *c, const struct memory_event *taken, int64_t time_us,
	int sign)
{
	struct memory_change change = {time_us, sign * taken->bytes, taken->requested, taken->node,
		taken->shape};

	return taken->bytes <= 0 || vec_push(&c->changes, change);
}

static bool add_event(struct memory_curve *c, struct pieces *p, uint32_t at)
{
	const struct memory_event *e = &p->of->events.at[at];
	struct piece *piece = find_piece(p, e);
	bool ok = piece;

	if (ok && piece->taken != NONE) /* given back, or taken again: that was not recorded */
		ok = add_change(c, &p->of->events.at[piece->taken], e->time_us, -1);
	if (ok)
		piece->taken = e->is_free ? NONE : at;
	if (ok && !e->is_free)
		ok = add_change(c, e, e->time_us, 1);
	if (!ok || e->in_use < 0)
		return ok;
	if (e->in_use > c->peak_bytes) {
		c->peak_bytes = e->in_use;
		c->peak_us = e->time_us;
		c->n_changes_at_peak = c->changes.n;
		c->reserved_bytes = e->reserved;
	}
	return vec_push(&c->readings, ((struct memory_reading){e->time_us, e->in_use}));
}

static bool read_events(struct memory_curves *list, const struct model *m, int64_t step)
{
	const struct allocations *a = &m->allocations;
	struct pieces pieces = {.of = a};
	bool ok = true;

	for (size_t i = 0; ok && i < a->pools.n; i++)
		ok = vec_push(&list->at,
			((struct memory_curve){.name = a->pools.at[i].name,
				.pool = &a->pools.at[i],
				.counts_all = true}));
	for (size_t i = 0; ok && i < a->events.n; i++)
		if (step < 0 || a->events.at[i].step == step)
			ok = add_event(&list->at.at[a->events.at[i].pool], &pieces, (uint32_t)i);
	vec_clear(&pieces.at);
	hash_clear(&pieces.index);
	return ok;
}

/* ---- both ------------------------------------------------------------------------ */

static int by_time(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static int compare_readings(const void *a, const void *b)
{
	const struct memory_reading *x = a, *y = b;

	return by_time(x->time_us, y->time_us);
}

static int compare_changes(const void *a, const void *b)
{
	const struct memory_change *x = a, *y = b;

	return by_time(x->time_us, y->time_us);
}

static int compare_curves(const void *a, const void *b)
{
	const struct memory_curve *x = a, *y = b;
	bool i = x->pool->device, k = y->pool->device;

	if (i != k)
		return i ? -1 : 1;
	if (x->peak_bytes != y->peak_bytes)
		return x->peak_bytes > y->peak_bytes ? -1 : 1;
	return (x->pool > y->pool) - (x->pool < y->pool);
}

static void clear_curve(struct memory_curve *c)
{
	vec_clear(&c->readings);
	vec_clear(&c->changes);
}

static void find_peak(struct memory_curve *c)
{
	qsort(c->readings.at, c->readings.n, sizeof(*c->readings.at), compare_readings);
	if (c->changes.n)
		qsort(c->changes.at, c->changes.n, sizeof(*c->changes.at), compare_changes);
	for (size_t i = 0; i < c->readings.n; i++)
		if (c->readings.at[i].bytes > c->peak_bytes) {
			c->peak_bytes = c->readings.at[i].bytes;
			c->peak_us = c->readings.at[i].time_us;
		}
	while (c->n_changes_at_peak < c->changes.n &&
		c->changes.at[c->n_changes_at_peak].time_us <= c->peak_us)
		c->n_changes_at_peak++;
}

/* Drops curves without a reading, and sorts the others. */
static void arrange(struct memory_curves *list)
{
	size_t n = 0;

	for (size_t i = 0; i < list->at.n; i++) {
		struct memory_curve *c = &list->at.at[i];

		if (!c->readings.n) {
			clear_curve(c);
			continue;
		}
		if (!c->pool)
			find_peak(c);
		list->at.at[n++] = *c;
	}
	list->at.n = n;
	if (n && list->at.at[0].pool)
		qsort(list->at.at, n, sizeof(*list->at.at), compare_curves);
}

bool memory_curves_exist(const struct model *m)
{
	struct memory_curves c = {0};
	bool exist = m->allocations.events.n || (read_records(&c, m, -1) && (arrange(&c), c.at.n));

	memory_curves_clear(&c);
	return exist;
}

bool memory_curves_read(struct memory_curves *c, const struct model *m, int64_t step)
{
	bool ok = m->allocations.events.n ? read_events(c, m, step) : read_records(c, m, step);

	arrange(c);
	return ok;
}

void memory_curves_clear(struct memory_curves *c)
{
	for (size_t i = 0; i < c->at.n; i++)
		clear_curve(&c->at.at[i]);
	vec_clear(&c->at);
}
