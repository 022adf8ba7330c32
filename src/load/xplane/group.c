/* Which events a root led to: those within it, those that consume what one of them
 * produced, and so on. The roots of the highest level come first, then the earliest; an
 * event belongs to the first root that leads to it. */
#include <stdlib.h>

#include "load/xplane/trace.h"

/* From a key to the last event that consumes it. A slot holds a part of the key beside the
 * place, so a search rarely reads further: with places alone, grouping takes 1.3 times as long. */
struct consumers {
	struct slot {
		uint32_t part, place; /* place + 1; 0: empty */
	} * slots;
	size_t mask;
	uint64_t secret;
};

/* Keys are scattered over the table, so slots are prefetched. */
enum { AHEAD = 8 };

static size_t home_of(const struct consumers *c, uint64_t key)
{
	return (size_t)(hash_multiply(key, c->secret) >> 32) & c->mask;
}

PREFETCHES prefetch_slot(const struct consumers *c, uint64_t key)
{
	prefetch_line(&c->slots[home_of(c, key)]);
}

/* The slot of a key, or the empty one where it belongs. */
static struct slot *find_slot(const struct consumers *c, const struct trace *t, uint64_t key)
{
	size_t at = home_of(c, key);
	const struct slot *slot = &c->slots[at];

	while (slot->place &&
		(slot->part != (uint32_t)key || t->consumers.at[slot->place - 1].key != key)) {
		at = (at + 1) & c->mask;
		slot = &c->slots[at];
	}
	return &c->slots[at];
}

static bool index_consumers(struct consumers *c, struct trace *t)
{
	size_t places = 16;

	while (places < t->consumers.n + t->consumers.n / 2)
		places *= 2;
	*c = (struct consumers){mem_zero_array(places, sizeof(*c->slots)), places - 1,
		hash_secret()};
	if (!c->slots)
		return false;
	for (size_t i = 0; i < t->consumers.n; i++) {
		struct trace_flow *flow = &t->consumers.at[i];

		if (i + AHEAD < t->consumers.n)
			prefetch_slot(c, t->consumers.at[i + AHEAD].key);
		struct slot *slot = find_slot(c, t, flow->key);

		flow->next = slot->place ? slot->place - 1 : NONE;
		*slot = (struct slot){(uint32_t)flow->key, (uint32_t)i + 1};
	}
	return true;
}

struct flood {
	struct trace *trace;
	struct consumers consumers;
	VEC(uint32_t) waiting; /* kept events that the root leads to */
};

/* Queues an event that the root leads to, unless it has a group. */
static bool reach(struct flood *f, uint32_t kept)
{
	return trace_get_group(f->trace, kept) != NONE || vec_push(&f->waiting, kept);
}

/* Queues the consumers of a key. They have a group from then on, so the list is cut for other
 * producers of the same key. */
static bool follow(struct flood *f, uint64_t key)
{
	struct trace *t = f->trace;
	uint32_t i = find_slot(&f->consumers, t, key)->place, next;

	if (!i)
		return true;
	for (next = i - 1; next != NONE; next = t->consumers.at[next].next)
		if (!reach(f, t->consumers.at[next].kept))
			return false;
	t->consumers.at[i - 1].next = NONE;
	return true;
}

/* Queues the event that began a task. */
static bool follow_task(struct flood *f, uint32_t task)
{
	const struct trace_tasks *tasks = &f->trace->tasks;
	uint32_t consumer = task < tasks->consumer.n ? tasks->consumer.at[task] : 0;

	if (consumer && !reach(f, consumer - 1))
		return false;
	return !tasks->has_others || follow(f, trace_key_of_task(tasks, task));
}

/* Queues the consumers of everything an event produces. */
static bool follow_listed(struct flood *f, uint32_t kept, size_t producer)
{
	const struct trace *t = f->trace;

	for (; producer < t->producers.n && t->producers.at[producer].kept == kept; producer++) {
		const struct trace_flow *flow = &t->producers.at[producer];

		if (producer + AHEAD < t->producers.n)
			prefetch_slot(&f->consumers, t->producers.at[producer + AHEAD].key);
		if (!(flow->next == NONE ? follow(f, flow->key) : follow_task(f, flow->next)))
			return false;
	}
	return true;
}

/* Assigns an event, and those within it, to a group. Events that have one are skipped with
 * everything within them, which has one too. */
static bool spread(struct flood *f, uint32_t kept, uint32_t group)
{
	struct trace *t = f->trace;
	uint32_t end = t->kept.at[kept].end, i = kept;

	do {
		struct trace_kept k = t->kept.at[i];
		bool is_apart = k.end == i && i != kept;

		if (is_apart) {
			i++;
			continue;
		}
		if (k.produces & KEPT_GROUPED) {
			i = k.end;
			continue;
		}
		t->kept.at[i].produces = KEPT_GROUPED | group;
		if (k.produces &&
			!(k.produces & KEPT_LISTED ? follow_listed(f, i, k.produces ^ KEPT_LISTED)
						   : follow_task(f, k.produces - 1)))
			return false;
		i++;
	} while (i < end);
	return true;
}

static bool flood_from(struct flood *f, uint32_t root)
{
	struct trace *t = f->trace;

	f->waiting.n = 0;
	if (!vec_push(&f->waiting, t->roots.at[root].kept))
		return false;
	while (f->waiting.n) {
		uint32_t kept = f->waiting.at[--f->waiting.n];

		if (trace_get_group(t, kept) == NONE && !spread(f, kept, root))
			return false;
	}
	return true;
}

static int by_level(const void *a, const void *b)
{
	const struct trace_root *x = a, *y = b;

	if (x->level != y->level)
		return x->level > y->level ? -1 : 1;
	if (x->start_ps != y->start_ps)
		return x->start_ps < y->start_ps ? -1 : 1;
	return (x->kept > y->kept) - (x->kept < y->kept);
}

bool trace_group(struct trace *t)
{
	struct flood f = {.trace = t};
	bool ok;

	if (!t->roots.n)
		return true;
	if (t->roots.n > KEPT_GROUPED)
		return false;
	qsort(t->roots.at, t->roots.n, sizeof(*t->roots.at), by_level);
	ok = index_consumers(&f.consumers, t);
	for (size_t i = 0; ok && i < t->roots.n; i++)
		ok = flood_from(&f, (uint32_t)i);
	mem_free(f.consumers.slots);
	vec_clear(&f.waiting);
	return ok;
}
