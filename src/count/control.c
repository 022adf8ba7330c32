/* Calls, If and Case, and what they share with While (control_while.c) and lowered loops
 * (loops.c). */
#include "count/control.h"

const struct graph *control_get_function(const struct walk *w, struct span name)
{
	return w->source && name.n ? w->source->get_function(w->source, name) : NULL;
}

bool control_is(const struct walk *w, const struct op_node *node)
{
	const struct op_rule *rule = node->type->rule;

	if (!rule)
		return w->source && w->source->has_function(w->source, node->type->name);
	return rule->shape == shape_call || rule->shape == shape_while || rule->shape == shape_if;
}

bool control_is_choice(const struct op_node *node)
{
	return node->type->rule && node->type->rule->shape != shape_call;
}

struct span control_get_callee(const struct graph *g, const struct op_node *node)
{
	return node->type->rule ? node_text(g, node, A_f) : node->type->name;
}

static void put_function(struct walk *w, const struct graph **g)
{
	if (*g)
		w->source->put_function(w->source, *g);
	*g = NULL;
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
	put_function(w, &run->body);
	put_function(w, &run->cond);
	arena_clear(&run->arenas[0]);
	arena_clear(&run->arenas[1]);
	arena_clear(&run->arena);
	repeats_clear(&run->repeats);
	loops_clear(w, run);
	mem_free(run);
}

struct run *run_new(struct walk *w)
{
	struct run *run = mem_zero(sizeof(*run));

	if (!run)
		w->no_memory = true;
	return run;
}

/* ---- what all have in common ---------------------------------------------------- */

struct tensor *control_copy_inputs(struct walk *w, const struct task *t, size_t from, size_t *n,
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
	}
	return at;
}

void control_note_captured(struct walk *w, const struct tensor *in)
{
	if (in->parameter && in->parameter <= w->parameters->n && !w->mute &&
		w->parameters->at[in->parameter - 1].is_constant)
		w->parameters->at[in->parameter - 1].is_counted = true;
}

static void note_all_captured(struct walk *w, const struct tensor *in, size_t n)
{
	for (size_t i = 0; i < n; i++)
		control_note_captured(w, &in[i]);
}

static bool push_waiting(struct walk *w, struct frame *f, uint32_t node)
{
	if (!walk_push(w, f, node))
		return false;
	frame_wait(f, node);
	return true;
}

bool control_push_returns(struct walk *w, struct frame *f, const bool *only)
{
	/* The last one pushed is evaluated first, and may need the others. */
	for (size_t i = only ? 0 : f->graph->effects.n; i-- > 0;)
		if (!push_waiting(w, f, f->graph->effects.at[i]))
			return false;
	for (size_t i = f->graph->returns.n; i-- > 0;)
		if ((!only || only[i]) && !push_waiting(w, f, f->graph->returns.at[i].node))
			return false;
	return true;
}

bool control_take_returns(struct walk *w, struct frame *f, struct arena *arena)
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

bool control_give_up(struct walk *w, struct task *t, enum note_kind why)
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

bool control_finish(struct walk *w, struct task *t, bool *is_done)
{
	control_clear(w, t->run);
	t->run = NULL;
	*is_done = true;
	return !w->no_memory;
}

/* ---- call ----------------------------------------------------------------------- */

static bool step_call(struct walk *w, struct task *t, bool *is_done)
{
	const struct graph *g = t->frame->graph;
	struct run *run = t->run;
	size_t n;
	struct tensor *args;

	if (run->phase == PHASE_CALL) {
		control_take_returns(w, run->frame, &t->frame->arena);
		return control_finish(w, t, is_done);
	}
	run->body = control_get_function(w, control_get_callee(g, &g->nodes.at[t->node]));
	if (!run->body)
		return control_give_up(w, t, NOTE_NO_FUNCTION) && (*is_done = true);
	args = control_copy_inputs(w, t, 0, &n, &run->arena);
	note_all_captured(w, args, n);
	run->frame = w->no_memory ? NULL : walk_enter(w, t, run->body, args, n);
	if (!run->frame)
		return !w->no_memory && control_give_up(w, t, NOTE_TOO_DEEP) && (*is_done = true);
	run->phase = PHASE_CALL;
	*is_done = false;
	return control_push_returns(w, run->frame, NULL);
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
		return i < branches->n ? control_get_function(w, branches->texts[i]) : NULL;
	return control_get_function(w, node_text(g, node, i ? A_else_branch : A_then_branch));
}

/* Enters the next branch. */
static bool start_branch(struct walk *w, struct task *t, bool *is_done)
{
	struct run *run = t->run;
	struct arena scratch = {0};
	struct tensor *args;
	size_t n;

	run->body = branch_of(w, t, run->branch);
	if (!run->body)
		return control_give_up(w, t, NOTE_NO_FUNCTION) && (*is_done = true);
	args = control_copy_inputs(w, t, 1, &n, &scratch);
	note_all_captured(w, args, n);
	run->frame = w->no_memory ? NULL : walk_enter(w, t, run->body, args, n);
	arena_clear(&scratch);
	if (!run->frame)
		return !w->no_memory && control_give_up(w, t, NOTE_TOO_DEEP) && (*is_done = true);
	run->phase = PHASE_BRANCH;
	run->first_record = w->records.n;
	*is_done = false;
	return control_push_returns(w, run->frame, NULL);
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

/* Keeps the records of the most expensive branch so far, which precede this branch's. */
static bool keep_costliest(struct walk *w, struct task *t, size_t *n_kept)
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
	if (!control_take_returns(w, run->frame, &t->frame->arena))
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
		control_take_returns(w, run->frame, &t->frame->arena);
		return control_finish(w, t, is_done);
	}
	/* Conditionals have no trips: the field holds how many records are kept. */
	size_t n_kept = (size_t)run->trips;

	if (!keep_costliest(w, t, &n_kept))
		return false;
	run->trips = (int64_t)n_kept;
	leave(w, &run->frame);
	put_function(w, &run->body);
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
	return control_finish(w, t, is_done);
}

/* ---- dispatch ------------------------------------------------------------------- */
bool control_step(struct walk *w, struct task *t, bool *is_done)
{
	const struct graph *g = t->frame->graph;
	const struct op_node *node = &g->nodes.at[t->node];
	const struct op_rule *rule = node->type->rule;

	if (!t->run && !(t->run = run_new(w)))
		return false;
	if (!control_is_choice(node))
		return step_call(w, t, is_done);
	if (rule->shape == shape_while)
		return control_step_while(w, t, is_done);
	return t->run->phase == PHASE_START ? start_if(w, t, is_done) : after_branch(w, t, is_done);
}
