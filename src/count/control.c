/* Calls, While and If: a control node's task stays on the stack while the functions it
 * calls are evaluated above it, and takes the next step when they are done.
 *
 *     call     enter f ─▶ its returns
 *     While    cond ─▶ body, recorded ─▶ cond ─▶ body, only what cond depends on ─▶ …
 *     If       predicate known: one branch; else all of them, and the dearest is kept
 */
#include "count/control.h"

#include "count/frame.h"

enum phase { PHASE_START, PHASE_CALL, PHASE_COND, PHASE_BODY, PHASE_AGAIN, PHASE_BRANCH };

struct run {
	enum phase phase;
	const struct graph *cond, *body;
	struct frame *frame, *cond_frame; /* of the functions being evaluated */
	size_t n_vars;
	struct tensor *vars;  /* of a While, in arenas[turn & 1] */
	struct tensor *first; /* what the first turn gave, in the caller's frame */
	bool *is_needed;      /* vars that the condition depends on */
	struct arena arenas[2], arena;
	size_t first_record;
	int64_t trips;
	/* If */
	const struct op_attr *branches;
	size_t branch, n_branches;
	bool is_known;
	int64_t best_cost;
	struct tensor *best;
	size_t n_best;
	struct turns *turns; /* of a lowered loop */
};

static const struct graph *get_function(const struct walk *w, struct span name)
{
	return w->source && name.n ? w->source->get_function(w->source, name) : NULL;
}

bool control_is(const struct walk *w, const struct op_node *node)
{
	const struct op_rule *rule = node->type->rule;

	if (!rule)
		return get_function(w, node->type->name) != NULL;
	return rule->shape == shape_call || rule->shape == shape_while || rule->shape == shape_if;
}

static void leave(struct walk *w, struct frame **f)
{
	if (!*f)
		return;
	frame_free(w, *f);
	*f = NULL;
	w->depth--;
}

void control_clear(struct walk *w, struct run *run)
{
	if (!run)
		return;
	leave(w, &run->frame);
	leave(w, &run->cond_frame);
	arena_clear(&run->arenas[0]);
	arena_clear(&run->arenas[1]);
	arena_clear(&run->arena);
	loops_clear(w, run);
	mem_free(run);
}

struct turns **run_turns(struct run *run)
{
	return &run->turns;
}

struct run *run_new(struct walk *w)
{
	struct run *run = mem_zero(sizeof(*run));

	if (!run)
		w->no_memory = true;
	return run;
}

/* ---- what all have in common ---------------------------------------------------- */

/* The inputs of a node from the i-th on, copied to an arena. */
static struct tensor *copy_inputs(struct walk *w, const struct task *t, size_t from, size_t *n,
	struct arena *arena)
{
	const struct graph *g = t->frame->graph;
	const struct op_node *node = &g->nodes.at[t->node];
	struct tensor *at;

	*n = node->n_edges > from ? node->n_edges - from : 0;
	at = arena_array(arena, *n + 1, sizeof(*at));
	if (!at) {
		w->no_memory = true;
		*n = 0;
		return NULL;
	}
	for (size_t i = 0; i < *n; i++) {
		const struct tensor *in =
			frame_get(t->frame, g->edges.at[node->first_edge + from + i]);

		if (!tensor_copy(&at[i], in, arena))
			w->no_memory = true;
		/* A weight that a function captures: a frozen graph has no other mark of it. */
		if (in->parameter && in->parameter <= w->parameters->n && !w->mute &&
			w->parameters->at[in->parameter - 1].is_constant)
			w->parameters->at[in->parameter - 1].is_counted = true;
	}
	return at;
}

static bool push_returns(struct walk *w, struct frame *f, const bool *only)
{
	/* The last one pushed is evaluated first, and may need the others. */
	for (size_t i = f->graph->returns.n; i-- > 0;) {
		uint32_t node = f->graph->returns.at[i].node;

		if (only && !only[i])
			continue;
		if (!walk_push(w, f, node))
			return false;
		frame_wait(f, node);
	}
	return true;
}

