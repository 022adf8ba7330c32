#include "count/repeat.h"

#include "count/walk.h"

struct sought {
	const struct walk *w;
	const struct record *record;
};

static struct span path_of(const struct walk *w, const struct record *r)
{
	return w->sites.at[r->site].path;
}

/* Whether it is the same operation at the same cost: functions keep their names in place. */
static bool is_same(const void *context, uint32_t id)
{
	const struct sought *s = context;
	const struct record *a = s->record, *b = &s->w->records.at[id];

	return a->name == b->name && a->name_length == b->name_length &&
		a->cost.macs == b->cost.macs && a->cost.others == b->cost.others &&
		a->state == b->state && span_equal(path_of(s->w, a), path_of(s->w, b));
}

static uint64_t hash_of(const struct walk *w, const struct record *r)
{
	struct span path = path_of(w, r);
	uint64_t h = hash_mix((uintptr_t)r->name, (uint64_t)r->cost.macs);

	return hash_mix(hash_mix(h, (uint64_t)r->cost.others), hash_bytes(path.at, path.n));
}

void repeats_begin(struct repeats *r, const struct walk *w)
{
	r->turn = w->records.n;
}

/* Of another turn: its memory is that of the first. */
static void forget_buffers(struct record *record)
{
	record->n_uses = record->n_buffers = record->n_sources = 0;
}

static bool add_record(struct repeats *r, struct walk *w, size_t i)
{
	struct record *record = &w->records.at[i];
	struct sought sought = {w, record};
	uint64_t hash = hash_of(w, record);
	uint32_t same = r->n_turns ? hash_find(&r->index, hash, is_same, &sought) : NONE;

	if (!vec_push(&r->now,
		    ((struct repeat_part){same == NONE ? (uint32_t)r->turn : same, record->times})))
		return false;
	if (same != NONE) {
		w->records.at[same].times = count_add(w->records.at[same].times, record->times);
		return true;
	}
	if (r->n_turns)
		forget_buffers(record);
	w->records.at[r->turn] = *record;
	return hash_add(&r->index, hash, (uint32_t)r->turn++);
}

static bool are_equal(const repeat_parts *a, const repeat_parts *b)
{
	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (a->at[i].record != b->at[i].record || a->at[i].times != b->at[i].times)
			return false;
	return true;
}

bool repeats_end_turn(struct repeats *r, struct walk *w)
{
	size_t n = w->records.n;
	repeat_parts was = r->last;

	r->now.n = 0;
	for (size_t i = r->turn; i < n; i++)
		if (!add_record(r, w, i))
			return false;
	w->records.n = r->turn;
	r->are_alike = r->n_turns && are_equal(&r->last, &r->now);
	r->last = r->now;
	r->now = was;
	r->n_turns++;
	return true;
}

void repeats_finish(struct repeats *r, struct walk *w, int64_t n_turns)
{
	int64_t rest = n_turns - r->n_turns;

	for (size_t i = 0; rest > 0 && i < r->last.n; i++) {
		struct record *record = &w->records.at[r->last.at[i].record];

		record->times = count_add(record->times, count_multiply(r->last.at[i].times, rest));
	}
}

void repeats_clear(struct repeats *r)
{
	vec_clear(&r->last);
	vec_clear(&r->now);
	hash_clear(&r->index);
}
