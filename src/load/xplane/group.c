/* Which events a root led to: those within it, those that consume what one of them
 * produced, and so on. The roots of the highest level come first, then the earliest; an
 * event belongs to the first root that leads to it. */
#include <stdlib.h>

#include "load/xplane/trace.h"

/* From a key to the last event that consumes it. A part of the key stands beside the
 * place, so that a search seldom looks further: with places alone, grouping takes 1.3
 * times as long. */
struct consumers {
	struct slot {
		uint32_t part, place; /* place + 1; 0: empty */
	} * slots;
	size_t mask;
	uint64_t secret;
};

/* Keys lie all over the table: grouping takes 1.5 times as long without. */
enum { AHEAD = 8 };

static size_t home_of(const struct consumers *c, uint64_t key)
{
	return (size_t)(hash_multiply(key, c->secret) >> 32) & c->mask;
}

PREFETCHES prefetch_slot(const struct consumers *c, uint64_t key)
{
	prefetch_line(&c->slots[home_of(c, key)]);
}

/* Where the key is, or would be. */
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
	mem_use_large_pages(c->slots, places * sizeof(*c->slots));
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

enum { BLOCK = 64 };

struct flood {
	struct trace *trace;
	struct consumers consumers;
	uint32_t *first_in_block; /* producer, by BLOCK kept events */
	VEC(uint32_t) waiting;    /* kept events that the root leads to */
};

/* Events that consume what an event produces. After they have a group once, nothing is
 * left for others that produce the same. */
static bool follow(struct flood *f, uint64_t key)
{
	struct trace *t = f->trace;
	uint32_t i = find_slot(&f->consumers, t, key)->place, next;

	if (!i)
		return true;
	for (next = i - 1; next != NONE; next = t->consumers.at[next].next)
		if (t->groups[t->consumers.at[next].kept] == NONE &&
			!vec_push(&f->waiting, t->consumers.at[next].kept))
			return false;
	t->consumers.at[i - 1].next = NONE;
	return true;
}

/* Producers stand in order of their events. */
static size_t first_producer(const struct flood *f, uint32_t kept)
{
	const struct trace *t = f->trace;
	size_t i = f->first_in_block[kept / BLOCK];

	while (i < t->producers.n && t->producers.at[i].kept < kept)
		i++;
	return i;
}

static bool index_producers(struct flood *f)
{
	const struct trace *t = f->trace;
	size_t n = t->ends.n / BLOCK + 2, producer = 0;

	f->first_in_block = mem_array(n, sizeof(*f->first_in_block));
	for (size_t i = 0; f->first_in_block && i < n; i++) {
		while (producer < t->producers.n && t->producers.at[producer].kept / BLOCK < i)
			producer++;
		f->first_in_block[i] = (uint32_t)producer;
	}
	return f->first_in_block && t->producers.n < NONE;
}

/* An event and those within it that have no group. What lies within one that has a group
 * has one, too. */
static bool spread(struct flood *f, uint32_t kept, uint32_t group)
{
	struct trace *t = f->trace;
	uint32_t end = t->ends.at[kept], i = kept;
	size_t producer = first_producer(f, kept);

	do {
		bool is_apart = t->ends.at[i] == i && i != kept;

		if (!is_apart && t->groups[i] == NONE) {
			t->groups[i] = group;
			while (producer < t->producers.n && t->producers.at[producer].kept < i)
				producer++;
			for (; producer < t->producers.n && t->producers.at[producer].kept == i;
				producer++) {
				if (producer + AHEAD < t->producers.n)
					prefetch_slot(&f->consumers,
						t->producers.at[producer + AHEAD].key);
				if (!follow(f, t->producers.at[producer].key))
					return false;
			}
			i++;
		} else if (is_apart) {
			i++;
		} else {
			i = t->ends.at[i];
			producer = first_producer(f, i);
		}
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

		if (t->groups[kept] == NONE && !spread(f, kept, root))
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

	t->groups = mem_array(t->ends.n, sizeof(*t->groups));
	if (!t->groups)
		return false;
	if (t->ends.n)
		memset(t->groups, 0xff, t->ends.n * sizeof(*t->groups));
	if (!t->roots.n)
		return true;
	qsort(t->roots.at, t->roots.n, sizeof(*t->roots.at), by_level);
	ok = index_consumers(&f.consumers, t) && index_producers(&f);
	for (size_t i = 0; ok && i < t->roots.n; i++)
		ok = flood_from(&f, (uint32_t)i);
	mem_free(f.consumers.slots);
	mem_free(f.first_in_block);
	vec_clear(&f.waiting);
	return ok;
}
