/* What the main thread does: a part and a cause for every stretch of it.
 *
 * Going up from a node, the first one whose name is known tells the part; Python frames below it
 * tell the cause. Nodes come after those that they are within, so each looks at its parent only. */
#include "load/anatomy/thread.h"

#include "load/anatomy/host.h"

static const struct thread_state no_state = {NONE, NONE, NONE, NONE, NONE, 0, NONE, NONE, NONE,
	WORK_NONE, false, false};

/* What a node that is no frame says; WORK_NONE if nothing. */
static unsigned part_of(struct thread_node n, uint32_t flags)
{
	if (n.class != WORK_NONE)
		return n.class;
	if (n.has & FACT_STEP || flags & NAME_REGION_START)
		return WORK_NONE;
	if (flags & NAME_RUNS)
		return ANATOMY_RUNTIME;
	if (flags & NAME_COMPILE)
		return ANATOMY_COMPILE;
	if (flags & NAME_INPUT)
		return ANATOMY_INPUT;
	if (flags & NAME_WAITING)
		return ANATOMY_RUNTIME;
	if (flags & NAME_COPY)
		return ANATOMY_COPY;
	if (flags & NAME_DISPATCH || n.has & FACT_CALL)
		return ANATOMY_DISPATCH;
	return WORK_NONE;
}

static void add_frame(struct thread_state *st, const struct node *node, const struct name *name)
{
	const int64_t long_ps = 100000000;

	st->frame = node->name;
	st->is_long = node->end_ps - node->start >= long_ps;
	st->unknown = NONE;
	if (!st->file && name->is_users) {
		st->file = name->file;
		st->user = node->name;
	} else if (st->file && name->has_file && st->file == name->file) {
		st->user = node->name;
		st->called = NONE;
		st->is_library = false;
	} else if (st->file && name->has_file && (!name->is_users || name->is_library)) {
		st->is_library = true;
	} else if (st->file && name->has_file && !st->is_library) {
		st->called = node->name; /* functions of C, such as next(), may lie between */
	}
}

/* A name that nothing is known about. */
static void count_unknown(struct thread_reader *r, struct name *name)
{
	if (name->counted_in == r->line || name->flags & NAME_CLOCK)
		return;
	name->counted_in = r->line;
	r->n_unknown_names++;
}

static struct thread_state find_state(struct thread_reader *r, struct thread_node n)
{
	struct scene *s = r->s;
	const struct node *node = &r->nodes->at[n.place];
	struct thread_state st = node->up == NONE ? no_state : r->states.at[node->up];
	struct name *name = &s->names.at[node->name];
	unsigned part;

	if (name->flags & NAME_PYTHON) {
		add_frame(&st, node, name);
	} else if ((part = part_of(n, name->flags)) != WORK_NONE) {
		uint32_t compiles = st.compiles, traced = st.traced, call = st.call;

		st = no_state;
		st.known = n.class == WORK_NONE ? node->name : n.op_name;
		st.part = (uint8_t)part;
		st.compiles = compiles;
		st.traced = traced;
		st.call = call;
	} else if (!(n.has & FACT_STEP) && !(name->flags & NAME_REGION_START) &&
		text_of(s, node->name).n) {
		st.unknown = node->name;
		st.frame = NONE;
		count_unknown(r, name);
	}
	if (n.has & FACT_CALL)
		st.call = node->name;
	/* A function of TensorFlow that XLA compiles is compiled where it is about to run. */
	if (st.compiles == NONE && name->flags & (NAME_JIT | NAME_PROGRAM) &&
		r->n_compile.at[node->end] > r->n_compile.at[n.place + 1])
		st.compiles = name->flags & NAME_JIT || st.call == NONE ? node->name : st.call;
	if (st.traced == NONE && n.has & FACT_TRACED)
		st.traced = node->name;
	return st;
}

/* ---- stretches ------------------------------------------------------------------------ */

/* What names a stretch of Python beside the user's frame. That a call of a library takes long says
 * less than which function of another file makes it; of short ones, that are many, the library's
 * own names stay apart. */
static void set_frames(const struct scene *s, const struct thread_state *st, struct stretch *to)
{
	uint32_t user = st->user == NONE ? st->frame : st->user;
	uint32_t leaf = st->called != NONE && st->is_long ? st->called : st->frame;

	to->part = ANATOMY_PYTHON;
	to->kind = CAUSE_FRAMES;
	to->cause = s->names.at[user].frame;
	to->other = user == st->frame ? 0 : s->names.at[leaf].frame;
}

static void set_cause(const struct thread_reader *r, const struct thread_state *st,
	struct stretch *to)
{
	const struct scene *s = r->s;
	unsigned part = st->unknown != NONE || st->known == NONE ? WORK_NONE : st->part;
	bool is_python = part == WORK_NONE;

