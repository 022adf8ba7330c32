/* Which events a root led to: those within it, those that consume what one of them
 * produced, and so on. The roots of the highest level come first, then the earliest; an
 * event belongs to the first root that leads to it. */
#include <stdlib.h>

#include "load/xplane/trace.h"

/* From a key to the first event that consumes it. */
struct consumers {
	uint32_t *slots; /* place + 1; 0: empty */
	size_t mask;
	uint64_t secret;
};

static size_t slot_of(const struct consumers *c, uint64_t key)
{
	return (size_t)hash_multiply(key, c->secret) & c->mask;
}

/* Where the key is, or would be. */
static size_t find_slot(const struct consumers *c, const struct trace *t, uint64_t key)
{
	size_t slot = slot_of(c, key);

	while (c->slots[slot] && t->consumers.at[c->slots[slot] - 1].key != key)
		slot = (slot + 1) & c->mask;
	return slot;
}

static bool index_consumers(struct consumers *c, struct trace *t)
{
	size_t places = 16;

	while (places < 2 * t->consumers.n)
		places *= 2;
	*c = (struct consumers){mem_zero_array(places, sizeof(*c->slots)), places - 1,
		hash_secret()};
	if (!c->slots)
		return false;
	for (size_t i = 0; i < t->consumers.n; i++) {
		struct trace_flow *flow = &t->consumers.at[i];
		size_t slot = find_slot(c, t, flow->key);

		flow->next = c->slots[slot] ? c->slots[slot] - 1 : NONE;
		c->slots[slot] = (uint32_t)i + 1;
	}
	return true;
}

struct flood {
	struct trace *trace;
	struct consumers consumers;
	VEC(uint32_t) waiting; /* kept events that the root leads to */
};

/* Events that consume what an event produces. After they have a group once, nothing is
 * left for others that produce the same. */
static bool follow(struct flood *f, uint64_t key)
{
	struct trace *t = f->trace;
	size_t slot = find_slot(&f->consumers, t, key);
	uint32_t i = f->consumers.slots[slot];
	uint32_t next;

	if (!i)
		return true;
	for (next = i - 1; next != NONE; next = t->consumers.at[next].next)
		if (t->groups[t->consumers.at[next].kept] == NONE &&
			!vec_push(&f->waiting, t->consumers.at[next].kept))
			return false;
	t->consumers.at[i - 1].next = NONE;
	return true;
}

static size_t first_producer(const struct trace *t, uint32_t kept)
{
	size_t low = 0, high = t->producers.n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (t->producers.at[middle].kept < kept)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* An event and those within it that have no group. What lies within one that has a group
 * has one, too. */
static bool spread(struct flood *f, uint32_t kept, uint32_t group)
{
	struct trace *t = f->trace;
	uint32_t end = t->ends.at[kept], i = kept;
	size_t producer = first_producer(t, kept);

	do {
		bool is_apart = t->ends.at[i] == i && i != kept;

		if (!is_apart && t->groups[i] == NONE) {
			t->groups[i] = group;
			while (producer < t->producers.n && t->producers.at[producer].kept < i)
				producer++;
			for (; producer < t->producers.n && t->producers.at[producer].kept == i;
				producer++)
				if (!follow(f, t->producers.at[producer].key))
					return false;
			i++;
		} else if (is_apart) {
			i++;
		} else {
			i = t->ends.at[i];
			producer = first_producer(t, i);
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
	ok = index_consumers(&f.consumers, t);
	for (size_t i = 0; ok && i < t->roots.n; i++)
		ok = flood_from(&f, (uint32_t)i);
	mem_free(f.consumers.slots);
	vec_clear(&f.waiting);
	return ok;
}
