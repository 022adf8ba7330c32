/* While: evaluates the condition and the body alternately until the condition is false. The first
 * two turns are recorded, and the others too if the body has loops or conditionals of its own, or
 * if the two differ. Else they count as these do, and evaluate only what the condition depends
 * on. */
#include "count/control.h"

enum { SEARCH_DEPTH = 16 };

/* Whether a loop's body returns its i-th argument unchanged. */
static bool is_invariant(const struct graph *body, size_t i)
{
	uint32_t at = i < body->returns.n ? body->returns.at[i].node : NONE;

	for (size_t n = 0; at != NONE && at >= body->n_args && n < body->nodes.n; n++) {
		const struct op_node *node = &body->nodes.at[at];
		const struct op_rule *rule = node->type->rule;

		if (!rule || rule->place != PLACE_ALIAS || rule->shape != shape_same ||
			!node->n_edges)
			return false;
		at = body->edges.at[node->first_edge].node;
	}
	return at == i;
}

/* Only variables that a loop does not change can be weights; others are states. */
static void note_invariants(struct walk *w, const struct run *run)
{
	for (size_t i = 0; i < run->n_vars; i++)
		if (is_invariant(run->body, i))
			control_note_captured(w, &run->vars[i]);
}

/* Marks the arguments of a function that its i-th return depends on. */
static bool mark_args(struct walk *w, const struct graph *g, size_t i, bool *args)
{
	bool *needed;

	if (i >= g->returns.n)
		return true;
	needed = graph_find_needed(g, i, 1);
	w->no_memory |= !needed;
	for (uint32_t arg = 0; needed && arg < g->n_args && arg < g->nodes.n; arg++)
		args[arg] |= needed[arg];
	mem_free(needed);
	return needed;
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

/* Adds counters that the condition does not depend on: the loop that computes gradients runs as
 * often as the forward loop has counted. A counter depends only on itself and on needed
 * variables. */
static bool find_counters(struct walk *w, struct run *run)
{
	size_t n = run->body->n_args + 1;
	bool *args = arena_zero(&run->arena, n, 1);

	if (!args)
		return !(w->no_memory = true);
	for (size_t i = 0; i < run->n_vars && i < run->body->n_args; i++) {
		const struct tensor *var = &run->vars[i];
		bool is_counter = !run->is_needed[i] && var->rank == 0 && var->values &&
			!dtype_is_real(var->dtype);

		if (!is_counter)
			continue;
		memset(args, 0, n);
		if (!mark_args(w, run->body, i, args))
			return false;
		for (size_t k = 0; k < run->body->n_args; k++)
			is_counter &= !args[k] || k == i || run->is_needed[k];
		run->is_needed[i] = is_counter;
	}
	return true;
}

/* Whether a function has loops or conditionals, which may depend on the turn. */
static bool has_control(const struct walk *w, const struct graph *g, int depth)
{
	bool found = false;

	for (size_t i = 0; !found && i < g->nodes.n; i++) {
		const struct op_node *node = &g->nodes.at[i];
		const struct graph *called = NULL;

		if (!control_is(w, node))
			continue;
		found = !depth || control_is_choice(node);
		if (!found)
			called = control_get_function(w, control_get_callee(g, node));
		if (called) {
			found = has_control(w, called, depth - 1);
			w->source->put_function(w->source, called);
		}
	}
	return found;
}

static bool start_while(struct walk *w, struct task *t, bool *is_done)
{
	const struct graph *g = t->frame->graph;
	const struct op_node *node = &g->nodes.at[t->node];
	struct run *run = t->run;

	run->cond = control_get_function(w, node_text(g, node, A_cond));
	run->body = control_get_function(w, node_text(g, node, A_body));
	if (!run->cond || !run->body || !run->cond->returns.n)
		return control_give_up(w, t, NOTE_NO_FUNCTION) && (*is_done = true);
	run->vars = control_copy_inputs(w, t, 0, &run->n_vars, &run->arenas[0]);
	run->has_control = !w->mute && has_control(w, run->body, SEARCH_DEPTH);
	repeats_begin(&run->repeats, w);
	if (w->no_memory || !find_needed(w, run) || !find_counters(w, run))
		return false;
	note_invariants(w, run);
	run->cond_frame = walk_enter(w, t, run->cond, run->vars, run->n_vars);
	if (!run->cond_frame)
		return !w->no_memory && control_give_up(w, t, NOTE_TOO_DEEP) && (*is_done = true);
	run->phase = PHASE_COND;
	w->mute++;
	*is_done = false;
	return walk_push(w, run->cond_frame, run->cond->returns.at[0].node);
}

/* After the last turn: sets the outputs, and how often the body counts. */
static bool end_while(struct walk *w, struct task *t, int64_t times, bool *is_done)
{
	struct run *run = t->run;

	repeats_finish(&run->repeats, w, times);
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
	return control_finish(w, t, is_done);
}

static bool start_body(struct walk *w, struct task *t, bool *is_done)
{
	struct run *run = t->run;

	*is_done = false;
	if (run->phase == PHASE_BODY) {
		run->frame = walk_enter(w, t, run->body, run->vars, run->n_vars);
		if (!run->frame)
			return !w->no_memory && control_give_up(w, t, NOTE_TOO_DEEP) &&
				(*is_done = true);
		return control_push_returns(w, run->frame, NULL);
	}
	frame_reset(w, run->frame);
	for (uint32_t i = 0; i < run->body->n_args && i < run->n_vars; i++)
		frame_set(w, run->frame, i, &run->vars[i], 1);
	if (run->phase == PHASE_REPEAT) {
		w->n_repeats++;
		return control_push_returns(w, run->frame, NULL);
	}
	w->mute++;
	return control_push_returns(w, run->frame, run->is_needed);
}

/* What the turn that stands for all of an unknown number does not know. */
static void forget_changing(struct run *run)
{
	for (size_t i = 0; i < run->n_vars; i++)
		if (!is_invariant(run->body, i))
			run->vars[i].values = NULL;
}

/* Whether the next turn may cost something else than the last one. */
static bool is_repeat(const struct walk *w, const struct run *run)
{
	return !w->mute && w->repeats_left > 0 &&
		(run->repeats.n_turns < 2 || run->has_control || run->has_new_shapes ||
			!run->repeats.are_alike);
}

static void note_trips(struct walk *w, const struct run *run, int64_t trips)
{
	bool differ = run->repeats.n_turns > 1 && !run->repeats.are_alike;

	if (differ && run->repeats.n_turns < trips)
		walk_note(w, NOTE_LOOP_ALIKE, run->repeats.n_turns);
	walk_note(w, NOTE_LOOP, trips);
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

		if (assumed < run->trips)
			assumed = run->trips;
		walk_note(w, NOTE_LOOP_UNKNOWN, assumed);
		if (run->trips) {
			run->trips = -1;
			return end_while(w, t, assumed, is_done);
		}
		run->trips = -1;
		run->phase = PHASE_BODY;
		forget_changing(run);
		return start_body(w, t, is_done);
	}
	if (!value || w->turns_left <= 0) {
		if (value)
			walk_note(w, NOTE_LOOP_LIMIT, WALK_MAX_TURNS);
		else
			note_trips(w, run, run->trips);
		return end_while(w, t, run->trips, is_done);
	}
	w->turns_left--;
	run->phase = !run->trips++ ? PHASE_BODY : is_repeat(w, run) ? PHASE_REPEAT : PHASE_AGAIN;
	return start_body(w, t, is_done);
}