/* The returns of a frame become w->out, with values in an arena that outlives it. */
static bool take_returns(struct walk *w, struct frame *f, struct arena *arena)
{
	size_t n = f->graph->returns.n;

	w->out.n = 0;
	if (!vec_reserve(&w->out, n + 1)) {
		w->no_memory = true;
		return false;
	}
	for (size_t i = 0; i < n; i++)
		if (!tensor_copy(&w->out.at[i], frame_get(f, f->graph->returns.at[i]), arena))
			w->no_memory = true;
	w->out.n = n;
	return !w->no_memory;
}

/* The outputs are those the file gives, or unknown. */
static bool give_up(struct walk *w, struct task *t, enum note_kind why)
{
	const struct graph *g = t->frame->graph;
	size_t n = 0;
	struct tensor shape;

	if (why != NOTE_TOO_DEEP)
		walk_note(w, why, 0);
	w->out.n = 0;
	do {
		shape = node_output_shape(g, &g->nodes.at[t->node], n);
		if (!vec_push(&w->out, shape))
			w->no_memory = true;
	} while (++n < 64 && shape.rank >= 0);
	control_clear(w, t->run);
	t->run = NULL;
	return !w->no_memory;
}

static bool finish(struct walk *w, struct task *t, bool *is_done)
{
	control_clear(w, t->run);
	t->run = NULL;
	*is_done = true;
	return !w->no_memory;
}

/* ---- call ----------------------------------------------------------------------- */

static bool step_call(struct walk *w, struct task *t, struct span name, bool *is_done)
{
	struct run *run = t->run;
	size_t n;
	struct tensor *args;

	if (run->phase == PHASE_CALL) {
		take_returns(w, run->frame, &t->frame->arena);
		return finish(w, t, is_done);
	}
	run->body = get_function(w, name);
	if (!run->body)
		return give_up(w, t, NOTE_NO_FUNCTION) && (*is_done = true);
	args = copy_inputs(w, t, 0, &n, &run->arena);
	run->frame = w->no_memory ? NULL : walk_enter(w, t, run->body, args, n);
	if (!run->frame)
		return !w->no_memory && give_up(w, t, NOTE_TOO_DEEP) && (*is_done = true);
	run->phase = PHASE_CALL;
	*is_done = false;
	return push_returns(w, run->frame, NULL);
}

/* ---- While ---------------------------------------------------------------------- */

/* Marks the arguments of a function that its i-th return depends on. */
static bool mark_args(struct walk *w, const struct graph *g, size_t i, bool *args)
{
	bool *seen = mem_zero_array(g->nodes.n + 1, sizeof(*seen));
	VEC(uint32_t) stack = {0};
	bool ok = seen && i < g->returns.n && vec_push(&stack, g->returns.at[i].node);

	while (ok && stack.n) {
		uint32_t at = stack.at[--stack.n];
		const struct op_node *node = &g->nodes.at[at];

		if (seen[at])
			continue;
		seen[at] = true;
		if (at < g->n_args)
			args[at] = true;
		ok = vec_reserve(&stack, node->n_edges);
		for (uint32_t k = 0; ok && k < node->n_edges; k++)
			stack.at[stack.n++] = g->edges.at[node->first_edge + k].node;
	}
	if (!seen || (!ok && i < g->returns.n))
		w->no_memory = true;
	mem_free(seen);
	vec_clear(&stack);
	return !w->no_memory;
}

/* Variables of the loop that the condition depends on, directly or through others. */
static bool find_needed(struct walk *w, struct run *run)
{
	size_t n = run->n_vars;
	bool *done, more = true;

	run->is_needed = arena_zero(&run->arena,
		n + run->cond->n_args + run->body->n_args + run->body->returns.n + 1, 1);
	done = arena_zero(&run->arena, n + 1, 1);
	if (!run->is_needed || !done) {
		w->no_memory = true;
		return false;
	}
	if (!mark_args(w, run->cond, 0, run->is_needed))
		return false;
	while (more) {
		more = false;
		for (size_t i = 0; i < n && i < run->body->returns.n; i++)
			if (run->is_needed[i] && !done[i]) {
				done[i] = more = true;
				if (!mark_args(w, run->body, i, run->is_needed))
					return false;
			}
	}
	return true;
}

