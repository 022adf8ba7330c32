#include "load/anatomy/items.h"

#include "base/sort.h"

/* ---- order --------------------------------------------------------------------- */

static bool is_before(const struct item *a, const struct item *b)
{
	return a->start != b->start ? a->start < b->start : a->end >= b->end;
}

bool items_sort(item_list *v)
{
	struct sort_item *keys, *scratch;
	struct item *sorted;
	size_t i;
	bool ok;

	for (i = 1; i < v->n && is_before(&v->at[i - 1], &v->at[i]); i++)
		;
	if (i >= v->n)
		return true;
	keys = mem_array(v->n, sizeof(*keys));
	scratch = mem_array(v->n, sizeof(*scratch));
	sorted = mem_array(v->n, sizeof(*sorted));
	ok = keys && scratch && sorted && v->n < NONE;
	for (i = 0; ok && i < v->n; i++)
		keys[i] = (struct sort_item){sort_key_descending(v->at[i].end), (uint32_t)i};
	if (ok)
		sort_items(keys, scratch, v->n);
	for (i = 0; ok && i < v->n; i++)
		keys[i].key = sort_key_ascending(v->at[keys[i].id].start);
	if (ok)
		sort_items(keys, scratch, v->n);
	for (i = 0; ok && i < v->n; i++)
		sorted[i] = v->at[keys[i].id];
	if (ok)
		memcpy(v->at, sorted, v->n * sizeof(*sorted));
	mem_free(keys);
	mem_free(scratch);
	mem_free(sorted);
	return ok;
}

/* ---- what is one thing --------------------------------------------------------- */

static bool begin_wait(struct joiner *j, uint64_t key)
{
	const struct key_place *known = keys_find(&j->waits, key);

	j->n_waits += !known || known->place == NONE;
	return keys_set(&j->waits, key, (uint32_t)j->v->n);
}

/* Whether a wait ends with this event. */
static bool end_wait(struct joiner *j, uint64_t key, int64_t end)
{
	struct key_place *wait = keys_find(&j->waits, key);

	if (!wait || wait->place == NONE)
		return false;
	if (end > j->v->at[wait->place].end)
		j->v->at[wait->place].end = end;
	wait->place = NONE;
	j->n_waits--;
	return true;
}

static void end_region(struct joiner *j, int64_t end)
{
	if (j->region != NONE)
		j->v->at[j->region].end = end;
	j->region = NONE;
}

bool joiner_add(struct joiner *j, struct item it)
{
	uint32_t flags = j->s->names.at[it.name].flags;
	const struct facts *f = it.facts == NONE ? NULL : &j->facts->at[it.facts];

	if (flags & (NAME_REGION_START | NAME_REGION_STOP))
		end_region(j, it.start);
	if (flags & NAME_REGION_STOP)
		return true;
	if (flags & NAME_REGION_START) {
		it.end = INT64_MAX;
		j->region = (uint32_t)j->v->n;
	}
	if (flags & NAME_AWAIT && f && f->has & FACT_KEY) {
		if (!(f->has & FACT_CONSUMES)) {
			if (!begin_wait(j, f->key))
				return false;
		} else if (end_wait(j, f->key, it.end)) {
			return true;
		}
	}
	return j->v->n < NONE - 1 && vec_push(j->v, it);
}

void joiner_reset(struct joiner *j)
{
	if (j->waits.at.n)
		keys_clear(&j->waits);
	j->region = NONE;
	j->n_waits = 0;
	j->v->n = 0;
}

/* ---- trees --------------------------------------------------------------------- */

static void pop(struct tree *t)
{
	t->nodes->at[t->open.at[--t->open.n]].end = (uint32_t)t->nodes->n;
}

bool tree_add(struct tree *t, const struct scene *s, struct item it)
{
	struct node *nodes = t->nodes->at;
	struct node node = {it.start, it.end, NONE, 0, it.name, it.facts};

#define TOP (&nodes[t->open.at[t->open.n - 1]])
	/* What takes no time may be at the end of what it is in. */
	while (t->open.n && TOP->end_ps <= it.start &&
		!(it.end == it.start && it.start == TOP->end_ps))
		pop(t);
	/* A marker of a step begins in its own __init__, and lasts longer. */
	while (t->open.n && it.end > TOP->end_ps && s->names.at[TOP->name].flags & NAME_PYTHON) {
		TOP->end_ps = it.start;
		pop(t);
	}
	if (t->open.n && node.end_ps > TOP->end_ps)
		node.end_ps = TOP->end_ps;
#undef TOP
	if (t->open.n)
		node.up = t->open.at[t->open.n - 1];
	return t->nodes->n < NONE - 1 && vec_push(t->nodes, node) &&
		vec_push(&t->open, (uint32_t)t->nodes->n - 1);
}

void tree_end(struct tree *t)
{
	while (t->open.n)
		pop(t);
}
