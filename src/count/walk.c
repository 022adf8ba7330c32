#include "count/walk.h"

#include "base/ascii.h"
#include "base/spelling.h"
#include "count/frame.h"

void walk_init(struct walk *w, struct graph_source *source, parameter_vec *parameters)
{
	*w = (struct walk){.source = source,
		.parameters = parameters,
		.nodes_left = WALK_MAX_NODES,
		.repeats_left = WALK_MAX_REPEATS,
		.values_left = WALK_MAX_VALUES,
		.turns_left = WALK_MAX_TURNS};
	if (!vec_push(&w->buffers, 0) || !vec_push(&w->weights, (struct layer_weights){0}) ||
		!vec_push(&w->loops, (struct loop){.trips = 1}))
		w->no_memory = true;
}

void walk_clear(struct walk *w)
{
	vec_clear(&w->records);
	vec_clear(&w->sites);
	vec_clear(&w->weights);
	vec_clear(&w->buffers);
	vec_clear(&w->uses);
	vec_clear(&w->kept);
	vec_clear(&w->sources);
	vec_clear(&w->input_serials);
	vec_clear(&w->loops);
	vec_clear(&w->notes);
	vec_clear(&w->stack);
	vec_clear(&w->in);
	vec_clear(&w->out);
	buf_clear(&w->conflict);
	arena_clear(&w->arena);
}

struct span walk_join(struct walk *w, struct span path, struct span name)
{
	struct buf b = {0};
	struct span full;

	if (!path.n)
		return name;
	buf_span(&b, path);
	buf_char(&b, '/');
	buf_span(&b, name);
	full = arena_copy(&w->arena, buf_get(&b));
	if (b.failed || !full.at)
		w->no_memory = true;
	buf_clear(&b);
	return full.at ? full : name;
}

/* Bodies of loops have full names already. */
struct span walk_name(struct walk *w, struct span scope, struct span name)
{
	return span_starts(name, scope) ? name : walk_join(w, scope, name);
}

struct span walk_record_name(struct walk *w, const struct record *r)
{
	return walk_name(w, w->sites.at[r->site].scope, record_name(r));
}

/* ---- notes ---------------------------------------------------------------------- */

void walk_note(struct walk *w, enum note_kind kind, int64_t number)
{
	if (w->mute)
		return;
	for (size_t i = 0; i < w->notes.n; i++) {
		struct walk_note *note = &w->notes.at[i];

		if (note->kind != kind || (note->number != number && !w->n_repeats))
			continue;
		/* The next turn of a loop has the same loops and conditionals. */
		note->n += !w->n_repeats;
		return;
	}
	/* Nobody reads notes about thousands of loops of different length. */
	if (w->notes.n < 64 && !vec_push(&w->notes, ((struct walk_note){kind, number, 1})))
		w->no_memory = true;
}

const char *walk_note_get_id(const struct walk_note *note)
{
	static const char *const ids[] = {
		[NOTE_LOOP] = "loop",
		[NOTE_LOOP_UNKNOWN] = "loop_unknown",
		[NOTE_LOOP_LIMIT] = "loop_limit",
		[NOTE_LOOP_ALIKE] = "loop_alike",
		[NOTE_DEARER_BRANCH] = "dearer_branch",
		[NOTE_BOTH_BRANCHES] = "both_branches",
		[NOTE_TOO_DEEP] = "too_deep",
		[NOTE_TOO_MANY] = "too_many",
		[NOTE_NO_FUNCTION] = "no_function",
		[NOTE_DAMAGED] = "damaged",
	};

	return ids[note->kind];
}

