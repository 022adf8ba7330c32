/* What the main thread does: a part and a cause for every stretch of it.
 *
 * Going up from a node, the first one whose name is known tells the part; Python frames below it
 * tell the cause. Nodes come after those that they are within, so each looks at its parent only. */
#include "load/anatomy/thread.h"

#include "load/anatomy/host.h"

static const struct thread_state no_state = {
	.known = NONE,
	.unknown = NONE,
	.frame = NONE,
	.user = NONE,
	.called = NONE,
	.compiles = NONE,
	.traced = NONE,
	.call = NONE,
	.part = WORK_NONE,
};

/* What a node that is no frame says; WORK_NONE if nothing. */
static unsigned part_of(const struct thread_key *n, uint32_t flags)
{
	if (n->class != WORK_NONE)
		return n->class;
	if (n->has & FACT_STEP || flags & NAME_REGION_START)
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
	if (flags & NAME_DISPATCH || n->has & FACT_CALL)
		return ANATOMY_DISPATCH;
	return WORK_NONE;
}

/* The first frame below the marker of a step is of the user's file, whoever has the marker. */
static void add_frame(struct thread_state *st, const struct name *name)
{
	uint32_t frame = st->key.name;

	st->frame = frame;
	st->is_long = st->key.is_long;
	st->unknown = NONE;
	if (name->is_users && (!st->file || (st->begins_step && !name->is_library))) {
		st->file = name->file;
		st->user = frame;
		st->called = NONE;
		st->is_library = false;
	} else if (st->file && name->has_file && st->file == name->file) {
		st->user = frame;
		st->called = NONE;
		st->is_library = false;
	} else if (st->file && name->has_file && (!name->is_users || name->is_library)) {
		st->is_library = true;
	} else if (st->file && name->has_file && !st->is_library) {
		st->called = frame; /* functions of C, such as next(), may lie between */
	}
	st->begins_step &= !name->has_file;
}

/* A name that nothing is known about. */
static void count_unknown(struct thread_reader *r, struct name *name)
{
	if (name->counted_in == r->line || name->flags & NAME_CLOCK)
		return;
	name->counted_in = r->line;
	r->n_unknown_names++;
}

static struct thread_state find_state(struct thread_reader *r, const struct thread_key *n)
{
	struct scene *s = r->s;
	struct thread_state st = n->up == NONE ? no_state : r->states.at[n->up];
	struct name *name = &s->names.at[n->name];
	unsigned part;

	st.key = *n;
	if (name->flags & NAME_PYTHON) {
		add_frame(&st, name);
	} else if ((part = part_of(n, name->flags)) != WORK_NONE) {
		uint32_t compiles = st.compiles, traced = st.traced, call = st.call;

		st = no_state;
		st.key = *n;
		st.known = n->class == WORK_NONE ? n->name : n->op_name;
		st.part = (uint8_t)part;
		st.compiles = compiles;
		st.traced = traced;
		st.call = call;
	} else if (!(n->has & FACT_STEP) && !(name->flags & NAME_REGION_START) &&
		text_of(s, n->name).n) {
		st.unknown = n->name;
		st.frame = NONE;
		count_unknown(r, name);
	}
	if (n->has & FACT_CALL)
		st.call = n->name;
	st.begins_step |= (n->has & FACT_STEP) != 0;
	/* A function of TensorFlow that XLA compiles is compiled where it is about to run. */
	if (st.compiles == NONE && n->compiles)
		st.compiles = name->flags & NAME_JIT || st.call == NONE ? n->name : st.call;
	if (st.traced == NONE && n->has & FACT_TRACED)
		st.traced = n->name;
	return st;
}

/* ---- what it does ------------------------------------------------------------------------ */

/* What names a stretch of Python beside the user's frame. That a call of a library takes long says
 * less than which function of another file makes it; of short ones, that are many, the library's
 * own names stay apart. */
