/* Memory that operations allocated, by node and step. What they do not free within the step is
 * residual. And what allocators did, for whoever asks (model/allocations.h). */
#include <stdlib.h>

#include "base/clamped.h"
#include "load/xplane/apply.h"

/* What a node holds in a step. */
struct holding {
	uint32_t node, step;
	int64_t live;
	struct exec_memory memory;
};

struct tally {
	struct apply *apply;
	VEC(struct holding) at;
	struct hash_index index, by_address;
	VEC(uint32_t) taken;  /* events; by_address holds indexes into this */
	uint32_t *holding_of; /* by event; NONE if it has none */
};

struct holding_probe {
	const struct tally *tally;
	uint32_t node, step;
};

static bool same_holding(const void *context, uint32_t i)
{
	const struct holding_probe *p = context;

	return p->tally->at.at[i].node == p->node && p->tally->at.at[i].step == p->step;
}

static uint32_t find_holding(struct tally *y, uint32_t node, uint32_t step)
{
	struct holding_probe probe = {y, node, step};
	uint64_t hash = hash_bytes(&(uint32_t[]){node, step}, 8);
	uint32_t i = hash_find(&y->index, hash, same_holding, &probe);

	if (i != NONE)
		return i;
	if (!vec_push(&y->at, ((struct holding){.node = node, .step = step})) ||
		!hash_add(&y->index, hash, (uint32_t)y->at.n - 1))
		return NONE;
	return (uint32_t)y->at.n - 1;
}

struct address_probe {
	const struct tally *tally;
	uint64_t address;
	uint32_t pool;
};

static const struct trace_memory *event_at(const struct tally *y, uint32_t i)
{
	return &y->apply->trace->memory.at[i];
}

static bool same_address(const void *context, uint32_t i)
{
	const struct address_probe *p = context;
	const struct trace_memory *e = event_at(p->tally, p->tally->taken.at[i]);

	return e->address == p->address && e->pool == p->pool;
}

/* The index in `taken` of the last event that allocated this address; NONE if there is none. */
static uint32_t find_address(const struct tally *y, const struct trace_memory *e, uint64_t *hash)
{
	struct address_probe probe = {y, e->address, e->pool};

	*hash = hash_bytes(&(uint64_t[]){e->address, e->pool}, 16);
	return hash_find(&y->by_address, *hash, same_address, &probe);
}

static bool take_memory(struct tally *y, uint32_t event)
{
	struct apply *a = y->apply;
	const struct trace_memory *e = event_at(y, event);
	struct holding *h;
	uint64_t hash;
	uint32_t entry = find_address(y, e, &hash), i;

	if (entry != NONE)
		y->taken.at[entry] = event;
	else if (!vec_push(&y->taken, event) ||
		!hash_add(&y->by_address, hash, (uint32_t)y->taken.n - 1))
		return false;
	if (e->target == NONE || e->step == NONE || e->bytes < 0)
		return true;
	i = find_holding(y, a->nodes[e->target], e->step);
	if (i == NONE)
		return false;
	y->holding_of[event] = i;
	h = &y->at.at[i];
	add_clamped(&h->live, e->bytes);
	add_clamped(&h->memory.requested_bytes, e->bytes);
	if (e->is_output)
		add_clamped(&h->memory.output_bytes, e->bytes);
	if (h->live > h->memory.peak_bytes)
		h->memory.peak_bytes = h->live;
	if (e->in_use > h->memory.allocator_bytes_in_use) {
		h->memory.allocator_bytes_in_use = e->in_use;
		h->memory.micros = apply_time_us(a, e->time_ps);
	}
	return true;
}

static void free_memory(struct tally *y, const struct trace_memory *e)
{
	uint64_t hash;
	uint32_t entry = find_address(y, e, &hash), event, holding;

	if (entry == NONE)
		return;
	event = y->taken.at[entry];
	holding = y->holding_of[event];
	if (holding == NONE || event_at(y, event)->step != e->step)
		return;
	y->holding_of[event] = NONE;
	y->at.at[holding].live -= event_at(y, event)->bytes;
}

static bool put_holding(struct apply *a, struct holding *h)
{
	struct model *m = a->model;
	uint32_t row = exec_row(m, h->node, a->trace->steps.at[h->step]);

	h->memory.residual_bytes = h->live > 0 ? h->live : 0;
	return row != NONE && exec_add_memory(m, row, &h->memory);
}

