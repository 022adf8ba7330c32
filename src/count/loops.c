/* Loops that were lowered to Enter, Merge, Switch, LoopCond, NextIteration and Exit.
 *
 * The walk goes into a loop through Enter and Merge and does not go round: what it records
 * there is the first turn. Before an Exit is done, all of the loop's NextIterations are
 * evaluated, and its trips are counted by evaluating LoopCond again, turn by turn, in a
 * frame where each Merge has the value of its NextIteration in the turn before. Such a
 * frame evaluates only what LoopCond depends on; what is outside the loop it takes from
 * the frame the loop is in. */
#include <stdlib.h>

#include "count/control.h"

#include "base/sort.h"

enum turns_phase { TURNS_START, TURNS_FIRST, TURNS_COND, TURNS_NEXT };

struct turns {
	enum turns_phase phase;
	const struct loop_var *vars;
	size_t n;
	uint32_t loop;
	struct frame *frame;
	struct tensor *current; /* of each variable, in arenas[turn & 1] */
	bool *is_needed;        /* it has been read in a turn */
	struct arena arenas[2], arena;
	int64_t trips;
};

static shape_fn *shape_of_node(const struct graph *g, uint32_t node)
{
	const struct op_rule *rule = g->nodes.at[node].type->rule;

	return rule ? rule->shape : NULL;
}

static struct op_edge input_of(const struct graph *g, uint32_t node, uint32_t i)
{
	const struct op_node *n = &g->nodes.at[node];

	return i < n->n_edges ? g->edges.at[n->first_edge + i] : (struct op_edge){node, 0};
}

/* ---- the variables of a graph's loops ------------------------------------------- */

static int by_cond(const void *a, const void *b)
{
	const struct loop_var *x = a, *y = b;

	if (x->cond != y->cond)
		return x->cond < y->cond ? -1 : 1;
	return (x->at_switch > y->at_switch) - (x->at_switch < y->at_switch);
}

static bool read_var(const struct graph *g, uint32_t node, struct loop_var *var)
{
	if (shape_of_node(g, node) != shape_second)
		return false;
	*var = (struct loop_var){.cond = input_of(g, node, 1).node,
		.at_switch = node,
		.merge = input_of(g, node, 0).node};
	if (shape_of_node(g, var->cond) != shape_loop_cond ||
		shape_of_node(g, var->merge) != shape_merge)
		return false;
	for (uint32_t i = 0; i < g->nodes.at[var->merge].n_edges; i++) {
		var->next = input_of(g, var->merge, i).node;
		if (shape_of_node(g, var->next) == shape_next)
			return true;
	}
	return false;
}

bool loops_prepare(struct frame *f)
{
	const struct graph *g = f->graph;
	struct loop_var var;
	size_t n = 0;

	for (uint32_t i = 0; i < g->nodes.n; i++)
		n += read_var(g, i, &var);
	f->loop_vars = mem_array(n + 1, sizeof(*f->loop_vars));
	if (!f->loop_vars)
		return false;
	for (uint32_t i = 0; i < g->nodes.n; i++)
		if (read_var(g, i, &var))
			f->loop_vars[f->n_loop_vars++] = var;
	qsort(f->loop_vars, f->n_loop_vars, sizeof(*f->loop_vars), by_cond);
	return true;
}

static const struct loop_var *find_vars(const struct frame *f, uint32_t cond, size_t *n)
{
	size_t low = 0;

	sort_search(low, f->n_loop_vars, i, f->loop_vars[i].cond < cond);
	*n = 0;
	while (low + *n < f->n_loop_vars && f->loop_vars[low + *n].cond == cond)
		++*n;
	return f->loop_vars + low;
}

/* ---- which loop a node is in ---------------------------------------------------- */

static uint32_t find_loop(struct walk *w, const struct frame *f, struct span name, uint32_t parent)
{
	for (uint32_t i = 1; i < w->loops.n; i++)
		if (w->loops.at[i].frame == f && span_equal(w->loops.at[i].name, name))
			return i;
	if (w->loops.n > WALK_MAX_LOOPS) {
		walk_note(w, NOTE_LOOP_LIMIT, WALK_MAX_LOOPS);
		return 0;
	}
	if (!vec_push(&w->loops,
		    ((struct loop){.name = name,
			    .frame = f,
			    .parent = parent,
			    .depth = w->loops.at[parent].depth + 1,
			    .trips = -1}))) {
		w->no_memory = true;
		return 0;
	}
	return (uint32_t)w->loops.n - 1;
}

