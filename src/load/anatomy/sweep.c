/* The decomposition: one sweep over all times at which anything begins or ends. Every instant
 * between two of them gets one part; what it lost to is hidden.
 *
 *     work      ──────┐ ┌─────      compute, communication, copy, input, callback
 *     thread    ──┬───┼─┼──┬──      what the main thread does
 *     windows   [ step 0   )[ gap )[ step 1 …
 *
 * An instant of several operations is shared evenly by them. To that end the share that each
 * one alive got so far is one sum for all, and an operation gets the difference between its end
 * and its beginning. Devices do the same with their parts. So the cost is that of sorting. */
#include "load/anatomy/sweep.h"

/* ---- slots ---------------------------------------------------------------------- */

struct slot_probe {
	const struct sweep *w;
	struct doing key;
};

static bool same_slot(const void *context, uint32_t i)
{
	const struct slot_probe *probe = context;

	return doing_is_same(probe->w->slots.at[i].key, probe->key);
}

uint32_t sweep_find_slot(struct sweep *w, struct doing key)
{
	struct slot_probe probe = {w, key};
	uint64_t hash = doing_hash(key);
	uint32_t *recent = &w->recent[hash >> 52], i = *recent;

	if (i < w->slots.n && doing_is_same(w->slots.at[i].key, key))
		return i;
	i = *recent = hash_find(&w->index, hash, same_slot, &probe);
	if (i != NONE)
		return i;
	if (w->slots.n >= NONE - 1 ||
		!vec_push(&w->slots, ((struct slot){.key = key, .previous = NONE, .next = NONE})) ||
		!hash_add(&w->index, hash, (uint32_t)w->slots.n - 1)) {
		w->failed = true;
		return NONE;
	}
	return *recent = (uint32_t)w->slots.n - 1;
}

static void give(struct sweep *w, uint32_t slot, double ps)
{
	struct slot *s = &w->slots.at[slot];

	if (!s->is_touched) {
		s->is_touched = true;
		w->failed |= !vec_push(&w->touched, slot);
	}
	s->ps += ps;
}

/* Returns the slot; NONE on allocation failure. */
static uint32_t give_cause(struct sweep *w, unsigned part, unsigned kind, uint32_t cause,
	uint32_t other, int64_t ps)
{
	struct doing key = {cause, other, (uint8_t)part, (uint8_t)kind};
	uint32_t slot = sweep_find_slot(w, key);

	if (slot != NONE)
		give(w, slot, (double)ps);
	return slot;
}

/* ---- what is alive ----------------------------------------------------------------- */

static void enter(struct sweep *w, uint32_t slot)
{
	struct slot *s = &w->slots.at[slot];
	struct class_state *c = &w->classes[s->key.part];

	if (s->n_alive++)
		return;
	s->entered = c->share;
	s->previous = c->last;
	s->next = NONE;
	if (c->last == NONE)
		c->first = slot;
	else
		w->slots.at[c->last].next = slot;
	c->last = slot;
	c->n_alive++;
}

static void leave(struct sweep *w, uint32_t slot)
{
	struct slot *s = &w->slots.at[slot];
	struct class_state *c = &w->classes[s->key.part];

	if (--s->n_alive)
		return;
	if (c->share > s->entered)
		give(w, slot, c->share - s->entered);
	s = &w->slots.at[slot];
	*(s->previous == NONE ? &c->first : &w->slots.at[s->previous].next) = s->next;
	*(s->next == NONE ? &c->last : &w->slots.at[s->next].previous) = s->previous;
	c->n_alive--;
}

static void set_device_state(struct sweep *w, struct device_state *d)
{
	unsigned state = SWEEP_CLASSES;

	for (unsigned c = SWEEP_CLASSES; c--;)
		if (d->n_alive[c])
			state = c;
	if (state == d->state)
		return;
	for (unsigned p = 0; p < N_ANATOMY_PARTS; p++) {
		d->parts[p] += w->of_state[d->state][p] - d->base[p];
		d->base[p] = w->of_state[state][p];
	}
	d->state = state;
}

static void change_device(struct sweep *w, const struct work *work, int change)
{
	unsigned class = work->class;

	if (class >= SWEEP_CLASSES)
		return;
	if (work->device == NONE) {
		w->n_alive_of_all[class] += change;
		return;
	}
	w->n_alive_on_devices += class <= ANATOMY_COMMUNICATION ? change : 0;
	w->devices[work->device].n_alive[class] += change;
	set_device_state(w, &w->devices[work->device]);
}

/* ---- stages of the input pipeline ------------------------------------------------------ */