	to->cause = st->unknown != NONE ? st->unknown : st->known == NONE ? 0 : st->known;
	if ((is_python || part == ANATOMY_DISPATCH || part == ANATOMY_COMPILE) &&
		(st->compiles != NONE || st->traced != NONE)) {
		to->part = ANATOMY_COMPILE;
		to->kind = CAUSE_COMPILE;
		to->cause = st->compiles != NONE ? st->compiles : st->traced;
		return;
	}
	if (st->frame != NONE && (is_python || part == ANATOMY_DISPATCH)) {
		if (s->names.at[st->frame].waits) {
			to->part = ANATOMY_RUNTIME;
			to->kind = CAUSE_WAITING;
			to->cause = s->names.at[st->frame].frame;
			return;
		}
		if (is_python) {
			set_frames(s, st, to);
			return;
		}
	}
	if (is_python) {
		to->part = s->is_main_known ? ANATOMY_PYTHON : ANATOMY_UNKNOWN;
		if (!s->is_main_known)
			to->cause = 0;
		else if (!to->cause)
			to->cause = r->not_traced;
		return;
	}
	to->part = part >= N_ANATOMY_PARTS ? ANATOMY_RUNTIME : part;
}

/* Neighbours that say the same are one. */
static bool add_stretch(struct thread_reader *r, const struct stretch *stretch, int64_t end)
{
	struct stretch *last = r->stretches.n ? &r->stretches.at[r->stretches.n - 1] : NULL;
	struct stretch added = *stretch;

	if (r->at >= end)
		return true;
	added.start = r->at;
	added.end = end;
	r->at = end;
	if (last && last->part == added.part && last->kind == added.kind &&
		last->cause == added.cause && last->other == added.other) {
		last->end = end;
		return true;
	}
	return vec_push(&r->stretches, added);
}

/* Stretches of all nodes, in order of time: a node's until its first child, the child's, and so
 * on, with what is open kept on a stack. `up`: what the next node is within. */
static bool reach(struct thread_reader *r, uint32_t up, int64_t start)
{
	const struct scene *s = r->s;
	struct stretch outside = {.part = s->is_main_known ? ANATOMY_PYTHON : ANATOMY_UNKNOWN,
		.cause = s->is_main_known ? r->not_traced : 0};
	bool ok = true;

	while (ok && r->open.n && r->open.at[r->open.n - 1].node != up) {
		const struct thread_open *o = &r->open.at[--r->open.n];

		ok = add_stretch(r, &o->stretch, r->nodes->at[o->node].end_ps);
	}
	return ok &&
		add_stretch(r, r->open.n ? &r->open.at[r->open.n - 1].stretch : &outside, start);
}

/* ---- nodes ------------------------------------------------------------------------------ */

bool thread_begin(struct thread_reader *r, struct scene *s, const node_list *nodes)
{
	r->s = s;
	r->line = ++s->n_threads_read;
	r->n_unknown_names = 0;
	r->nodes = nodes;
	r->at = INT64_MIN;
	r->states.n = r->open.n = r->stretches.n = 0;
	r->not_traced = strings_alias(&s->texts, SPAN("Python (not traced)"));
	return r->not_traced != NONE;
}

bool thread_prepare(struct thread_reader *r, size_t first)
{
	const struct scene *s = r->s;
	size_t n = r->nodes->n;
	uint32_t n_compile = 0;

	r->n_compile.n = 0;
	if (!vec_reserve(&r->n_compile, n + 1) || !vec_reserve(&r->states, n - r->states.n))
		return false;
	for (size_t i = 0; i < n; i++) {
		r->n_compile.at[i] = n_compile;
		n_compile += i >= first && s->names.at[r->nodes->at[i].name].flags & NAME_COMPILE;
	}
	r->n_compile.at[n] = n_compile;
	return true;
}

bool thread_add(struct thread_reader *r, struct thread_node n)
{
	const struct node *node = &r->nodes->at[n.place];
	struct thread_state st = find_state(r, n);
	struct thread_open open = {.node = n.place};

	r->states.at[r->states.n++] = st;
	set_cause(r, &st, &open.stretch);
	return reach(r, node->up, node->start) && vec_push(&r->open, open);
}

void thread_keep_open(struct thread_reader *r)
{
	for (size_t i = 0; i < r->open.n; i++) {
		r->states.at[i] = r->states.at[r->open.at[i].node];
		r->open.at[i].node = (uint32_t)i;
	}
	r->states.n = r->open.n;
}

bool thread_end(struct thread_reader *r)
{
	return reach(r, NONE, INT64_MAX);
}

void thread_clear(struct thread_reader *r)
{
	vec_clear(&r->states);
	vec_clear(&r->n_compile);
	vec_clear(&r->open);
	vec_clear(&r->stretches);
}

/* ---- the main thread ---------------------------------------------------------------------- */

/* Whether it was not known yet, when it was read, that it ran a function for tf.data. */
static bool is_outdated(const struct scene *s)
{
	const struct thread_line *line = &s->lines.at[s->main];

	for (uint32_t i = line->first_process; i < line->end_process; i++)
		if (s->processes.at[i].is_input)
			return true;
	return s->stretches_of != s->main;
}

bool scene_read_main(struct scene *s)
{
	/* What the host did cannot be told by the clock of a device. */
	struct stretch all = {INT64_MIN, INT64_MAX, ANATOMY_UNKNOWN, 0, 0, CAUSE_PLAIN};

	if (s->timed_device != NONE) {
		all.cause = strings_alias(&s->texts, SPAN("(unexplained)"));
		s->stretches.n = 0;
		return scene_ok(s, all.cause != NONE && vec_push(&s->stretches, all));
	}
	return s->main == NONE || !is_outdated(s) || host_read_main(s);
}