static void set_frames(const struct scene *s, const struct thread_state *st, struct doing *to)
{
	uint32_t user = st->user == NONE ? st->frame : st->user;
	uint32_t leaf = st->called != NONE && st->is_long ? st->called : st->frame;

	to->part = ANATOMY_PYTHON;
	to->kind = CAUSE_FRAMES;
	to->cause = s->names.at[user].frame;
	to->other = user == st->frame ? 0 : s->names.at[leaf].frame;
}

static void set_cause(const struct thread_reader *r, const struct thread_state *st,
	struct doing *to)
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
	to->part = part >= N_ANATOMY_PARTS ? ANATOMY_RUNTIME : (uint8_t)part;
}

static bool is_same(const struct thread_key *a, const struct thread_key *b)
{
	return a->up == b->up && a->name == b->name && a->op_name == b->op_name &&
		a->has == b->has && a->class == b->class && a->is_long == b->is_long &&
		a->compiles == b->compiles;
}

struct key_of_state {
	const struct thread_reader *r;
	const struct thread_key *key;
};

static bool same_state(const void *context, uint32_t i)
{
	const struct key_of_state *probe = context;

	return is_same(&probe->r->states.at[i].key, probe->key);
}

static uint64_t hash_of(const struct thread_key *key)
{
	return hash_mix(hash_mix(hash_secret(), (uint64_t)key->up << 32 | key->name),
		(uint64_t)key->op_name << 32 | (unsigned)key->has << 16 | key->class << 2 |
			key->is_long << 1 | key->compiles);
}

/* NONE on allocation failure. */
static uint32_t add_state(struct thread_reader *r, const struct thread_key *key, uint64_t hash)
{
	struct key_of_state probe = {r, key};
	uint32_t i = hash_find(&r->state_index, hash, same_state, &probe);
	struct thread_state st;
	struct doing doing = {0};

	if (i != NONE)
		return i;
	st = find_state(r, key);
	set_cause(r, &st, &doing);
	st.doing = scene_add_doing(r->s, doing);
	if (st.doing == NONE || !vec_push(&r->states, st) ||
		!hash_add(&r->state_index, hash, (uint32_t)r->states.n - 1))
		return NONE;
	return (uint32_t)r->states.n - 1;
}

static uint32_t state_of(struct thread_reader *r, struct thread_node n)
{
	const int64_t long_ps = 100000000;
	const struct node *node = &r->nodes->at[n.place];
	uint32_t flags = r->s->names.at[node->name].flags, *recent;
	struct thread_key key = {
		.up = node->up == NONE ? NONE : r->state_of.at[node->up],
		.name = node->name,
		.op_name = n.class == WORK_NONE ? 0 : n.op_name,
		.has = n.has & (FACT_STEP | FACT_CALL | FACT_TRACED),
		.class = (uint8_t)n.class,
		.is_long = flags & NAME_PYTHON && node->end_ps - node->start >= long_ps,
		.compiles = flags & (NAME_JIT | NAME_PROGRAM) &&
			r->n_compile.at[node->end] > r->n_compile.at[n.place + 1],
	};
	uint64_t hash = hash_of(&key);

	recent = &r->recent[hash >> 54];
	if (*recent >= r->states.n || !is_same(&r->states.at[*recent].key, &key))
		*recent = add_state(r, &key, hash);
	return *recent;
}

/* ---- stretches ------------------------------------------------------------------------ */

/* Neighbours that say the same are one. */
static bool add_stretch(struct thread_reader *r, uint32_t doing, int64_t end)
{
	struct stretch *last = r->stretches.n ? &r->stretches.at[r->stretches.n - 1] : NULL;
	int64_t start = r->at;

	if (start >= end)
		return true;
	r->at = end;
	if (last && last->doing == doing) {
		last->end = end;
		return true;
	}
	return vec_push(&r->stretches, ((struct stretch){start, end, doing}));
}