/* Whether a limits the pipeline rather than b: the one that is furthest from the consumer. */
static bool is_deeper(const struct sweep *w, uint32_t a, uint32_t b)
{
	const struct stage *x = &w->s->stages.at[a], *y = &w->s->stages.at[b];
	int order;

	if (x->depth != y->depth)
		return x->depth > y->depth;
	if (x->start != y->start)
		return x->start < y->start;
	if (x->end != y->end)
		return x->end < y->end;
	order = span_compare(text_of(w->s, x->path), text_of(w->s, y->path));
	return order < 0;
}

static void push_stage(struct sweep *w, uint32_t stage)
{
	size_t i = w->heap.n;

	if (!vec_push(&w->heap, stage)) {
		w->failed = true;
		return;
	}
	for (; i && is_deeper(w, stage, w->heap.at[(i - 1) / 2]); i = (i - 1) / 2)
		w->heap.at[i] = w->heap.at[(i - 1) / 2];
	w->heap.at[i] = stage;
}

static void pop_stage(struct sweep *w)
{
	uint32_t last = w->heap.at[--w->heap.n];
	size_t i = 0, child;

	while ((child = 2 * i + 1) < w->heap.n) {
		if (child + 1 < w->heap.n && is_deeper(w, w->heap.at[child + 1], w->heap.at[child]))
			child++;
		if (!is_deeper(w, w->heap.at[child], last))
			break;
		w->heap.at[i] = w->heap.at[child];
		i = child;
	}
	if (w->heap.n)
		w->heap.at[i] = last;
}

static const struct stage *stage_at(struct sweep *w, int64_t time)
{
	while (w->heap.n && w->s->stages.at[w->heap.at[0]].end <= time)
		pop_stage(w);
	return w->heap.n ? &w->s->stages.at[w->heap.at[0]] : NULL;
}

/* ---- an instant -------------------------------------------------------------------------- */

/* What holds if no work of the classes is alive. */
static unsigned part_of_thread(const struct sweep *w, const struct doing *thread)
{
	if (thread && thread->part == ANATOMY_INPUT)
		return ANATOMY_INPUT;
	if (w->classes[ANATOMY_CALLBACK].n_alive)
		return ANATOMY_CALLBACK;
	/* Another thread launches what an accelerator is to run. */
	if (w->classes[ANATOMY_DISPATCH].n_alive &&
		(!thread || thread->part == ANATOMY_RUNTIME || thread->part == ANATOMY_UNKNOWN))
		return ANATOMY_DISPATCH;
	if (!thread)
		return ANATOMY_UNKNOWN;
	switch (thread->part) {
	case ANATOMY_COMPILE:
	case ANATOMY_COPY:
	case ANATOMY_CALLBACK:
	case ANATOMY_DISPATCH:
	case ANATOMY_PYTHON: return thread->part;
	case ANATOMY_UNKNOWN:
		return w->classes[ANATOMY_RUNTIME].n_alive ? ANATOMY_RUNTIME : ANATOMY_UNKNOWN;
	default: return ANATOMY_RUNTIME;
	}
}

static unsigned part_of_instant(const struct sweep *w, const struct doing *thread)
{
	for (unsigned c = 0; c < SWEEP_CLASSES; c++)
		if (w->classes[c].n_alive)
			return c;
	return part_of_thread(w, thread);
}

/* The same for a device on which nothing better than `state` is alive. */
static unsigned part_of_device(const struct sweep *w, unsigned state, unsigned of_thread)
{
	for (unsigned c = 0; c < SWEEP_CLASSES; c++)
		if (c == state || w->n_alive_of_all[c])
			return c;
	return w->n_alive_on_devices ? ANATOMY_IDLE : of_thread;
}

static void add_hidden(struct sweep *w, unsigned part, const struct doing *thread, int64_t ps)
{
	static const unsigned classes[] = {ANATOMY_COMMUNICATION, ANATOMY_COPY, ANATOMY_INPUT,
		ANATOMY_CALLBACK};

	for (size_t i = 0; i < sizeof(classes) / sizeof(*classes); i++)
		if (classes[i] != part && w->classes[classes[i]].n_alive)
			w->hidden[classes[i]] += ps;
	if (w->classes[WORK_INPUT].n_alive)
		w->input_work_ps += ps;
	if (part <= ANATOMY_COMMUNICATION && thread &&
		(thread->part == ANATOMY_COMPILE || thread->part == ANATOMY_PYTHON ||
			thread->part == ANATOMY_DISPATCH))
		w->hidden[thread->part] += ps;
}