void loops_note_node(struct walk *w, struct frame *f, uint32_t node)
{
	const struct graph *g = f->graph;
	const struct op_node *n = &g->nodes.at[node];
	shape_fn *shape = shape_of_node(g, node);
	uint32_t loop = 0;

	if (f->base || f->loop_of[node])
		return;
	for (uint32_t i = 0; i < n->n_edges; i++) {
		uint32_t of = f->loop_of[g->edges.at[n->first_edge + i].node];

		if (w->loops.at[of].depth > w->loops.at[loop].depth)
			loop = of;
	}
	if (shape == shape_enter)
		loop = find_loop(w, f, node_text(g, n, A_frame_name), loop);
	else if (shape == shape_exit)
		loop = w->loops.at[loop].parent;
	f->loop_of[node] = loop;
}

/* ---- turns ---------------------------------------------------------------------- */

void loops_clear(struct walk *w, struct run *run)
{
	struct turns *turns = run->turns;

	if (!turns)
		return;
	frame_free(w, turns->frame);
	arena_clear(&turns->arenas[0]);
	arena_clear(&turns->arenas[1]);
	arena_clear(&turns->arena);
	mem_free(turns);
	run->turns = NULL;
}

/* In the frame of a later turn, a Merge of the loop has its current value, and what the turn
 * does not change comes from the frame around the loop. */
bool loops_take_from_base(struct walk *w, struct frame *f, uint32_t node)
{
	struct turns *turns = f->turns;
	const struct frame *base = f->base;
	uint32_t var = f->loop_of[node], loop = base->loop_of[node];
	struct slot slot = base->slots[node];

	if (var) {
		turns->is_needed[var - 1] = true;
		return frame_set(w, f, node, &turns->current[var - 1], 1);
	}
	if (!frame_is_done(base, node))
		return false;
	if (shape_of_node(f->graph, node) != shape_enter)
		for (size_t n = 0; loop && n < w->loops.n; n++, loop = w->loops.at[loop].parent)
			if (loop == turns->loop)
				return false;
	return frame_set(w, f, node, &base->tensors.at[slot.first - 1], slot.n);
}

static bool start_turns(struct walk *w, struct task *t, struct turns *turns)
{
	turns->current = arena_array(&turns->arenas[1], turns->n + 1, sizeof(*turns->current));
	turns->is_needed = arena_zero(&turns->arena, turns->n + 1, 1);
	turns->frame = frame_new(w, t->frame->graph, t->frame->call.scope);
	if (!turns->current || !turns->is_needed || !turns->frame) {
		w->no_memory = true;
		return false;
	}
	turns->frame->call = t->frame->call;
	turns->frame->caller = t->frame->caller;
	turns->frame->base = t->frame;
	turns->frame->turns = turns;
	for (size_t i = 0; i < turns->n; i++) {
		const struct tensor *next =
			frame_get(t->frame, (struct op_edge){turns->vars[i].next, 0});

		turns->frame->loop_of[turns->vars[i].merge] = (uint32_t)i + 1;
		if (!tensor_copy(&turns->current[i], next, &turns->arenas[1]))
			w->no_memory = true;
	}
	return !w->no_memory;
}

/* Computes the next turn's values of the needed variables. */
static bool advance(struct walk *w, struct turns *turns)
{
	struct arena *arena = &turns->arenas[turns->trips & 1];
	struct tensor *next;

	arena_reset(arena, 256 * 1024);
	next = arena_array(arena, turns->n + 1, sizeof(*next));
	if (!next) {
		w->no_memory = true;
		return false;
	}
	for (size_t i = 0; i < turns->n; i++) {
		const struct tensor *from = turns->is_needed[i]
			? frame_get(turns->frame, (struct op_edge){turns->vars[i].next, 0})
			: &turns->current[i];

		if (!tensor_copy(&next[i], from, arena))
			w->no_memory = true;
		if (!turns->is_needed[i])
			next[i].values = NULL;
	}
	turns->current = next;
	frame_reset(w, turns->frame);
	return !w->no_memory;
}

/* Pushes what must still be evaluated in this turn; false if nothing. */
static bool push_needed(struct walk *w, struct turns *turns)
{
	bool pushed = false;

	for (size_t i = 0; i < turns->n; i++)
		if (turns->is_needed[i] && !turns->frame->slots[turns->vars[i].next].first) {
			walk_push(w, turns->frame, turns->vars[i].next);
			pushed = true;
		}
	return pushed;
}