void walk_note_put(const struct walk_note *note, struct buf *b)
{
	long long number = (long long)note->number;

	switch (note->kind) {
	case NOTE_LOOP:
		buf_printf(b, "%zu loop%s x%lld", note->n, note->n == 1 ? "" : "s", number);
		break;
	case NOTE_LOOP_UNKNOWN:
		buf_printf(b,
			"%zu loop%s whose trip count depends on data: counted x%lld "
			"(give %s)",
			note->n, note->n == 1 ? "" : "s", number, SETTING("trip_count", "N"));
		break;
	case NOTE_LOOP_LIMIT:
		buf_printf(b, "loops were followed for %lld turns: their counts are lower bounds",
			number);
		break;
	case NOTE_LOOP_ALIKE:
		buf_printf(b,
			"%zu loop%s whose turns differ: those after the first %lld count as that "
			"one",
			note->n, note->n == 1 ? "" : "s", number);
		break;
	case NOTE_DEARER_BRANCH:
		buf_printf(b, "%zu condition%s on data: the more expensive branch is counted",
			note->n, note->n == 1 ? " depends" : "s depend");
		break;
	case NOTE_BOTH_BRANCHES:
		buf_text(b, "lowered conditionals: both branches are counted");
		break;
	case NOTE_TOO_DEEP:
		buf_printf(b,
			"functions call each other more than %lld deep: deeper calls are not "
			"counted",
			number);
		break;
	case NOTE_TOO_MANY:
		if (number)
			buf_printf(b, "stopped after %lld operations: the rest is not counted",
				number);
		else
			buf_text(b,
				"more calls and operations than are followed: the rest is "
				"not counted");
		break;
	case NOTE_NO_FUNCTION:
		buf_printf(b, "%zu call%s of a function that is not in the file, or damaged",
			note->n, note->n == 1 ? "" : "s");
		break;
	case NOTE_DAMAGED: buf_text(b, "the file is damaged"); break;
	}
}

bool walk_note_is_gap(const struct walk_note *note)
{
	return note->kind == NOTE_LOOP_LIMIT || note->kind >= NOTE_TOO_DEEP;
}

bool walk_is_cut(const struct walk *w)
{
	for (size_t i = 0; i < w->notes.n; i++)
		if (walk_note_is_gap(&w->notes.at[i]))
			return true;
	return false;
}

/* ---- records -------------------------------------------------------------------- */

/* Whether a node reads a variable, or did before the graph was frozen: …/ReadVariableOp,
 * …/ReadVariableOp_2, …/read. */
static bool is_reader(const struct op_node *node)
{
	struct span name = node->name;

	if (node->type->rule && (node->type->rule->shape == shape_read_variable))
		return true;
	name.n -= ascii_trailing_digits(name);
	if (name.n && name.at[name.n - 1] == '_')
		name.n--;
	else
		name = node->name;
	return span_ends(name, SPAN("ReadVariableOp")) || span_ends(name, SPAN("/read"));
}

static void note_parameter(struct walk *w, const struct eval *e, struct span scope)
{
	/* Setting a variable or reading its shape is not computing with it. */
	bool passes = e->rule && (e->rule->place == PLACE_ALIAS || e->rule->place == PLACE_NOWHERE);

	for (size_t i = 0; i < e->n_in; i++) {
		struct parameter *p;

		if (!e->in[i]->parameter || e->in[i]->parameter > w->parameters->n)
			continue;
		p = &w->parameters->at[e->in[i]->parameter - 1];
		if (p->is_constant && is_reader(e->node))
			p->is_counted = true;
		if (passes)
			continue;
		if (!p->is_used)
			p->reader = walk_name(w, scope, e->node->name);
		p->is_used = true;
	}
}

static uint32_t source_of(const struct tensor *t)
{
	return t->producer || !t->parameter ? t->producer : WALK_PARAMETER | t->parameter;
}

static bool add_uses(struct walk *w, const struct eval *e, struct record *r)
{
	r->first_use = (uint32_t)w->uses.n;
	r->first_source = (uint32_t)w->sources.n;
	for (size_t i = 0; i < e->n_in; i++) {
		if (w->keeps_all && !vec_push(&w->sources, source_of(e->in[i])))
			return false;
		r->in_bytes = count_add(r->in_bytes, tensor_bytes(e->in[i]));
		if (e->in[i]->buffer && !vec_push(&w->uses, e->in[i]->buffer))
			return false;
	}
	r->n_uses = (uint32_t)w->uses.n - r->first_use;
	r->n_sources = (uint32_t)w->sources.n - r->first_source;
	/* Only the requested rows of a table are read. */
	if (e->rule && e->rule->shape == shape_gather && e->n_out)
		r->in_bytes = count_add(tensor_bytes(e->out), tensor_bytes(eval_in(e, 1)));
	return true;
}