/* Keeps what the first turn gave, with values in the caller's frame. */
static bool take_first(struct walk *w, struct task *t)
{
	struct run *run = t->run;

	if (!control_take_returns(w, run->frame, &t->frame->arena))
		return false;
	run->first = arena_array(&run->arena, run->n_vars + 1, sizeof(*run->first));
	if (!run->first)
		return !(w->no_memory = true);
	for (size_t i = 0; i < run->n_vars; i++)
		run->first[i] = i < w->out.n ? w->out.at[i] : tensor_unknown(0);
	return true;
}

/* Of a later turn, the shapes: results are where those of the first turn are. */
static void take_shapes(struct run *run)
{
	run->has_new_shapes = false;
	for (size_t i = 0; i < run->n_vars && i < run->body->returns.n; i++) {
		const struct tensor *now = frame_get(run->frame, run->body->returns.at[i]);
		struct tensor *first = &run->first[i];

		if (tensor_same_shape(first, now))
			continue;
		run->has_new_shapes = true;
		first->rank = now->rank;
		memcpy(first->dims, now->dims, sizeof(first->dims));
		first->values = NULL;
	}
}

static bool end_turn(struct walk *w, struct task *t)
{
	struct run *run = t->run;

	switch (run->phase) {
	case PHASE_AGAIN: w->mute--; return !w->no_memory;
	case PHASE_REPEAT:
		w->n_repeats--;
		take_shapes(run);
		w->repeats_left -= (int64_t)run->body->nodes.n;
		break;
	default:
		if (!take_first(w, t))
			return false;
	}
	if (!w->mute && !repeats_end_turn(&run->repeats, w))
		w->no_memory = true;
	return !w->no_memory;
}

/* A turn of the body has been evaluated: its results are the next turn's variables. */
static bool after_body(struct walk *w, struct task *t, bool *is_done)
{
	struct run *run = t->run;
	struct arena *arena = &run->arenas[run->trips & 1];
	struct tensor *next;

	if (!end_turn(w, t))
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

bool control_step_while(struct walk *w, struct task *t, bool *is_done)
{
	switch (t->run->phase) {
	case PHASE_START: return start_while(w, t, is_done);
	case PHASE_COND: return after_cond(w, t, is_done);
	default: return after_body(w, t, is_done);
	}
}
