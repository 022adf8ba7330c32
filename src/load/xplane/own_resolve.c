/* Whose the tasks were, once all lines have been swept. */
#include <stdlib.h>

#include "base/clamped.h"
#include "base/mem.h"
#include "base/sort.h"
#include "load/xplane/own.h"

/* Of a task; else an operation: its place among those that queued tasks. */
static const uint32_t UNKNOWN = NONE - 1, BEING_FOUND = NONE - 2;

struct resolver {
	struct own_times *o;
	uint32_t *owner; /* by task */
	VEC(uint32_t) path;
};

/* ---- when operations were done --------------------------------------------------------- */

static int by_key(const void *a, const void *b)
{
	const struct own_end *x = a, *y = b;

	return (x->key > y->key) - (x->key < y->key);
}

static int by_number(const void *a, const void *b)
{
	const struct own_queued *x = a, *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

#define SORT(list, order)                                                         \
	do {                                                                      \
		if ((list)->n)                                                    \
			qsort((list)->at, (list)->n, sizeof(*(list)->at), order); \
	} while (0)
#define FIND(list, probe, order) \
	((list)->n ? bsearch(probe, (list)->at, (list)->n, sizeof(*(list)->at), order) : NULL)

/* A task that ends an operation runs what follows before it says so. */
static void find_done(const struct own_times *o, struct own_op *op)
{
	const struct own_end probe = {op->key, 0, 0}, *end;

	if (!op->key || op->done_ps != OWN_FOREVER)
		return;
	end = FIND(&o->ends, &probe, by_key);
	if (!end)
		return;
	op->done_ps = end->time_ps > op->start_ps ? end->time_ps : op->start_ps;
	if (op->done_ps > op->end_ps && end->went_on_ps < op->done_ps)
		op->done_ps = end->went_on_ps > op->end_ps ? end->went_on_ps : op->end_ps;
}

/* ---- owners ---------------------------------------------------------------------------- */

/* What queued a task: .of, or NONE. */
static uint32_t queued_by(const struct own_times *o, uint64_t number)
{
	const struct own_queued probe = {number, 0}, *other;
	uint64_t place = number - o->first_number;

	if (place < o->queued.n)
		return o->queued.at[place] < 2 ? NONE : o->queued.at[place] - 2;
	other = FIND(&o->others, &probe, by_number);
	return other ? other->by : NONE;
}

/* Tasks queue tasks: follows them to an operation. One that queued itself has none. */
static bool find_owner(struct resolver *r, uint32_t task)
{
	struct own_times *o = r->o;
	uint32_t owner = NONE;

	while (r->owner[task] == UNKNOWN) {
		uint32_t by = queued_by(o, o->tasks.at[task].number);

		if (!vec_push(&r->path, task))
			return false;
		r->owner[task] = BEING_FOUND;
		if (by == NONE || !(by & OWN_OF_TASK)) {
			owner = by < o->ops.n ? by : NONE;
			break;
		}
		task = by ^ OWN_OF_TASK;
		owner = task < o->tasks.n ? r->owner[task] : NONE;
		if (owner == NONE)
			break;
	}
	if (owner == BEING_FOUND || owner == UNKNOWN)
		owner = NONE;
	while (r->path.n) {
		task = r->path.at[--r->path.n];
		/* What begins when the operation is over is an empty task. */
		if (owner != NONE && o->tasks.at[task].start_ps >= o->ops.at[owner].done_ps)
			owner = NONE;
		r->owner[task] = owner;
	}
	return true;
}

static bool find_owners(struct resolver *r)
{
	for (uint32_t i = 0; i < r->o->tasks.n; i++)
		r->owner[i] = UNKNOWN;
	for (uint32_t i = 0; i < r->o->tasks.n; i++)
		if (!find_owner(r, i))
			return false;
	return true;
}

/* ---- times ----------------------------------------------------------------------------- */

/* Moves the pieces that stand with tasks to the list, if those have an owner. */
static bool list_pieces(struct resolver *r)
{
	struct own_times *o = r->o;

	for (uint32_t i = 0; i < o->tasks.n; i++) {
		const struct own_task *t = &o->tasks.at[i];

		if (r->owner[i] != NONE && t->end_ps > t->start_ps &&
			!vec_push(&o->pieces,
				((struct own_piece){t->start_ps, t->end_ps, OWN_OF_TASK | i,
					OWN_NO_PLACE, false})))
			return false;
	}
	return true;
}

/* Gives a piece to its operation, whose place is returned; NONE if it has none, or one that
 * queued nothing. */
static uint32_t give(const struct resolver *r, struct own_piece *piece)
{
	const struct own_times *o = r->o;
	const struct own_op *op;
	int64_t limit_ps;
	uint32_t place;

	if (piece->end_ps > o->last_ps)
		piece->end_ps = o->last_ps;
	if (!(piece->of & OWN_OF_TASK))
		return piece->place == OWN_NO_PLACE ? NONE : piece->place;
	place = r->owner[piece->of ^ OWN_OF_TASK];
	piece->of = NONE;
	if (place == NONE)
		return NONE;
	/* A thread that was preempted says late that its task has ended. */
	op = &o->ops.at[place];
	limit_ps = op->done_ps > op->end_ps ? op->done_ps : op->end_ps;
	if (piece->end_ps > limit_ps)
		piece->end_ps = limit_ps;
	if (piece->end_ps <= piece->start_ps)
		return NONE;
	piece->of = op->op;
	return place;
}

static int by_start(const void *a, const void *b)
{
	const struct own_piece *x = a, *y = b;

	return (x->start_ps > y->start_ps) - (x->start_ps < y->start_ps);
}

static struct own_time sum_up(struct own_piece *pieces, size_t n)
{
	struct own_time time = {.end_ps = INT64_MIN};
	int64_t until_ps = INT64_MIN;

	qsort(pieces, n, sizeof(*pieces), by_start);
	for (size_t i = 0; i < n; i++) {
		const struct own_piece *p = &pieces[i];
		int64_t from_ps = p->start_ps > until_ps ? p->start_ps : until_ps;

		if (p->waits) {
			add_clamped(&time.waiting_ps, p->end_ps - p->start_ps);
			continue;
		}
		add_clamped(&time.busy_ps, p->end_ps - p->start_ps);
		if (p->end_ps <= from_ps)
			continue;
		time.work_ps += p->end_ps - from_ps;
		until_ps = p->end_ps;
	}
	time.end_ps = until_ps;
	return time;
}

/* Sorts the pieces of operations that queued tasks by those, and sums them up. */
static bool sum_all(struct resolver *r)
{
	struct own_times *o = r->o;
	size_t n = 0, *ends = mem_zero_array(o->ops.n + 1, sizeof(*ends));
	uint32_t *places = mem_array(o->pieces.n + 1, sizeof(*places));
	struct own_piece *sorted = NULL;
	bool ok = ends && places;

	for (size_t i = 0; ok && i < o->pieces.n; i++) {
		places[i] = give(r, &o->pieces.at[i]);
		if (places[i] != NONE)
			ends[places[i] + 1]++, n++;
	}
	for (size_t i = 0; ok && i < o->ops.n; i++)
		ends[i + 1] += ends[i];
	sorted = ok ? mem_array(n + 1, sizeof(*sorted)) : NULL;
	ok = sorted;
	for (size_t i = 0; ok && i < o->pieces.n; i++)
		if (places[i] != NONE)
			sorted[ends[places[i]]++] = o->pieces.at[i];
	for (size_t i = 0; ok && i < o->ops.n; i++) {
		size_t first = i ? ends[i - 1] : 0;
		struct own_time time = sum_up(sorted + first, ends[i] - first);

		ok = o->tell(o->context, o->ops.at[i].op, &time);
	}
	mem_free(ends);
	mem_free(places);
	mem_free(sorted);
	return ok;
}

bool own_resolve(struct own_times *o)
{
	struct resolver r = {.o = o};
	bool ok;

	SORT(&o->ends, by_key);
	SORT(&o->others, by_number);
	for (size_t i = 0; i < o->ops.n; i++)
		find_done(o, &o->ops.at[i]);
	r.owner = mem_array(o->tasks.n + 1, sizeof(*r.owner));
	ok = r.owner && find_owners(&r) && list_pieces(&r) && sum_all(&r);
	mem_free(r.owner);
	vec_clear(&r.path);
	return ok;
}