/* Assigns buffers to outputs. */
static bool add_buffers(struct walk *w, struct eval *e, struct record *r)
{
	r->first_buffer = (uint32_t)w->buffers.n;
	for (size_t i = 0; i < e->n_out; i++) {
		struct tensor *out = &e->out[i];
		int64_t bytes = tensor_bytes(out);

		r->out_bytes = count_add(r->out_bytes, bytes);
		out->producer = r->serial;
		if (r->place == PLACE_ALIAS) {
			const struct tensor *in = eval_in(e, i < e->n_in ? i : 0);

			if (e->rule->shape != shape_same_n)
				in = eval_in(e, 0);
			out->buffer = in->buffer;
			out->parameter = in->parameter; /* a reshaped weight is still one */
			continue;
		}
		out->buffer = 0;
		if (r->place == PLACE_NOWHERE || !bytes)
			continue;
		out->buffer = (uint32_t)w->buffers.n;
		if (w->buffers.n >= UINT32_MAX - 1 || !vec_push(&w->buffers, bytes))
			return false;
	}
	r->n_buffers = (uint32_t)w->buffers.n - r->first_buffer;
	return true;
}

/* Consecutive results often have the same shape. */
static bool set_shape(struct walk *w, const struct eval *e, struct record *r)
{
	const struct record *last = w->records.n ? &w->records.at[w->records.n - 1] : NULL;
	size_t bytes;
	int64_t *dims;

	r->out_rank = -1;
	if (!e->n_out || e->out->rank < 0)
		return true;
	r->out_rank = e->out->rank;
	r->out_dtype = e->out->dtype;
	bytes = (size_t)e->out->rank * sizeof(*dims);
	if (last && last->out_rank == r->out_rank &&
		memcmp(last->out_dims, e->out->dims, bytes) == 0) {
		r->out_dims = last->out_dims;
		return true;
	}
	dims = arena_alloc(&w->arena, bytes + !bytes);
	if (!dims)
		return false;
	memcpy(dims, e->out->dims, bytes);
	r->out_dims = dims;
	return true;
}

/* Adds the sites of the calls that lead there first, which are at most WALK_MAX_CALLS. */
static bool set_site(struct walk *w, struct frame *f, struct record *r)
{
	while (!f->site) {
		struct frame *outer = f;

		while (outer->caller && !outer->caller->site)
			outer = outer->caller;
		if (outer->caller)
			outer->call.parent = outer->caller->site - 1;
		if (!vec_push(&w->sites, outer->call))
			return false;
		outer->site = (uint32_t)w->sites.n;
	}
	r->site = f->site - 1;
	return true;
}

static bool set_weights(struct walk *w, const struct eval *e, struct record *r)
{
	struct layer_weights weights = {.parameters = e->parameters, .trainable = e->trainable};

	if (!w->is_of_layers)
		return true;
	weights.dtype = (int)node_int(e->graph, e->node, A_dtype, 1);
	r->in_bytes =
		count_add(r->in_bytes, count_multiply(e->weights_read, dtype_bytes(weights.dtype)));
	if (w->keeps_all)
		weights.keeps = keep_of_layer(e);
	r->weights = (uint32_t)w->weights.n;
	return vec_push(&w->weights, weights);
}

static void record(struct walk *w, struct frame *f, struct eval *e, struct cost cost,
	enum record_state state)
{
	struct record r = {.serial = ++w->serial,
		.type = e->node->type,
		.name = e->node->name.at,
		.name_length = (uint32_t)e->node->name.n,
		.cost = cost,
		.times = 1,
		.state = (uint8_t)state,
		.loop = f->loop_of ? f->loop_of[e->node - e->graph->nodes.at] : 0,
		.place = e->rule ? e->rule->place : PLACE_NEW};

	bool is_silent = !w->keeps_all && !w->is_of_layers && state == RECORD_COUNTED &&
		!cost.macs && !cost.others && (r.place == PLACE_ALIAS || r.place == PLACE_NOWHERE);