/* ---- what allocators did --------------------------------------------------- */

/* The name of a pool without an allocator is that of its device. */
static uint32_t add_pool_name(struct apply *a, const struct trace_pool *pool)
{
	struct buf *b = &a->scratch;

	if (pool->name)
		return strings_add(&a->model->strings, strings_get(&a->trace->texts, pool->name));
	b->n = 0;
	buf_printf(b, "TPU %lld", (long long)pool->ordinal);
	return b->failed ? NONE : strings_add(&a->model->strings, buf_get(b));
}

static bool keep_pools(struct apply *a)
{
	const struct trace *t = a->trace;

	for (size_t i = 0; i < t->pools.n; i++) {
		const struct trace_pool *pool = &t->pools.at[i];
		struct memory_pool kept = {.name = add_pool_name(a, pool),
			.lifetime_peak_bytes = pool->lifetime_peak_bytes,
			.capacity_bytes = pool->capacity_bytes,
			.is_tpu = pool->is_tpu};

		for (size_t k = 0; k < t->devices.n; k++)
			if (pool->ordinal >= 0 && t->devices.at[k].ordinal == pool->ordinal &&
				plane_is_accelerator(t->devices.at[k].kind))
				kept.device = a->devices[k];
		if (kept.name == NONE || !vec_push(&a->model->allocations.pools, kept))
			return false;
	}
	return true;
}

static bool keep_event(struct apply *a, const struct trace_memory *e, size_t n_pools_before)
{
	struct model *m = a->model;
	struct memory_event kept = {.time_us = apply_time_us(a, e->time_ps),
		.step = e->step == NONE ? -1 : a->trace->steps.at[e->step],
		.bytes = e->taken_bytes > 0 ? e->taken_bytes : e->bytes,
		.requested = e->bytes,
		.in_use = e->in_use,
		.reserved = e->reserved,
		.address = e->address,
		.pool = (uint32_t)n_pools_before + e->pool,
		.node = e->target == NONE ? NONE : a->nodes[e->target],
		.shape = e->shape
			? strings_add(&m->strings, strings_get(&a->trace->texts, e->shape))
			: 0,
		.is_free = e->is_free};

	return e->pool == NONE || (kept.shape != NONE && vec_push(&m->allocations.events, kept));
}

/* Sorted by time; simultaneous events keep their order. */
static uint32_t *order_events(const struct trace *t)
{
	size_t n = t->memory.n;
	struct sort_item *items = mem_array(2 * n + 1, sizeof(*items));
	uint32_t *order = mem_array(n + 1, sizeof(*order));

	for (size_t i = 0; items && i < n; i++)
		items[i] = (struct sort_item){sort_key_ascending(t->memory.at[i].time_ps),
			(uint32_t)i};
	if (items && order) {
		sort_items(items, items + n, n);
		for (size_t i = 0; i < n; i++)
			order[i] = items[i].id;
	} else {
		mem_free(order);
		order = NULL;
	}
	mem_free(items);
	return order;
}

bool apply_memory(struct apply *a)
{
	const struct trace *t = a->trace;
	struct tally y = {.apply = a};
	size_t n_pools_before = a->model->allocations.pools.n;
	uint32_t *order;
	bool ok;

	if (!t->memory.n)
		return true;
	order = order_events(t);
	y.holding_of = mem_array(t->memory.n, sizeof(*y.holding_of));
	ok = order && y.holding_of && keep_pools(a) &&
		vec_reserve(&a->model->allocations.events, t->memory.n);
	if (ok)
		memset(y.holding_of, 0xff, t->memory.n * sizeof(*y.holding_of));
	for (size_t i = 0; ok && i < t->memory.n; i++) {
		const struct trace_memory *e = event_at(&y, order[i]);

		if (e->is_free)
			free_memory(&y, e);
		else
			ok = take_memory(&y, order[i]);
		ok = ok && keep_event(a, e, n_pools_before);
	}
	for (size_t i = 0; ok && i < y.at.n; i++)
		ok = put_holding(a, &y.at.at[i]);
	mem_free(order);
	mem_free(y.holding_of);
	vec_clear(&y.at);
	vec_clear(&y.taken);
	hash_clear(&y.index);
	hash_clear(&y.by_address);
	return ok;
}
