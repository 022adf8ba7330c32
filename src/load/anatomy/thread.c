/* What the main thread does: a part and a cause for every stretch of it.
 *
 * Going up from a node, the first one whose name is known tells the part; Python frames below it
 * tell the cause. Nodes come after those that they are within, so each looks at its parent only. */
#include "load/anatomy/scene.h"

/* What holds for a node, of it and of those that it is within. */
struct state {
	uint32_t known;    /* the nearest that tells a part; NONE */
	uint32_t unknown;  /* the nearest of another name, if no frame is below it; NONE */
	uint32_t frame;    /* the innermost Python frame below .known; NONE */
	uint32_t user;     /* of the frames, the innermost of the user's file */
	uint32_t called;   /* the innermost of other files that it calls, before any of a library */
	struct span file;  /* the user's: that of the outermost frame; may be empty */
	uint32_t compiles; /* the outermost call that compiles; NONE */
	uint32_t traced;   /* the outermost call that is traced; NONE */
	bool is_library;   /* frames are no longer the user's */
};

struct reader {
	struct scene *s;
	struct state *states; /* by node of the line */
	uint32_t *n_compile;  /* up to each node, how many compile something */
	uint32_t first;
	uint32_t not_traced; /* text */
};

static const struct state no_state = {NONE, NONE, NONE, NONE, NONE, {"", 0}, NONE, NONE, false};

/* What a node that is no frame says; WORK_NONE if nothing. */
static unsigned part_of(const struct scene *s, uint32_t node)
{
	uint32_t flags = name_of(s, node);

	if (s->op_of[node] != NONE)
		return s->ops.at[s->op_of[node]].class;
	if (node_has(s, node, FACT_STEP) || flags & NAME_REGION_START)
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
	if (flags & NAME_DISPATCH || node_has(s, node, FACT_CALL))
		return ANATOMY_DISPATCH;
	return WORK_NONE;
}

/* "file.py" of "$file.py:12 function". */
static struct span file_of(struct span name)
{
	return span_before(span_from(name, 1), ':');
}

static bool is_users(struct span file)
{
	return span_contains(file, SPAN(".py")) && !span_equal(file, SPAN("profiler.py")) &&
		!span_equal(file, SPAN("threading.py")) && !span_equal(file, SPAN("contextlib.py"));
}

static void add_frame(struct state *st, uint32_t node, struct span name)
{
	struct span file = file_of(name);

	st->frame = node;
	st->unknown = NONE;
	if (!st->file.n && is_users(file)) {
		st->file = file;
		st->user = node;
	} else if (st->file.n && file.n + 1 < name.n && span_equal(st->file, file)) {
		st->user = node;
		st->called = NONE;
		st->is_library = false;
	} else if (st->file.n && (!is_users(file) || is_library_file(file))) {
		st->is_library = true;
	} else if (st->file.n && !st->is_library) {
		st->called = node;
	}
}

static void find_state(struct reader *r, uint32_t node)
{
	const struct scene *s = r->s;
	const struct node *n = &s->nodes.at[node];
	struct state st = n->up == NONE ? no_state : r->states[n->up - r->first];
	uint32_t flags = name_of(s, node);

	if (flags & NAME_PYTHON) {
		add_frame(&st, node, text_of(s, n->name));
	} else if (part_of(s, node) != WORK_NONE) {
		uint32_t compiles = st.compiles, traced = st.traced;

		st = no_state;
		st.known = node;
		st.compiles = compiles;
		st.traced = traced;
	} else if (!node_has(s, node, FACT_STEP) && !(flags & NAME_REGION_START) &&
		text_of(s, n->name).n) {
		st.unknown = node;
		st.frame = NONE;
	}
	if (st.compiles == NONE && flags & NAME_JIT &&
		r->n_compile[n->end - r->first] > r->n_compile[node + 1 - r->first])
		st.compiles = node;
	if (st.traced == NONE && node_has(s, node, FACT_TRACED))
		st.traced = node;
	r->states[node - r->first] = st;
}

/* ---- stretches ------------------------------------------------------------------------ */

static uint32_t text_of_frame(struct reader *r, uint32_t node)
{
	struct scene *s = r->s;
	struct span name = span_from(text_of(s, s->nodes.at[node].name), 1);

	return strings_alias(&s->texts, name);
}

/* What names a stretch of Python beside the user's frame. That a call of a library takes long says
 * less than which function of another file makes it; of short ones, that are many, the library's
 * own names stay apart. */
static uint32_t leaf_of(const struct scene *s, const struct state *st)
{
	const int64_t long_ps = 100000000;
	const struct node *leaf = &s->nodes.at[st->frame];

	return st->called != NONE && leaf->end_ps - leaf->start >= long_ps ? st->called : st->frame;
}

static void set_frames(struct reader *r, const struct state *st, struct stretch *to)
{
	uint32_t user = st->user == NONE ? st->frame : st->user;

	to->part = ANATOMY_PYTHON;
	to->kind = CAUSE_FRAMES;
	to->cause = text_of_frame(r, user);
	to->other = user == st->frame ? 0 : text_of_frame(r, leaf_of(r->s, st));
}