	note_parameter(w, e, f->call.scope);
	if ((!is_silent && !add_uses(w, e, &r)) || !add_buffers(w, e, &r)) {
		w->no_memory = true;
		return;
	}
	if (is_silent)
		return;
	r.parameter = e->n_out ? e->out->parameter : 0;
	if (!set_site(w, f, &r) || !set_shape(w, e, &r) || !set_weights(w, e, &r) ||
		!vec_push(&w->records, r))
		w->no_memory = true;
	if (w->records.n >= WALK_MAX_RECORDS)
		w->nodes_left = 0;
}

/* ---- evaluating ----------------------------------------------------------------- */

static bool more_outputs(struct eval *e, size_t n)
{
	struct walk *w = e->context;

	if (n > WALK_MAX_OUTPUTS)
		return false;
	w->out.n = 0;
	if (!vec_reserve(&w->out, n)) {
		w->no_memory = true;
		return false;
	}
	e->out_room = w->out.at;
	e->out_cap = w->out.cap;
	return true;
}

static void put_dims(struct buf *b, const struct tensor *t)
{
	if (t->rank < 0)
		buf_char(b, '?');
	for (int d = 0; d < t->rank; d++)
		buf_printf(b, "%s%lld", d ? "x" : "", (long long)t->dims[d]);
}

static int64_t ratio_of(int64_t a, int64_t b)
{
	int64_t small = a < b ? a : b, large = a < b ? b : a;

	return small > 0 && large % small == 0 ? large / small : 0;
}

/* How many times larger a batch would have to be for two shapes to fit; 0 if none would. */
static int64_t find_ratio(const struct tensor *a, const struct tensor *b, bool is_reshape)
{
	if (is_reshape)
		return ratio_of(tensor_elements(a), tensor_elements(b));
	for (int d = 1; d <= a->rank && d <= b->rank; d++) {
		int64_t x = a->dims[a->rank - d], y = b->dims[b->rank - d];

		if (x != y && x != 1 && y != 1)
			return ratio_of(x, y);
	}
	return 0;
}

static void note_conflict(struct walk *w, const struct frame *f, const struct eval *e)
{
	struct span name = walk_name(w, f->call.scope, e->node->name);
	bool is_reshape = span_equal(e->problem[0], SPAN("reshape"));
	const struct tensor *other = is_reshape ? e->out : eval_in(e, 1);

	if (w->conflict.n)
		return;
	buf_printf(&w->conflict, "'%.*s' combines ", (int)(name.n < 200 ? name.n : 200), name.at);
	put_dims(&w->conflict, eval_in(e, 0));
	buf_text(&w->conflict, " with ");
	put_dims(&w->conflict, other);
	w->conflict_ratio = find_ratio(eval_in(e, 0), other, is_reshape);
}

/* Undoes what a rule did before it failed: a layer's sets its shape and its cost. */
static void forget_result(struct eval *e)
{
	for (size_t i = 0; i < e->n_out; i++)
		e->out[i] = tensor_unknown(e->out[i].dtype);
	e->layer_cost = (struct cost){0};
	e->parameters = e->trainable = 0;
}

/* Takes the outputs' shapes from the file if no rule knows them. */
static bool take_shapes_of_file(struct eval *e)
{
	const struct op_attr *given = node_attr(e->graph, e->node, A_out_shape);
	size_t n = e->n_out;

	if (given && given->kind == OP_SHAPE && given->n != OP_UNKNOWN_RANK) {
		if (!eval_outputs(e, n + !n))
			return false;
		e->out[0] = tensor_make(e->out[0].dtype, given->ints, given->n);
		return tensor_is_known(e->out);
	}

	if (!n) {
		while (n < 64 && node_output_shape(e->graph, e->node, n).rank >= 0)
			n++;
		if (!eval_outputs(e, n + !n))
			return false;
	}
	for (size_t i = 0; i < e->n_out; i++) {
		struct tensor shape;

		if (tensor_is_known(&e->out[i]))
			continue;
		shape = node_output_shape(e->graph, e->node, i);
		if (shape.rank < 0)
			continue;
		shape.dtype = e->out[i].dtype;
		e->out[i] = shape;
	}
	return tensor_is_known(e->out);
}