static bool start_while(struct walk *w, struct task *t, bool *is_done)
{
	const struct graph *g = t->frame->graph;
	const struct op_node *node = &g->nodes.at[t->node];
	struct run *run = t->run;

	run->cond = get_function(w, node_text(g, node, A_cond));
	run->body = get_function(w, node_text(g, node, A_body));
	if (!run->cond || !run->body || !run->cond->returns.n)
		return give_up(w, t, NOTE_NO_FUNCTION) && (*is_done = true);
	run->vars = copy_inputs(w, t, 0, &run->n_vars, &run->arenas[0]);
	run->first_record = w->records.n;
	if (w->no_memory || !find_needed(w, run))
		return false;
	run->cond_frame = walk_enter(w, t, run->cond, run->vars, run->n_vars);
	if (!run->cond_frame)
		return !w->no_memory && give_up(w, t, NOTE_TOO_DEEP) && (*is_done = true);
	run->phase = PHASE_COND;
	w->mute++;
	*is_done = false;
	return walk_push(w, run->cond_frame, run->cond->returns.at[0].node);
}

/* After the last turn: the outputs, and how often the body counts. */
static bool end_while(struct walk *w, struct task *t, int64_t times, bool *is_done)
{
	struct run *run = t->run;

	for (size_t i = run->first_record; i < w->records.n; i++)
		w->records.at[i].times = count_multiply(w->records.at[i].times, times);
	w->out.n = 0;
	if (!vec_reserve(&w->out, run->n_vars + 1)) {
		w->no_memory = true;
		return false;
	}
	for (size_t i = 0; i < run->n_vars; i++) {
		struct tensor from;
		bool is_last = !run->first || (run->is_needed[i] && run->trips >= 0);

		from = is_last ? run->vars[i] : run->first[i];
		if (!is_last)
			from.values = NULL;
		if (!tensor_copy(&w->out.at[i], &from, &t->frame->arena))
			w->no_memory = true;
	}
	w->out.n = run->n_vars;
	return finish(w, t, is_done);
}

static bool start_body(struct walk *w, struct task *t, bool *is_done)
{
	struct run *run = t->run;

	*is_done = false;
	if (run->phase == PHASE_BODY) {
		run->frame = walk_enter(w, t, run->body, run->vars, run->n_vars);
		if (!run->frame)
			return !w->no_memory && give_up(w, t, NOTE_TOO_DEEP) && (*is_done = true);
		return push_returns(w, run->frame, NULL);
	}
	frame_reset(w, run->frame);
	for (uint32_t i = 0; i < run->body->n_args && i < run->n_vars; i++)
		frame_set(w, run->frame, i, &run->vars[i], 1);
	w->mute++;
	return push_returns(w, run->frame, run->is_needed);
}

/* The condition has been evaluated. */
static bool after_cond(struct walk *w, struct task *t, bool *is_done)
{
	struct run *run = t->run;
	const struct tensor *holds = frame_get(run->cond_frame, run->cond->returns.at[0]);
	int64_t value;

	w->mute--;
	if (!tensor_get_int(holds, 0, &value)) {
		int64_t assumed = w->trip_count ? w->trip_count : 1;

		walk_note(w, NOTE_LOOP_UNKNOWN, assumed);
		if (run->trips) {
			run->trips = -1;
			return end_while(w, t, assumed, is_done);
		}
		run->trips = -1;
		run->phase = PHASE_BODY;
		return start_body(w, t, is_done);
	}
	if (!value || w->turns_left <= 0) {
		walk_note(w, value ? NOTE_LOOP_LIMIT : NOTE_LOOP,
			value ? WALK_MAX_TURNS : run->trips);
		return end_while(w, t, run->trips, is_done);
	}
	w->turns_left--;
	run->phase = run->trips++ ? PHASE_AGAIN : PHASE_BODY;
	return start_body(w, t, is_done);
}