static bool keep_finals(struct walk *w, struct turns *turns)
{
	struct tensor *finals = arena_array(&w->arena, turns->n + 1, sizeof(*finals));

	if (!finals) {
		w->no_memory = true;
		return false;
	}
	for (size_t i = 0; i < turns->n; i++) {
		if (!tensor_copy(&finals[i], &turns->current[i], &w->arena))
			w->no_memory = true;
		if (!turns->is_needed[i])
			finals[i].values = NULL;
	}
	w->loops.at[turns->loop].finals = finals;
	return !w->no_memory;
}

/* Ends the loop, whether its trips were counted or cannot be. */
static void set_trips(struct walk *w, struct turns *turns, int64_t trips, enum note_kind kind)
{
	walk_note(w, kind, kind == NOTE_LOOP_LIMIT ? WALK_MAX_TURNS : trips);
	w->loops.at[turns->loop].trips = trips;
	if (kind == NOTE_LOOP && turns->frame)
		keep_finals(w, turns);
}

static bool give_exit(struct walk *w, struct task *t, const struct turns *turns, bool *is_done)
{
	const struct graph *g = t->frame->graph;
	uint32_t at_switch = input_of(g, t->node, 0).node;
	const struct loop *loop = &w->loops.at[turns->loop];
	struct tensor out = tensor_unknown(0);

	for (size_t i = 0; i < turns->n; i++) {
		if (turns->vars[i].at_switch != at_switch)
			continue;
		if (!loop->trips)
			out = *frame_get(t->frame, (struct op_edge){turns->vars[i].merge, 0});
		else
			out = *frame_get(t->frame, (struct op_edge){turns->vars[i].next, 0});
		if (loop->trips) {
			out.values = NULL;
			if (loop->finals && tensor_same_shape(&loop->finals[i], &out))
				out.values = loop->finals[i].values;
		}
	}
	control_clear(w, t->run);
	t->run = NULL;
	w->out.n = 0;
	*is_done = true;
	if (!vec_push(&w->out, out))
		w->no_memory = true;
	return !w->no_memory;
}

/* The condition of a turn has been evaluated, in the loop's own frame or a later turn's. */
static bool after_cond(struct walk *w, struct task *t, const struct frame *f, struct turns *turns)
{
	const struct tensor *holds = frame_get(f, (struct op_edge){turns->vars[0].cond, 0});
	int64_t value, assumed = w->trip_count ? w->trip_count : 1;

	if (!tensor_get_int(holds, 0, &value)) {
		set_trips(w, turns, assumed, NOTE_LOOP_UNKNOWN);
	} else if (!value || w->turns_left <= 0) {
		set_trips(w, turns, turns->trips, value ? NOTE_LOOP_LIMIT : NOTE_LOOP);
	} else {
		w->turns_left--;
		turns->trips++;
		return true;
	}
	return false;
}

bool loops_step(struct walk *w, struct task *t, bool *is_done)
{
	const struct graph *g = t->frame->graph;
	struct turns *turns = t->run ? t->run->turns : NULL;
	uint32_t cond = input_of(g, input_of(g, t->node, 0).node, 1).node;

	if (!turns) {
		if (!t->run && !(t->run = run_new(w)))
			return false;
		turns = t->run->turns = mem_zero(sizeof(*turns));
		if (!turns) {
			w->no_memory = true;
			return false;
		}
		turns->vars = find_vars(t->frame, cond, &turns->n);
		turns->loop = t->frame->loop_of[cond];
	}
	*is_done = false;
	if (!turns->n || w->loops.at[turns->loop].trips >= 0)
		return give_exit(w, t, turns, is_done);
	switch (turns->phase) {
	case TURNS_START:
		turns->phase = TURNS_FIRST;
		for (size_t i = turns->n; i-- > 0;)
			if (!walk_push(w, t->frame, turns->vars[i].next))
				return false;
		return true;
	case TURNS_FIRST:
		if (!after_cond(w, t, t->frame, turns))
			return give_exit(w, t, turns, is_done);
		if (!start_turns(w, t, turns))
			return false;
		break;
	case TURNS_COND:
		w->mute--;
		if (!after_cond(w, t, turns->frame, turns))
			return give_exit(w, t, turns, is_done);
		turns->phase = TURNS_NEXT;
		w->mute++;
		if (push_needed(w, turns))
			return !w->no_memory;
		/* fall through */
	case TURNS_NEXT:
		if (push_needed(w, turns))
			return !w->no_memory;
		w->mute--;
		if (!advance(w, turns))
			return false;
		break;
	}
	turns->phase = TURNS_COND;
	w->mute++;
	return walk_push(w, turns->frame, cond);
}