/* Takes the outputs' shapes from runs if neither a rule nor the file knows them. */
static bool take_shapes_of_runs(struct walk *w, const struct frame *f, struct eval *e)
{
	struct span name = walk_join(w, f->call.path, e->node->name);
	size_t n = e->n_out ? e->n_out : 1;
	struct tensor next = tensor_unknown(0);

	if (!name.n)
		return false;
	/* Without a rule, runs say how many there are. */
	while (!e->rule && n < 64 && w->shapes->complete(w->shapes, name, n, &next)) {
		next = tensor_unknown(0);
		n++;
	}
	if (e->n_out < n && !eval_outputs(e, n))
		return false;
	for (size_t i = 0; i < n; i++)
		if (!tensor_is_known(&e->out[i]))
			w->shapes->complete(w->shapes, name, i, &e->out[i]);
	return tensor_is_known(e->out);
}

/* If no rule knows a layer's parameters, they are the weights it has in the file. */
static void count_file_weights(struct walk *w, struct eval *e)
{
	int64_t n = node_int(e->graph, e->node, A_file_weights, 0);

	if (n && n != e->parameters) {
		if (e->parameters && !node_int(e->graph, e->node, A_is_repeat, 0))
			w->config_surplus = count_add(w->config_surplus, e->parameters - n);
		e->parameters = n;
		e->trainable = node_int(e->graph, e->node, A_trainable, 1) ? n : 0;
	}
	if (!e->weights_read)
		e->weights_read = e->parameters;
	/* A layer that is called again reads its weights again. */
	if (node_int(e->graph, e->node, A_is_repeat, 0))
		e->parameters = e->trainable = 0;
}

static void gather_inputs(struct walk *w, const struct frame *f, const struct op_node *node)
{
	w->in.n = 0;
	if (!vec_reserve(&w->in, node->n_edges)) {
		w->no_memory = true;
		return;
	}
	for (uint32_t i = 0; i < node->n_edges; i++)
		w->in.at[w->in.n++] = frame_get(f, f->graph->edges.at[node->first_edge + i]);
}

/* The back edge of a lowered loop: the walk follows the other input. */
static bool is_back_edge(const struct graph *g, const struct op_node *node, struct op_edge edge)
{
	const struct op_rule *rule = node->type->rule, *from = g->nodes.at[edge.node].type->rule;

	return rule && rule->shape == shape_merge && from && from->shape == shape_next;
}

/* Whether a Merge joins the branches of a conditional. */
static bool is_conditional(const struct graph *g, const struct op_node *node)
{
	for (uint32_t i = 0; i < node->n_edges; i++)
		if (is_back_edge(g, node, g->edges.at[node->first_edge + i]))
			return false;
	return node->n_edges > 1;
}

static void evaluate(struct walk *w, struct frame *f, uint32_t index)
{
	const struct op_node *node = &f->graph->nodes.at[index];
	struct eval e = {.graph = f->graph,
		.node = node,
		.rule = node->type->rule,
		.arena = &f->arena,
		.values_left = &w->values_left,
		.out_room = w->out.at,
		.out_cap = w->out.cap,
		.context = w,
		.more_outputs = more_outputs};
	enum record_state state = RECORD_COUNTED;
	struct cost cost = {0};
	bool known;

	gather_inputs(w, f, node);
	if (w->no_memory)
		return;
	e.in = w->in.at;
	e.n_in = w->in.n;
	known = e.rule && e.rule->shape(&e);
	if (e.rule && e.rule->shape == shape_merge && is_conditional(f->graph, node))
		walk_note(w, NOTE_BOTH_BRANCHES, 0);
	if (known)
		eval_value(&e);
	else if (e.problem[0].n && !w->mute)
		note_conflict(w, f, &e);
	if (e.problem[0].n || (!known && w->is_of_layers))
		forget_result(&e);
	if (!known)
		known = take_shapes_of_file(&e) && e.rule && !w->is_of_layers;
	if (w->shapes && (!known || !e.n_out || !tensor_is_known(e.out)))
		known |= take_shapes_of_runs(w, f, &e) && e.rule;
	if (!e.rule || (e.rule->cost != cost_none && (!known || !e.rule->cost(&e, &cost)))) {
		state = RECORD_NOT_COUNTED;
		cost = (struct cost){0};
	}
	count_file_weights(w, &e);
	if (!w->mute)
		record(w, f, &e, cost, state);
	frame_set(w, f, index, e.out, e.n_out);
}