static void set_cause(struct reader *r, const struct state *st, struct stretch *to)
{
	struct scene *s = r->s;
	uint32_t at = st->known;
	unsigned part = WORK_NONE;
	bool is_python;

	if (st->unknown != NONE)
		at = st->unknown;
	else if (at != NONE)
		part = part_of(s, at);
	to->cause = at == NONE         ? 0
		: s->op_of[at] == NONE ? s->nodes.at[at].name
				       : s->ops.at[s->op_of[at]].name;
	is_python = part == WORK_NONE;
	if ((is_python || part == ANATOMY_DISPATCH || part == ANATOMY_COMPILE) &&
		(st->compiles != NONE || st->traced != NONE)) {
		at = st->compiles != NONE ? st->compiles : st->traced;
		to->part = ANATOMY_COMPILE;
		to->kind = CAUSE_COMPILE;
		to->cause = s->nodes.at[at].name;
		return;
	}
	if (st->frame != NONE && (is_python || part == ANATOMY_DISPATCH)) {
		struct span name = span_from(text_of(s, s->nodes.at[st->frame].name), 1);

		if (is_waiting_function(span_after_last(name, ' '))) {
			to->part = ANATOMY_RUNTIME;
			to->kind = CAUSE_WAITING;
			to->cause = text_of_frame(r, st->frame);
			return;
		}
		if (is_python) {
			set_frames(r, st, to);
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

static bool add_stretch(struct reader *r, struct stretch stretch, int64_t start, int64_t end)
{
	stretch.start = start;
	stretch.end = end;
	return start >= end || vec_push(&r->s->stretches, stretch);
}

/* Stretches of all nodes, in order of time: a node's until its first child, the child's, and so
 * on, with what is open kept on a stack. */
static bool add_stretches(struct reader *r, uint32_t end)
{
	struct scene *s = r->s;
	struct stretch outside = {.part = s->is_main_known ? ANATOMY_PYTHON : ANATOMY_UNKNOWN,
		.cause = s->is_main_known ? r->not_traced : 0};
	VEC(struct open {
		uint32_t node;
		struct stretch stretch;
	})
	open = {0};
	int64_t at = INT64_MIN;
	bool ok = true;

	for (uint32_t n = r->first; ok && n <= end; n++) {
		int64_t start = n < end ? s->nodes.at[n].start : INT64_MAX;
		uint32_t up = n < end ? s->nodes.at[n].up : NONE;
		struct stretch stretch = {0};

		while (ok && open.n && open.at[open.n - 1].node != up) {
			const struct open *o = &open.at[open.n - 1];

			ok = add_stretch(r, o->stretch, at, s->nodes.at[o->node].end_ps);
			if (s->nodes.at[o->node].end_ps > at)
				at = s->nodes.at[o->node].end_ps;
			open.n--;
		}
		ok = ok &&
			add_stretch(r, open.n ? open.at[open.n - 1].stretch : outside, at, start);
		if (start > at)
			at = start;
		if (n == end)
			break;
		set_cause(r, &r->states[n - r->first], &stretch);
		ok = ok && vec_push(&open, ((struct open){n, stretch}));
	}
	vec_clear(&open);
	return ok;
}

static bool read_thread(struct reader *r, const struct thread_line *line)
{
	const struct scene *s = r->s;
	uint32_t n_compile = 0;

	for (uint32_t n = line->first; n < line->end; n++) {
		r->n_compile[n - line->first] = n_compile;
		n_compile += (name_of(s, n) & NAME_COMPILE) != 0;
	}
	r->n_compile[line->end - line->first] = n_compile;
	for (uint32_t n = line->first; n < line->end; n++)
		find_state(r, n);
	return add_stretches(r, line->end);
}

bool scene_read_main(struct scene *s)
{
	struct reader r = {.s = s};
	bool ok = true;

	if (s->timed_device != NONE) {
		/* What the host did then cannot be told by the clock of a device. */
		struct stretch all = {INT64_MIN, INT64_MAX, ANATOMY_UNKNOWN,
			strings_alias(&s->texts, SPAN("(unexplained)")), 0, CAUSE_PLAIN};

		ok = all.cause != NONE && vec_push(&s->stretches, all);
	} else if (s->main != NONE) {
		const struct thread_line *line = &s->lines.at[s->main];
		size_t n = line->end - line->first;

		r.first = line->first;
		r.states = mem_array(n + 1, sizeof(*r.states));
		r.n_compile = mem_array(n + 1, sizeof(*r.n_compile));
		r.not_traced = strings_alias(&s->texts, SPAN("Python (not traced)"));
		ok = r.states && r.n_compile && r.not_traced != NONE && read_thread(&r, line);
		mem_free(r.states);
		mem_free(r.n_compile);
	}
	return scene_ok(s, ok);
}