/* What is waited for, if no batch of tf.data is: a queue. NONE. */
static uint32_t find_queue(const struct sweep *w)
{
	uint32_t first = w->classes[ANATOMY_INPUT].first;

	for (uint32_t i = first; i != NONE; i = w->slots.at[i].next)
		if (w->slots.at[i].key.cause == w->s->get_next)
			return NONE;
	return first;
}

static uint32_t add_input(struct sweep *w, int64_t start, int64_t ps)
{
	const struct stage *stage = stage_at(w, start);
	uint32_t queue = find_queue(w);

	if (queue != NONE) {
		give(w, queue, (double)ps);
		return queue;
	}
	return stage ? give_cause(w, ANATOMY_INPUT, CAUSE_STAGE, stage->path, stage->name, ps)
		     : give_cause(w, ANATOMY_INPUT, CAUSE_PLAIN, w->s->get_next, 0, ps);
}

static uint32_t add_callback(struct sweep *w, const struct doing *thread, int64_t ps)
{
	uint32_t alive = w->classes[ANATOMY_CALLBACK].first;

	if (thread && (thread->part == ANATOMY_PYTHON || alive == NONE))
		return give_cause(w, ANATOMY_CALLBACK, thread->kind, thread->cause, thread->other,
			ps);
	if (alive != NONE)
		give(w, alive, (double)ps);
	return alive;
}

/* Returns the slot of the cause; NONE: several, or none. */
static uint32_t add_cause(struct sweep *w, unsigned part, const struct doing *thread, int64_t start,
	int64_t end)
{
	unsigned place = end <= w->window->first_work ? CAUSE_BEFORE
		: start >= w->window->last_work       ? CAUSE_AFTER
						      : CAUSE_BETWEEN;
	struct class_state *c = &w->classes[part];

	if (part <= ANATOMY_COPY && c->n_alive) {
		c->share += (double)(end - start) / (double)c->n_alive;
		return NONE;
	}
	if (part == ANATOMY_INPUT)
		return add_input(w, start, end - start);
	if (part == ANATOMY_CALLBACK)
		return add_callback(w, thread, end - start);
	if (part == ANATOMY_DISPATCH && (!thread || thread->part != part)) {
		give(w, c->first, (double)(end - start));
		return c->first;
	}
	return thread
		? give_cause(w, part, part == ANATOMY_RUNTIME ? place + thread->kind : thread->kind,
			  thread->cause, thread->other, end - start)
		: NONE;
}

static void note_moment(struct sweep *w, unsigned part, uint32_t slot, int64_t start, int64_t end)
{
	struct part_moment *last = w->moments.n ? &w->moments.at[w->moments.n - 1] : NULL;

	if (last && last->part == part && last->slot == slot && last->end == start &&
		start > w->window->start)
		last->end = end;
	else if (w->moments.n < w->s->most_moments)
		w->failed |= !vec_push(&w->moments, ((struct part_moment){start, end, part, slot}));
}

static void add_instant(struct sweep *w, const struct doing *thread, int64_t start, int64_t end)
{
	unsigned part = part_of_instant(w, thread);
	unsigned of_thread = part_of_thread(w, thread);

	w->parts[part] += end - start;
	add_hidden(w, part, thread, end - start);
	note_moment(w, part, add_cause(w, part, thread, start, end), start, end);
	for (unsigned state = 0; w->n_devices > 1 && state <= SWEEP_CLASSES; state++)
		w->of_state[state][part_of_device(w, state, of_thread)] += end - start;
}

/* What is alive does not change meanwhile; what the main thread does may. Its stretches are in
 * order already, and many: they are not sorted with the other times. */
static void add_time(struct sweep *w, int64_t start, int64_t end)
{
	const struct stretch *all = w->s->stretches.at;
	size_t n = w->s->stretches.n;

	while (start < end) {
		int64_t until = end;
		const struct stretch *thread;

		while (w->thread < n && all[w->thread].end <= start)
			w->thread++;
		thread = w->thread < n ? &all[w->thread] : NULL;
		if (thread && thread->start > start) {
			until = thread->start < end ? thread->start : end;
			thread = NULL;
		} else if (thread && thread->end < end) {
			until = thread->end;
		}
		add_instant(w, thread ? &w->s->doings.at[thread->doing] : NULL, start, until);
		start = until;
	}
}

/* ---- windows -------------------------------------------------------------------------------- */