/* ---- the stack ------------------------------------------------------------------ */

static bool step(struct walk *w)
{
	struct task *t = &w->stack.at[w->stack.n - 1];
	struct frame *f = t->frame;
	const struct op_node *node = &f->graph->nodes.at[t->node];
	uint32_t index = t->node;
	bool is_done = true;

	if (frame_is_done(f, index)) {
		w->stack.n--;
		return true;
	}
	f->slots[index].first = SLOT_OPEN;
	while (t->next_edge < node->n_edges) {
		struct op_edge edge = f->graph->edges.at[node->first_edge + t->next_edge++];

		if (f->slots[edge.node].first || is_back_edge(f->graph, node, edge))
			continue;
		return walk_push(w, f, edge.node);
	}
	if (f->loop_of)
		loops_note_node(w, f, index);
	if (control_is(w, node)) {
		if (!control_step(w, t, &is_done) || !is_done)
			return !w->no_memory;
		frame_set(w, f, index, w->out.at, w->out.n);
	} else if (f->loop_of && !f->base && node->type->rule &&
		node->type->rule->shape == shape_exit) {
		if (!loops_step(w, t, &is_done) || !is_done)
			return !w->no_memory;
		frame_set(w, f, index, w->out.at, w->out.n);
	} else {
		evaluate(w, f, index);
	}
	w->stack.n--;
	w->nodes_left--;
	return !w->no_memory;
}

bool walk_run(struct walk *w, const struct graph *g, const struct preset *presets, size_t n_presets)
{
	struct frame *f = frame_new(w, g, (struct span){"", 0});

	if (!f)
		return false;
	for (size_t i = 0; i < n_presets; i++) {
		struct tensor t = presets[i].tensor;

		if (f->slots[presets[i].node].first)
			continue;
		if (!t.parameter) {
			t.buffer = (uint32_t)w->buffers.n;
			t.producer = ++w->serial;
			if (!vec_push(&w->buffers, tensor_bytes(&t)) ||
				!vec_push(&w->input_serials, t.producer))
				w->no_memory = true;
		}
		frame_set(w, f, presets[i].node, &t, 1);
	}
	w->n_inputs = w->buffers.n - 1;
	for (size_t i = 0; i < g->returns.n && !w->no_memory && w->nodes_left > 0; i++) {
		walk_push(w, f, g->returns.at[i].node);
		while (w->stack.n && w->nodes_left > 0 && step(w))
			continue;
	}
	if (w->nodes_left <= 0) {
		w->mute = 0;
		walk_note(w, NOTE_TOO_MANY, w->records.n < WALK_MAX_RECORDS ? 0 : WALK_MAX_RECORDS);
	}
	while (w->stack.n)
		control_clear(w, w->stack.at[--w->stack.n].run);
	for (size_t i = 0; i < g->returns.n && !w->no_memory; i++)
		if (!vec_push(&w->kept, frame_get(f, g->returns.at[i])->buffer))
			w->no_memory = true;
	frame_free(w, f);
	frame_free_spare(w);
	return !w->no_memory;
}

void walk_finish(struct walk *w)
{
	if (w->loops.n == 1)
		return;
	for (size_t i = 0; i < w->records.n; i++) {
		uint32_t loop = w->records.at[i].loop;

		/* Loops cannot nest deeper than there are loops. */
		for (size_t n = 0; loop && n < w->loops.n; n++) {
			int64_t trips = w->loops.at[loop].trips;

			w->records.at[i].times =
				count_multiply(w->records.at[i].times, trips < 0 ? 1 : trips);
			loop = w->loops.at[loop].parent;
		}
	}
}