/* A turn of the body has been evaluated: its results are the next turn's variables. */
static bool after_body(struct walk *w, struct task *t, bool *is_done)
{
	struct run *run = t->run;
	struct arena *arena = &run->arenas[run->trips & 1];
	struct tensor *next;

	if (run->phase == PHASE_AGAIN)
		w->mute--;
	else if (take_returns(w, run->frame, &t->frame->arena)) {
		run->first = arena_array(&run->arena, run->n_vars + 1, sizeof(*run->first));
		if (!run->first)
			return !(w->no_memory = true);
		for (size_t i = 0; i < run->n_vars; i++)
			run->first[i] = i < w->out.n ? w->out.at[i] : tensor_unknown(0);
	}
	if (w->no_memory)
		return false;
	if (run->trips < 0)
		return end_while(w, t, w->trip_count ? w->trip_count : 1, is_done);
	arena_reset(arena, 256 * 1024);
	next = arena_array(arena, run->n_vars + 1, sizeof(*next));
	if (!next)
		return !(w->no_memory = true);
	for (size_t i = 0; i < run->n_vars; i++) {
		const struct tensor *from = run->is_needed[i] && i < run->body->returns.n
			? frame_get(run->frame, run->body->returns.at[i])
			: &run->first[i];

		if (!tensor_copy(&next[i], from, arena))
			w->no_memory = true;
		if (!run->is_needed[i])
			next[i].values = NULL;
	}
	run->vars = next;
	frame_reset(w, run->cond_frame);
	for (uint32_t i = 0; i < run->cond->n_args && i < run->n_vars; i++)
		frame_set(w, run->cond_frame, i, &run->vars[i], 1);
	run->phase = PHASE_COND;
	w->mute++;
	*is_done = false;
	return walk_push(w, run->cond_frame, run->cond->returns.at[0].node);
}

static bool step_while(struct walk *w, struct task *t, bool *is_done)
{
	switch (t->run->phase) {
	case PHASE_START: return start_while(w, t, is_done);
	case PHASE_COND: return after_cond(w, t, is_done);
	default: return after_body(w, t, is_done);
	}
}

/* ---- If and Case ---------------------------------------------------------------- */

static size_t n_branches_of(const struct graph *g, const struct op_node *node)
{
	const struct op_attr *branches = node_attr(g, node, A_branches);

	return branches && branches->kind == OP_TEXTS ? branches->n : 2;
}

static const struct graph *branch_of(struct walk *w, const struct task *t, size_t i)
{
	const struct graph *g = t->frame->graph;
	const struct op_node *node = &g->nodes.at[t->node];
	const struct op_attr *branches = node_attr(g, node, A_branches);

	if (branches && branches->kind == OP_TEXTS)
		return i < branches->n ? get_function(w, branches->texts[i]) : NULL;
	return get_function(w, node_text(g, node, i ? A_else_branch : A_then_branch));
}

/* Enters the branch to be tried next. */
static bool start_branch(struct walk *w, struct task *t, bool *is_done)
{
	struct run *run = t->run;
	const struct graph *g = branch_of(w, t, run->branch);
	struct arena scratch = {0};
	struct tensor *args;
	size_t n;

	if (!g)
		return give_up(w, t, NOTE_NO_FUNCTION) && (*is_done = true);
	args = copy_inputs(w, t, 1, &n, &scratch);
	run->frame = w->no_memory ? NULL : walk_enter(w, t, g, args, n);
	arena_clear(&scratch);
	if (!run->frame)
		return !w->no_memory && give_up(w, t, NOTE_TOO_DEEP) && (*is_done = true);
	run->phase = PHASE_BRANCH;
	run->first_record = w->records.n;
	*is_done = false;
	return push_returns(w, run->frame, NULL);
}

