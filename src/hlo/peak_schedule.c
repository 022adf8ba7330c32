#include <stdlib.h>

#include "hlo/peak.h"

/* A buffer that begins or ends to live. */
struct change {
	uint32_t time, assigned;
	bool is_end;
};

/* The addresses of an arena, cut where a buffer begins or ends, as a tree: how many buffers cover
 * a piece whole, and how many bytes of it any of them covers.
 *
 *     1: [0 … n)    2: left half   3: right half   4 … */
struct cover {
	int64_t *cuts;
	size_t n_cuts;
	uint32_t *n_covers;
	int64_t *bytes;
};

static int compare_cuts(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* At a time, those that begin come before those that end: a value lives up to its last use. */
static int compare_changes(const void *a, const void *b)
{
	const struct change *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	if (x->is_end != y->is_end)
		return x->is_end - y->is_end;
	return (x->assigned > y->assigned) - (x->assigned < y->assigned);
}

static size_t find_cut(const struct cover *c, int64_t cut)
{
	size_t from = 0, to = c->n_cuts;

	while (from < to) {
		size_t middle = (from + to) / 2;

		if (c->cuts[middle] < cut)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

/* Depth is the logarithm of the number of pieces. */
static void change_cover(struct cover *c, size_t node, size_t from, size_t to, size_t first,
	size_t end, int by)
{
	size_t middle = (from + to) / 2;

	if (first >= to || end <= from)
		return;
	if (first <= from && to <= end) {
		c->n_covers[node] += (uint32_t)by;
	} else {
		change_cover(c, 2 * node, from, middle, first, end, by);
		change_cover(c, 2 * node + 1, middle, to, first, end, by);
	}
	if (c->n_covers[node])
		c->bytes[node] = c->cuts[to] - c->cuts[from];
	else
		c->bytes[node] = to - from > 1 ? c->bytes[2 * node] + c->bytes[2 * node + 1] : 0;
}

static bool cut(struct cover *c, const struct hlo_buffers *b, const struct hlo_allocation *a)
{
	size_t n = 0;

	c->cuts = mem_array(2 * (size_t)a->n + 1, sizeof(*c->cuts));
	if (!c->cuts)
		return false;
	for (uint32_t i = a->first; i < a->first + a->n; i++) {
		c->cuts[n++] = b->assigned.at[i].offset;
		c->cuts[n++] = b->assigned.at[i].offset + b->assigned.at[i].bytes;
	}
	qsort(c->cuts, n, sizeof(*c->cuts), compare_cuts);
	for (size_t i = 0; i < n; i++)
		if (!c->n_cuts || c->cuts[c->n_cuts - 1] != c->cuts[i])
			c->cuts[c->n_cuts++] = c->cuts[i];
	c->n_covers = mem_zero_array(4 * c->n_cuts + 4, sizeof(*c->n_covers));
	c->bytes = mem_zero_array(4 * c->n_cuts + 4, sizeof(*c->bytes));
	return c->n_covers && c->bytes;
}

static const struct hlo_life *life_of(const struct hlo_buffers *b, const struct hlo_same *same,
	const struct hlo_schedule *s, uint32_t assigned)
{
	uint32_t value = b->at.at[b->assigned.at[assigned].buffer].value;
	const struct hlo_life *life = value == NONE ? NULL : &s->lives[same->set[value]];

	return life && life->first != NONE ? life : NULL;
}

typedef VEC(struct change) changes;

static bool find_changes(changes *list, const struct hlo_buffers *b, const struct hlo_same *same,
	const struct hlo_schedule *s, const struct hlo_allocation *a)
{
	for (uint32_t i = a->first; i < a->first + a->n; i++) {
		const struct hlo_life *life = life_of(b, same, s, i);

		if (life &&
			(!vec_push(list, ((struct change){life->first, i, false})) ||
				!vec_push(list, ((struct change){life->last, i, true}))))
			return false;
	}
	if (list->n)
		qsort(list->at, list->n, sizeof(*list->at), compare_changes);
	return true;
}

bool hlo_peak_of_schedule(struct hlo_peak *peak, const struct hlo_program *p,
	const struct hlo_buffers *b, const struct hlo_same *same, const struct hlo_schedule *s,
	uint32_t allocation)
{
	const struct hlo_allocation *a = &b->allocations.at[allocation];
	struct cover c = {0};
	changes list = {0};
	uint32_t time = NONE;
	bool ok = cut(&c, b, a) && find_changes(&list, b, same, s, a);

	peak->at = SPAN("");
	for (size_t i = 0; ok && c.n_cuts > 1 && i < list.n; i++) {
		const struct hlo_assigned *at = &b->assigned.at[list.at[i].assigned];

		change_cover(&c, 1, 0, c.n_cuts - 1, find_cut(&c, at->offset),
			find_cut(&c, at->offset + at->bytes), list.at[i].is_end ? -1 : 1);
		if (c.bytes[1] > peak->bytes) {
			peak->bytes = c.bytes[1];
			time = list.at[i].time;
		}
	}
	if (time != NONE)
		peak->at = p->ops.at[s->ops.at[time]].name;
	for (uint32_t i = a->first; ok && time != NONE && i < a->first + a->n; i++) {
		const struct hlo_life *life = life_of(b, same, s, i);

		if (life && life->first <= time && time <= life->last)
			ok = vec_push(&peak->live, b->assigned.at[i].buffer);
	}
	mem_free(c.cuts);
	mem_free(c.n_covers);
	mem_free(c.bytes);
	vec_clear(&list);
	return ok;
}
