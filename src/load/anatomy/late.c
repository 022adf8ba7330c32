/* What the host did while a GPU had nothing to do, because what ran next was not launched yet:
 *
 *     GPU     a ───┤               ├── b
 *     host     …    train.py:31 log ┴ launch of b
 *                  └── late ──────┘
 */
#include <stdlib.h>

#include "load/anatomy/sweep.h"

/* Something that a device ran. */
struct ran {
	int64_t start, end, launched; /* launched: INT64_MAX if it is not known */
	uint32_t device;
};

struct late_cause {
	struct doing key;
	int64_t ps;
};

struct later {
	struct scene *s;
	struct anatomy *to;
	VEC(struct ran) ran;
	VEC(struct late_cause) causes; /* of the device at hand */
	size_t stretch;                /* the first that may be of the next gap */
};

static int by_device(const void *a, const void *b)
{
	const struct ran *x = a, *y = b;

	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	return (x->start > y->start) - (x->start < y->start);
}

static bool list_ran(struct later *l)
{
	const struct scene *s = l->s;

	for (size_t i = 0; i < s->ops.n; i++) {
		const struct op *op = &s->ops.at[i];
		struct ran ran = {.device = op->device, .launched = INT64_MAX};

		if (!op->is_on_device || op->device == NONE)
			continue;
		ran.start = s->nodes.at[op->node].start;
		ran.end = s->nodes.at[op->node].end_ps;
		if (op->launch != NONE)
			ran.launched = s->nodes.at[op->launch].start;
		if (!vec_push(&l->ran, ran))
			return false;
	}
	if (l->ran.n)
		qsort(l->ran.at, l->ran.n, sizeof(*l->ran.at), by_device);
	return true;
}

/* Gaps of a device are in order, and so are stretches. */
static bool add_gap(struct later *l, int64_t start, int64_t end)
{
	const struct scene *s = l->s;
	bool ok = true;

	while (l->stretch < s->stretches.n && s->stretches.at[l->stretch].end <= start)
		l->stretch++;
	for (size_t i = l->stretch; ok && i < s->stretches.n && s->stretches.at[i].start < end;
		i++) {
		const struct stretch *of = &s->stretches.at[i];
		int64_t from = of->start > start ? of->start : start;
		int64_t to = of->end < end ? of->end : end;

		ok = to <= from ||
			vec_push(&l->causes,
				((struct late_cause){s->doings.at[of->doing], to - from}));
	}
	return ok;
}

static int by_key(const void *a, const void *b)
{
	const struct doing *x = &((const struct late_cause *)a)->key;
	const struct doing *y = &((const struct late_cause *)b)->key;

	if (x->cause != y->cause)
		return x->cause < y->cause ? -1 : 1;
	if (x->other != y->other)
		return x->other < y->other ? -1 : 1;
	if (x->part != y->part)
		return x->part < y->part ? -1 : 1;
	return (x->kind > y->kind) - (x->kind < y->kind);
}

static int longest_first(const void *a, const void *b)
{
	const struct late_cause *x = a, *y = b;

	return x->ps != y->ps ? (x->ps < y->ps) - (x->ps > y->ps) : by_key(a, b);
}

static bool put_device(struct later *l, uint32_t device)
{
	struct anatomy *a = l->to;
	struct anatomy_late late = {
		.device = arena_copy(&a->arena, text_of(l->s, l->s->devices.at[device]))};
	size_t n = 0;
	bool ok = late.device.at;

	if (l->causes.n)
		qsort(l->causes.at, l->causes.n, sizeof(*l->causes.at), by_key);
	for (size_t i = 0; i < l->causes.n; i++)
		if (n && by_key(&l->causes.at[n - 1], &l->causes.at[i]) == 0)
			l->causes.at[n - 1].ps += l->causes.at[i].ps;
		else
			l->causes.at[n++] = l->causes.at[i];
	if (n)
		qsort(l->causes.at, n, sizeof(*l->causes.at), longest_first);
	/* What is left says nothing of most of it. */
	if (n && l->causes.at[0].key.part == ANATOMY_UNKNOWN)
		n = 0;
	for (; ok && late.n < n && late.n < ANATOMY_LATE_CAUSES; late.n++) {
		const struct late_cause *cause = &l->causes.at[late.n];
		struct buf text = {0};

		sweep_put_cause(&text, l->s, cause->key);
		late.causes[late.n] = (struct anatomy_cause){cause->key.part,
			text.failed ? SPAN("") : arena_copy(&a->arena, buf_get(&text)), cause->ps};
		ok = !text.failed && late.causes[late.n].text.at;
		buf_clear(&text);
	}
	l->causes.n = 0;
	return ok && (!n || vec_push(&a->late, late));
}

static bool add_device(struct later *l, size_t first, size_t end)
{
	int64_t reach = l->ran.at[first].end;
	bool ok = true;

	l->stretch = 0;
	for (size_t i = first + 1; ok && i < end; i++) {
		const struct ran *ran = &l->ran.at[i];

		/* What begins before it is launched does so by another clock. */
		if (ran->launched > reach && ran->launched <= ran->start)
			ok = add_gap(l, reach, ran->launched);
		if (ran->end > reach)
			reach = ran->end;
	}
	return ok && put_device(l, l->ran.at[first].device);
}

bool scene_find_late(struct scene *s, struct anatomy *a)
{
	struct later l = {.s = s, .to = a};
	bool ok = true;

	if (s->main == NONE || s->timed_device != NONE || s->stretches_of != s->main)
		return true;
	ok = list_ran(&l);
	for (size_t i = 0, end; ok && i < l.ran.n; i = end) {
		for (end = i; end < l.ran.n && l.ran.at[end].device == l.ran.at[i].device; end++)
			;
		ok = add_device(&l, i, end);
	}
	vec_clear(&l.ran);
	vec_clear(&l.causes);
	return scene_ok(s, ok);
}