static bool start_if(struct walk *w, struct task *t, bool *is_done)
{
	const struct graph *g = t->frame->graph;
	const struct op_node *node = &g->nodes.at[t->node];
	struct run *run = t->run;
	int64_t value;

	run->n_branches = n_branches_of(g, node);
	run->best_cost = -1;
	run->is_known = node->n_edges &&
		tensor_get_int(frame_get(t->frame, g->edges.at[node->first_edge]), 0, &value);
	if (run->is_known) {
		bool is_case = node_attr(g, node, A_branches);

		if (!is_case)
			run->branch = value ? 0 : 1;
		else
			run->branch = value < 0 || value >= (int64_t)run->n_branches
				? run->n_branches - 1
				: (size_t)value;
	} else {
		walk_note(w, NOTE_DEARER_BRANCH, 0);
	}
	return start_branch(w, t, is_done);
}

static int64_t cost_of_records(const struct walk *w, size_t from)
{
	int64_t sum = 0;

	for (size_t i = from; i < w->records.n; i++)
		sum = count_add(sum,
			count_multiply(cost_float_ops(w->records.at[i].cost),
				w->records.at[i].times));
	return sum;
}

/* Keeps the records of the dearest branch so far, which are before those of this one. */
static bool keep_dearest(struct walk *w, struct task *t, size_t *n_kept)
{
	struct run *run = t->run;
	int64_t cost = cost_of_records(w, run->first_record);
	size_t n = w->records.n - run->first_record, start = run->first_record - *n_kept;

	if (cost <= run->best_cost) {
		w->records.n = run->first_record;
		return true;
	}
	memmove(&w->records.at[start], &w->records.at[run->first_record],
		n * sizeof(*w->records.at));
	w->records.n = start + n;
	*n_kept = n;
	run->best_cost = cost;
	if (!take_returns(w, run->frame, &t->frame->arena))
		return false;
	run->n_best = w->out.n;
	run->best = arena_array(&run->arena, run->n_best + 1, sizeof(*run->best));
	if (!run->best)
		return !(w->no_memory = true);
	memcpy(run->best, w->out.at, run->n_best * sizeof(*run->best));
	return true;
}

static bool after_branch(struct walk *w, struct task *t, bool *is_done)
{
	struct run *run = t->run;

	if (run->is_known) {
		take_returns(w, run->frame, &t->frame->arena);
		return finish(w, t, is_done);
	}
	/* trips is unused by conditionals: how many records are kept */
	size_t n_kept = (size_t)run->trips;

	if (!keep_dearest(w, t, &n_kept))
		return false;
	run->trips = (int64_t)n_kept;
	leave(w, &run->frame);
	if (++run->branch < run->n_branches)
		return start_branch(w, t, is_done);
	w->out.n = 0;
	if (!vec_reserve(&w->out, run->n_best + 1))
		return !(w->no_memory = true);
	for (size_t i = 0; i < run->n_best; i++) {
		w->out.at[i] = run->best[i];
		w->out.at[i].values = NULL;
	}
	w->out.n = run->n_best;
	return finish(w, t, is_done);
}

/* ---- dispatch ------------------------------------------------------------------- */
bool control_step(struct walk *w, struct task *t, bool *is_done)
{
	const struct graph *g = t->frame->graph;
	const struct op_node *node = &g->nodes.at[t->node];
	const struct op_rule *rule = node->type->rule;

	if (!t->run && !(t->run = run_new(w)))
		return false;
	if (!rule)
		return step_call(w, t, node->type->name, is_done);
	if (rule->shape == shape_call)
		return step_call(w, t, node_text(g, node, A_f), is_done);
	if (rule->shape == shape_while)
		return step_while(w, t, is_done);
	return t->run->phase == PHASE_START ? start_if(w, t, is_done) : after_branch(w, t, is_done);
}