static void open_window(struct sweep *w, const struct window *window)
{
	w->window = window;
	memset(w->parts, 0, sizeof(w->parts));
	memset(w->hidden, 0, sizeof(w->hidden));
	memset(w->of_state, 0, sizeof(w->of_state));
	w->input_work_ps = 0;
	for (unsigned c = 0; c <= ANATOMY_COPY; c++) {
		w->classes[c].share = 0;
		for (uint32_t i = w->classes[c].first; i != NONE; i = w->slots.at[i].next)
			w->slots.at[i].entered = 0;
	}
	for (size_t i = 0; i < w->n_devices; i++) {
		memset(w->devices[i].parts, 0, sizeof(w->devices[i].parts));
		memset(w->devices[i].base, 0, sizeof(w->devices[i].base));
	}
}

static void close_devices(struct sweep *w, struct anatomy_step *step)
{
	if (w->n_devices < 2 || !step->devices)
		return;
	for (size_t i = 0; i < w->n_devices; i++)
		for (unsigned p = 0; p < N_ANATOMY_PARTS; p++) {
			const struct device_state *d = &w->devices[i];

			step->devices[i].parts[p] =
				d->parts[p] + w->of_state[d->state][p] - d->base[p];
		}
}

static void close_window(struct sweep *w)
{
	const struct window *window = w->window;
	struct anatomy_step *step = &w->to->steps.at[window->step];

	for (unsigned c = 0; c <= ANATOMY_COPY; c++)
		for (uint32_t i = w->classes[c].first; i != NONE; i = w->slots.at[i].next) {
			double ps = w->classes[c].share - w->slots.at[i].entered;

			if (ps > 0)
				give(w, i, ps);
			w->slots.at[i].entered = w->classes[c].share;
		}
	if (window->is_gap) {
		w->failed |= !sweep_list_causes(w, &step->gap_causes);
	} else {
		memcpy(step->parts, w->parts, sizeof(w->parts));
		memcpy(step->hidden, w->hidden, sizeof(w->hidden));
		step->input_work_ps = w->input_work_ps;
		close_devices(w, step);
		w->failed |= !sweep_list_causes(w, &step->causes);
	}
	w->window = NULL;
}

/* ---- the sweep ---------------------------------------------------------------------------------
 */

static void apply(struct sweep *w, uint32_t id)
{
	const struct scene *s = w->s;

	if (id < 2 * s->work.n) {
		const struct work *work = &s->work.at[id / 2];
		bool is_timed = s->timed_device == NONE || work->device == s->timed_device;

		if (s->timed_device != NONE && work->device == NONE)
			return; /* by another clock */
		if (is_timed && id % 2)
			leave(w, w->slot_of[id / 2]);
		else if (is_timed)
			enter(w, w->slot_of[id / 2]);
		if (w->n_devices > 1)
			change_device(w, work, id % 2 ? -1 : 1);
	} else if (id < 2 * s->work.n + s->stages.n) {
		push_stage(w, id - 2 * (uint32_t)s->work.n);
	}
}

/* When the first and the last operation of each window run. */
static void find_work(struct sweep *w)
{
	size_t n_alive = 0, at = 0;

	for (size_t i = 0; i + 1 < w->n_times; i++) {
		int64_t start = sweep_time(w, i), end = sweep_time(w, i + 1);
		uint32_t id = w->times[i].id;
		struct window *window;

		if (id < 2 * w->s->work.n && w->s->work.at[id / 2].class <= ANATOMY_COMMUNICATION)
			n_alive += id % 2 ? -1 : 1;
		while (at < w->windows.n && w->windows.at[at].end <= start)
			at++;
		if (at == w->windows.n)
			return;
		window = &w->windows.at[at];
		if (!n_alive || start == end || start < window->start)
			continue;
		if (start < window->first_work)
			window->first_work = start;
		window->last_work = end;
	}
}

static void run(struct sweep *w)
{
	size_t at = 0;

	for (size_t i = 0; !w->failed && i < w->n_times; i++) {
		int64_t time = sweep_time(w, i);

		if (w->window && time >= w->window->end)
			close_window(w);
		while (!w->window && at < w->windows.n && w->windows.at[at].start <= time)
			if (w->windows.at[at].end > time)
				open_window(w, &w->windows.at[at++]);
			else
				at++;
		apply(w, w->times[i].id);
		if (w->window && i + 1 < w->n_times && sweep_time(w, i + 1) > time)
			add_time(w, time, sweep_time(w, i + 1));
	}
}

bool scene_cut(struct scene *s, struct anatomy *a)
{
	struct sweep w = {.s = s, .to = a};

	if (sweep_init(&w)) {
		find_work(&w);
		run(&w);
		w.failed |= !w.failed && !sweep_list_moments(&w);
	}
	sweep_clear(&w);
	return scene_ok(s, !w.failed);
}