/* Stretches of all nodes, in order of time: a node's until its first child, the child's, and so
 * on, with what is open kept on a stack. `up`: what the next node is within. */
static bool reach(struct thread_reader *r, uint32_t up, int64_t start)
{
	const struct thread_open *o;
	bool ok = true;

	while (ok && r->open.n && (o = &r->open.at[r->open.n - 1])->node != up) {
		ok = add_stretch(r, r->states.at[o->state].doing, r->nodes->at[o->node].end_ps);
		r->open.n--;
	}
	return ok &&
		add_stretch(r,
			r->open.n ? r->states.at[r->open.at[r->open.n - 1].state].doing
				  : r->outside,
			start);
}

/* ---- nodes ------------------------------------------------------------------------------ */

static void forget_states(struct thread_reader *r)
{
	r->states.n = 0;
	hash_clear(&r->state_index);
	memset(r->recent, 0, sizeof(r->recent));
}

bool thread_begin(struct thread_reader *r, struct scene *s, const node_list *nodes)
{
	struct doing outside = {.part = s->is_main_known ? ANATOMY_PYTHON : ANATOMY_UNKNOWN};

	r->s = s;
	r->line = ++s->n_threads_read;
	r->n_unknown_names = 0;
	r->nodes = nodes;
	r->at = INT64_MIN;
	forget_states(r);
	r->state_of.n = r->open.n = r->stretches.n = 0;
	r->not_traced = strings_alias(&s->texts, SPAN("Python (not traced)"));
	outside.cause = s->is_main_known ? r->not_traced : 0;
	r->outside = scene_add_doing(s, outside);
	return r->not_traced != NONE && r->outside != NONE;
}

bool thread_prepare(struct thread_reader *r, size_t first)
{
	const struct scene *s = r->s;
	size_t n = r->nodes->n;
	uint32_t n_compile = 0;

	r->n_compile.n = 0;
	if (!vec_reserve(&r->n_compile, n + 1) || !vec_reserve(&r->state_of, n - r->state_of.n))
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
	uint32_t state = state_of(r, n);

	r->state_of.at[r->state_of.n++] = state;
	return state != NONE && reach(r, node->up, node->start) &&
		vec_push(&r->open, ((struct thread_open){n.place, state}));
}

/* States of what is over are found again if they recur: no more than these stay. */
static bool keep_states(struct thread_reader *r)
{
	enum { MOST = 1 << 16 };
	VEC(struct thread_state) kept = {0};

	if (r->states.n < MOST)
		return true;
	for (size_t i = 0; i < r->open.n; i++) {
		if (!vec_push(&kept, r->states.at[r->open.at[i].state])) {
			vec_clear(&kept);
			return false;
		}
		kept.at[i].key.up = i ? (uint32_t)i - 1 : NONE;
		r->open.at[i].state = (uint32_t)i;
	}
	forget_states(r);
	vec_take(&r->states, &kept);
	return true;
}

bool thread_keep_open(struct thread_reader *r)
{
	bool ok = keep_states(r);

	for (size_t i = 0; ok && i < r->open.n; i++) {
		r->state_of.at[i] = r->open.at[i].state;
		r->open.at[i].node = (uint32_t)i;
	}
	r->state_of.n = r->open.n;
	return ok;
}

bool thread_end(struct thread_reader *r)
{
	return reach(r, NONE, INT64_MAX);
}

void thread_clear(struct thread_reader *r)
{
	vec_clear(&r->states);
	hash_clear(&r->state_index);
	vec_clear(&r->state_of);
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
	struct doing unknown = {.part = ANATOMY_UNKNOWN};
	struct stretch all = {INT64_MIN, INT64_MAX, NONE};

	if (s->timed_device != NONE) {
		s->stretches.n = 0;
		all.doing = scene_add_doing(s, unknown);
		return scene_ok(s, all.doing != NONE && vec_push(&s->stretches, all));
	}
	return s->main == NONE || !is_outdated(s) || host_read_main(s);
}
