#include "load/xplane/own.h"

#include "base/mem.h"

static int64_t min_time(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

void own_init(struct own_times *o, size_t n_bytes, own_time_fn *tell, void *context)
{
	/* An event with a task takes more than 16 bytes. */
	*o = (struct own_times){.tell = tell,
		.context = context,
		.task = NONE,
		.at_ps = INT64_MIN,
		.most = n_bytes / 16 < UINT32_MAX / 4 ? n_bytes / 16 : UINT32_MAX / 4};
}

void own_clear(struct own_times *o)
{
	vec_clear(&o->open);
	vec_clear(&o->queued);
#define X(type, name) vec_clear(&o->name);
	OWN_LISTS(X)
#undef X
}

/* ---- sweeping ------------------------------------------------------------------------ */

static bool add_piece(struct own_times *o, uint32_t of, int64_t start_ps, int64_t end_ps,
	bool waits)
{
	struct own_piece *last = o->pieces.n ? &o->pieces.at[o->pieces.n - 1] : NULL;
	struct own_task *task = of & OWN_OF_TASK ? &o->tasks.at[of ^ OWN_OF_TASK] : NULL;

	if (task && !waits && task->end_ps == start_ps) {
		task->end_ps = end_ps;
		return true;
	}
	if (last && last->of == of && last->waits == waits && last->end_ps == start_ps)
		last->end_ps = end_ps;
	else if (o->pieces.n >= NONE ||
		!vec_push(&o->pieces,
			((struct own_piece){start_ps, end_ps, of, OWN_NO_PLACE, waits})))
		return false;
	if (task)
		o->n_fixed = (uint32_t)o->pieces.n;
	return true;
}

/* Time of the operation or task that the innermost event is part of. */
static bool add_time(struct own_times *o, const struct own_open *top, int64_t from_ps,
	int64_t until_ps)
{
	struct own_open *anchor = &o->open.at[top->anchor];

	if (anchor->kind == OWN_TASK && anchor->went_on_ps != OWN_FOREVER)
		return true;
	*(top->waits ? &anchor->waiting_ps : &anchor->work_ps) += until_ps - from_ps;
	return add_piece(o, anchor->of, from_ps, until_ps, top->waits);
}

/* The time until then belongs to the innermost event. */
static inline bool advance(struct own_times *o, int64_t until_ps)
{
	const struct own_open *top = o->open.n ? &o->open.at[o->open.n - 1] : NULL;
	int64_t from_ps = o->at_ps;

	if (until_ps <= from_ps)
		return true;
	o->at_ps = until_ps;
	return !top || top->anchor == NONE || add_time(o, top, from_ps, until_ps);
}

/* Whether an operation queued tasks is known by now, and with that which pieces are needed. */
static bool close_op(struct own_times *o, const struct own_open *op)
{
	struct own_time time = {op->work_ps, op->work_ps, op->waiting_ps, op->end_ps};

	if (op->place == OWN_NO_PLACE) {
		if (!o->keeps_all && op->first_piece >= o->n_fixed)
			o->pieces.n = op->first_piece;
		return o->tell(o->context, op->of, &time);
	}
	for (size_t i = op->first_piece; i < o->pieces.n; i++)
		if (o->pieces.at[i].of == op->of)
			o->pieces.at[i].place = op->place;
	o->n_fixed = (uint32_t)o->pieces.n;
	o->ops.at[op->place] =
		(struct own_op){op->start_ps, op->end_ps, op->done_ps, op->key, op->of};
	return true;
}

static inline bool close_last(struct own_times *o)
{
	const struct own_open *last = &o->open.at[o->open.n - 1];
	bool ok = advance(o, last->end_ps);

	if (last->anchor == o->open.n - 1 && !(last->of & OWN_OF_TASK))
		ok = ok && close_op(o, last);
	o->open.n--;
	if (o->task == o->open.n)
		o->task = NONE;
	return ok;
}

/* Sweeps to an event. What takes no time may be at the end of what it is in. */
static inline bool sweep(struct own_times *o, int64_t start_ps, bool takes_time)
{
	bool ok = true;

	while (ok && o->open.n) {
		int64_t end_ps = o->open.at[o->open.n - 1].end_ps;

		if (end_ps > start_ps || (end_ps == start_ps && !takes_time))
			break;
		ok = close_last(o);
	}
	return ok && advance(o, start_ps);
}

/* Adds an event after what is before it has been swept; one that sticks out of what it is within
 * is cut off. Written in place: copied from the stack, it takes three times as long. NULL on
 * allocation failure. */
static inline struct own_open *push(struct own_times *o, int64_t start_ps, int64_t end_ps,
	enum own_kind kind, uint32_t of)
{
	uint32_t place = (uint32_t)o->open.n;
	struct own_open *e, *around, *task;

	if (place >= NONE - 1 || (place == o->open.cap && !vec_reserve(&o->open, 1)))
		return NULL;
	e = &o->open.at[o->open.n++];
	around = place ? e - 1 : NULL;
	e->start_ps = start_ps;
	e->end_ps = around ? min_time(end_ps, around->end_ps) : end_ps;
	e->done_ps = kind == OWN_TASK ? OWN_FOREVER : e->end_ps;
	e->work_ps = e->waiting_ps = 0;
	e->key = 0;
	e->first_piece = (uint32_t)o->pieces.n;
	e->of = of;
	e->kind = (uint8_t)kind;
	e->place = OWN_NO_PLACE;
	e->is_whole = false;
	e->waits = around && around->waits && kind != OWN_OP;
	e->anchor = around ? around->anchor : NONE;
	if (kind == OWN_WAIT)
		e->waits |= e->anchor != NONE && !o->open.at[e->anchor].is_whole;
	if (kind >= OWN_OP)
		e->anchor = of == NONE ? NONE : place;
	if ((kind == OWN_OP || kind == OWN_APART) && around && around->anchor != NONE) {
		task = &o->open.at[around->anchor];
		if (task->kind == OWN_TASK && task->went_on_ps == OWN_FOREVER)
			task->went_on_ps = start_ps;
	}
	return e;
}

/* ---- events -------------------------------------------------------------------------- */

bool own_add(struct own_times *o, int64_t start_ps, int64_t end_ps, enum own_kind kind, uint32_t of)
{
	own_see(o, end_ps);
	return sweep(o, start_ps, end_ps > start_ps) && push(o, start_ps, end_ps, kind, of);
}

void own_set_key(struct own_times *o, uint64_t key)
{
	struct own_open *op = &o->open.at[o->open.n - 1];

	op->key = key;
	op->done_ps = OWN_FOREVER;
}

void own_set_whole(struct own_times *o)
{
	o->open.at[o->open.n - 1].is_whole = true;
}

bool own_add_end(struct own_times *o, int64_t start_ps, int64_t end_ps, uint64_t key,
	bool *is_within)
{
	const struct own_open *around;
	struct own_open *op;
	struct own_end end = {key, start_ps, OWN_FOREVER};

	*is_within = false;
	if (!sweep(o, start_ps, end_ps > start_ps))
		return false;
	around = o->open.n ? &o->open.at[o->open.n - 1] : NULL;
	op = around && around->anchor != NONE ? &o->open.at[around->anchor] : NULL;
	if (op && op->kind == OWN_OP && op->key == key) {
		op->done_ps = start_ps;
		*is_within = true;
	} else {
		if (around && around->kind == OWN_TASK)
			end.went_on_ps = around->went_on_ps;
		if (!vec_push(&o->ends, end))
			return false;
	}
	return push(o, start_ps, end_ps, OWN_OTHER, NONE);
}

/* ---- tasks --------------------------------------------------------------------------- */

/* Where it stands among .queued; NONE: it is listed with the others. */
static uint32_t place_of(struct own_times *o, uint64_t number)
{
	/* The first task seen need not have the smallest number: threads start in any order. */
	enum { BEFORE = 1 << 16 };

	if (!o->queued.n && !o->first_number)
		o->first_number = number > BEFORE ? number - BEFORE : 1;
	number -= o->first_number;
	return number < o->most ? (uint32_t)number : NONE;
}

static bool reach(struct own_times *o, uint32_t place)
{
	size_t n = o->queued.n, more = (size_t)place + 1 - n;

	if (place < n)
		return true;
	if (!vec_reserve(&o->queued, more))
		return false;
	memset(o->queued.at + n, 0, more * sizeof(*o->queued.at));
	o->queued.n += more;
	return true;
}

/* What queues a task at this time: see struct own_queued. False on allocation failure. */
static bool find_queuer(struct own_times *o, uint32_t *by)
{
	const struct own_open *around = o->open.n ? &o->open.at[o->open.n - 1] : NULL;
	struct own_open *anchor;

	*by = NONE;
	if (!around || around->anchor == NONE)
		return true;
	anchor = &o->open.at[around->anchor];
	if (anchor->kind == OWN_TASK && anchor->went_on_ps != OWN_FOREVER)
		return true;
	if (anchor->of & OWN_OF_TASK) {
		*by = anchor->of;
		return true;
	}
	if (anchor->place == OWN_NO_PLACE) {
		if (o->ops.n >= OWN_NO_PLACE || !vec_push(&o->ops, ((struct own_op){.op = NONE})))
			return false;
		anchor->place = (uint32_t)o->ops.n - 1;
	}
	*by = anchor->place;
	return true;
}

bool own_add_record(struct own_times *o, int64_t time_ps, uint64_t number)
{
	uint32_t place = place_of(o, number), by;

	if (!sweep(o, time_ps, false) || !find_queuer(o, &by))
		return false;
	if (place == NONE)
		return vec_push(&o->others, ((struct own_queued){number, by}));
	if (!reach(o, place))
		return false;
	o->queued.at[place] = by == NONE ? 1 : by + 2;
	return true;
}

/* Whether it is known by now that nobody queued a task. */
static bool is_of_nobody(struct own_times *o, uint64_t number)
{
	uint32_t place = place_of(o, number);

	return place != NONE && place < o->queued.n && o->queued.at[place] == 1;
}

/* Ends what is open from a place on. */
static bool end_from(struct own_times *o, uint32_t place, int64_t time_ps)
{
	for (size_t i = place; i < o->open.n; i++)
		o->open.at[i].end_ps = min_time(o->open.at[i].end_ps, time_ps);
	return sweep(o, time_ps, true);
}

bool own_begin_task(struct own_times *o, int64_t start_ps, int64_t end_ps, const uint64_t *number,
	uint32_t of)
{
	if (!(o->task == NONE ? sweep(o, start_ps, true) : end_from(o, o->task, start_ps)))
		return false;
	if (of == NONE && number && !is_of_nobody(o, *number)) {
		of = OWN_OF_TASK | (uint32_t)o->tasks.n;
		if (o->tasks.n >= OWN_OF_TASK - 3 ||
			!vec_push(&o->tasks, ((struct own_task){start_ps, start_ps, *number})))
			return false;
	}
	o->task = (uint32_t)o->open.n;
	return push(o, start_ps, end_ps, OWN_TASK, of);
}

bool own_end_task(struct own_times *o, int64_t time_ps)
{
	return o->task == NONE || end_from(o, o->task, time_ps);
}

/* ---- waits --------------------------------------------------------------------------- */

bool own_begin_wait(struct own_times *o, int64_t start_ps, uint64_t key)
{
	struct own_open *wait;

	if (!sweep(o, start_ps, true))
		return false;
	wait = push(o, start_ps, OWN_FOREVER, OWN_WAIT, NONE);
	if (wait)
		wait->key = key;
	return wait;
}

/* The innermost open event of a kind with a key; NONE. */
static uint32_t find_open(const struct own_times *o, enum own_kind kind, uint64_t key)
{
	for (size_t i = o->open.n; i-- > 0;)
		if (o->open.at[i].kind == kind && o->open.at[i].key == key)
			return (uint32_t)i;
	return NONE;
}

bool own_end_wait(struct own_times *o, int64_t start_ps, int64_t end_ps, uint64_t key)
{
	uint32_t wait = find_open(o, OWN_WAIT, key);

	return wait == NONE ? own_add(o, start_ps, end_ps, OWN_WAIT, NONE)
			    : end_from(o, wait, end_ps);
}

bool own_end_op(struct own_times *o, int64_t time_ps, uint64_t key)
{
	uint32_t op = find_open(o, OWN_OP, key);

	return op == NONE || end_from(o, op, time_ps);
}

bool own_end_line(struct own_times *o)
{
	bool ok = true;

	while (ok && o->open.n)
		ok = close_last(o);
	o->open.n = 0;
	o->at_ps = INT64_MIN;
	o->task = NONE;
	return ok;
}
