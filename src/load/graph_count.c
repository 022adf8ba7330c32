/* Counts float operations that no op log has, from the loaded graphs, as for a model file
 * (count/walk.h). */
#include "base/spelling.h"
#include "count/uncounted.h"
#include "load/branch_names.h"
#include "load/load.h"
#include "load/model_file.h"
#include "model/run_shapes.h"
#include "model/step_float_ops.h"

/* Shapes of one step, or of all. */
struct step_shapes {
	struct shape_source source;
	const struct model *m;
	int64_t step; /* negative: all */
};

struct count {
	struct model *m;
	struct step_shapes shapes;
	struct model_file file;
	struct walk walk;
	int64_t *float_ops;          /* of each node */
	int64_t integer_macs;        /* of all that is counted, on integers */
	int64_t *turns;              /* how often it runs, not counting what it calls */
	uint32_t *shape;             /* of its first output; 0: unknown */
	struct uncounted *uncounted; /* NULL: of no interest */
	bool has_inner; /* a call has the costs of what it calls, as often as the walk says */
	struct branch_names branches;
	bool has_compiled;       /* some node is NODE_COMPILED */
	struct strings compiled; /* names of operations whose products compiled programs have */
	uint32_t *calls;         /* of each call site: the node that has the costs of others */
	struct buf name;
};

/* ---- shapes of runs ------------------------------------------------------------- */

static bool complete_tensor(const struct shape_source *source, struct span name, size_t output,
	struct tensor *t)
{
	const struct step_shapes *s = (const struct step_shapes *)source;
	uint32_t node = output <= INT32_MAX ? model_find_node(s->m, name) : NONE;
	const struct run_shape *ran = NULL;
	struct tensor shape;

	if (node != NONE)
		ran = run_shapes_find(s->m, node, (int32_t)output, s->step);
	/* What did not run in a step has the shape it had in others. */
	if (node != NONE && !ran && s->step >= 0)
		ran = run_shapes_find(s->m, node, (int32_t)output, -1);
	if (!ran)
		return false;
	shape = tensor_make(t->dtype, shapes_get(&s->m->shapes, ran->shape)->dims,
		ran->is_scalar ? 0 : shapes_get(&s->m->shapes, ran->shape)->n);
	if (t->rank >= 0 && t->rank != shape.rank)
		return false;
	for (int d = 0; d < t->rank; d++)
		if (t->dims[d] >= 0 && shape.dims[d] >= 0 && t->dims[d] != shape.dims[d])
			return false;
	for (int d = 0; d < t->rank; d++)
		if (shape.dims[d] < 0)
			shape.dims[d] = t->dims[d];
	*t = shape;
	return tensor_is_known(t);
}

/* ---- a walk ---------------------------------------------------------------------- */

static bool add_shape(struct count *c, uint32_t node, const int64_t *dims, int rank)
{
	int64_t scalar = 1;

	if (c->m->nodes.n_outputs[node] || rank < 0)
		return true;
	/* As everywhere, rank 0 is a vector of one. */
	c->shape[node] = rank ? shapes_add(&c->m->shapes, dims, (size_t)rank)
			      : shapes_add(&c->m->shapes, &scalar, 1);
	return c->shape[node] != NONE;
}

static bool add_inputs(struct count *c)
{
	bool ok = true;

	for (size_t i = 0; ok && i < c->file.inputs.n; i++) {
		const struct model_input *in = &c->file.inputs.at[i];
		uint32_t node = model_find_node(c->m, in->name);

		ok = node == NONE || !tensor_is_known(&in->tensor) ||
			add_shape(c, node, in->tensor.dims, in->tensor.rank);
	}
	return ok;
}

static uint32_t find_on_path(struct count *c, struct span name)
{
	uint32_t node = model_find_node(c->m, name);

	return node == NONE ? branch_names_find(&c->branches, name) : node;
}

/* The innermost call of a function that ran as a compiled program, which has its costs, or else
 * the call in the main graph. */
static uint32_t find_call(struct count *c, const struct call_site *site)
{
	uint32_t node = c->has_compiled && site->path.n ? find_on_path(c, site->path) : NONE;

	if (node != NONE && c->m->nodes.flags[node] & NODE_COMPILED)
		return node;
	return c->walk.sites.at[site->parent].caller ? c->calls[site->parent]
						     : model_find_node(c->m, site->caller->name);
}

/* Once for each site: records are many, and paths may be long. */
static bool find_calls(struct count *c)
{
	c->calls = mem_zero_array(c->walk.sites.n + 1, sizeof(*c->calls));
	for (size_t i = 0; c->calls && i < c->walk.sites.n; i++)
		if (c->walk.sites.at[i].caller)
			c->calls[i] = find_call(c, &c->walk.sites.at[i]);
	return c->calls;
}

/* The node of a record. A node of a function exists if a trace has it; otherwise its cost goes
 * to the call. */
static uint32_t find_node(struct count *c, const struct record *r)
{
	const struct call_site *site = &c->walk.sites.at[r->site];
	uint32_t node;

	if (!site->caller)
		return model_find_node(c->m, record_name(r));
	c->name.n = 0;
	if (site->path.n) {
		buf_span(&c->name, site->path);
		buf_char(&c->name, '/');
	}
	buf_span(&c->name, record_name(r));
	node = c->name.failed ? NONE : find_on_path(c, buf_get(&c->name));
	return node == NONE ? c->calls[r->site] : node;
}

/* Whether a record is the node itself, not something it calls. */
static bool is_own(const struct count *c, const struct record *r, uint32_t node)
{
	const struct op_node *caller = c->walk.sites.at[r->site].caller;

	return !caller || !span_equal(model_name(c->m, node), caller->name);
}

/* Whether a compiled program has the cost of a record: it has matrix products and convolutions.
 * Loops of a program are no nodes, but name the operations in them. */
static bool is_compiled(const struct count *c, const struct record *r, uint32_t node)
{
	if (!op_rule_is_product(r->type->rule))
		return false;
	return c->m->nodes.flags[node] & NODE_COMPILED ||
		(!is_own(c, r, node) && strings_find(&c->compiled, record_name(r)) != NONE);
}

static bool add_record(struct count *c, const struct record *r)
{
	uint32_t node = find_node(c, r);
	bool has_cost;

	if (c->name.failed)
		return false;
	has_cost = node == NONE || !is_compiled(c, r, node);
	if (r->state == RECORD_NOT_COUNTED && c->uncounted && has_cost &&
		(node == NONE || !c->m->nodes.float_ops[node]) &&
		!uncounted_add(c->uncounted, r->type->name))
		return false;
	if (node == NONE)
		return true;
	has_cost &= cost_float_ops(r->cost) != 0;
	c->has_inner |= !is_own(c, r, node) && has_cost;
	if (has_cost)
		c->integer_macs = count_add(c->integer_macs, record_integer_macs(r));
	if (has_cost)
		c->float_ops[node] = count_add(c->float_ops[node],
			count_multiply(cost_float_ops(r->cost), r->times));
	if (is_own(c, r, node))
		c->turns[node] = count_add(c->turns[node], r->times);
	return c->walk.sites.at[r->site].caller || add_shape(c, node, r->out_dims, r->out_rank);
}

static enum tfprof_status count_graph(struct count *c, struct span bytes, struct tfprof_error *err)
{
	const struct model_file_options options = {.is_lenient = true,
		.shapes = c->m->n_run_shapes ? &c->shapes.source : NULL};
	struct tfprof_input in = tfprof_input_bytes(bytes.at, bytes.n);
	enum tfprof_status status = model_file_open_graph(&c->file, bytes, &options, err);

	if (status == TFPROF_OK)
		status = model_file_walk(&c->file, &c->walk, &in, true, err);
	if (status == TFPROF_OK && (!add_inputs(c) || !find_calls(c)))
		status = error_no_memory(err);
	for (size_t i = 0; status == TFPROF_OK && i < c->walk.records.n; i++)
		if (!add_record(c, &c->walk.records.at[i]))
			status = error_no_memory(err);
	return status;
}

/* "while/MatMul" of the instruction "while/MatMul/dot.3" */
static bool find_compiled(struct count *c)
{
	const struct model *m = c->m;

	for (uint32_t node = 0; node < m->nodes.n; node++) {
		struct span name = model_name(m, node);

		c->has_compiled |= (m->nodes.flags[node] & NODE_COMPILED) != 0;
		if (!m->nodes.kind[node] || !m->nodes.float_ops[node])
			continue;
		while (name.n && name.at[name.n - 1] != '/')
			name.n--;
		if (name.n > 1 &&
			strings_add(&c->compiled, (struct span){name.at, name.n - 1}) == NONE)
			return false;
	}
	return true;
}

static bool has_parameters(const struct model *m)
{
	for (uint32_t node = 0; node < m->nodes.n; node++)
		if (model_parameters(m, node))
			return true;
	return false;
}

/* Marks the constants of a frozen graph that were variables. */
static bool mark_weights(struct count *c)
{
	struct model *m = c->m;
	uint32_t trainable = strings_add(&m->strings, SPAN("_trainable_variables"));

	if (has_parameters(m))
		return true;
	for (size_t i = 0; i < c->file.parameters.n && trainable != NONE; i++) {
		const struct parameter *p = &c->file.parameters.at[i];
		uint32_t node = model_find_node(m, p->name);

		if (node == NONE || !p->is_counted || !p->is_constant || p->tensor.rank < 1)
			continue;
		m->nodes.shape[node] =
			shapes_add(&m->shapes, p->tensor.dims, (size_t)p->tensor.rank);
		if (m->nodes.shape[node] == NONE || !model_add_type(m, node, trainable)) {
			m->nodes.shape[node] = 0;
			return false;
		}
	}
	return trainable != NONE;
}

/* A node that ran needs the cost of one run: reports multiply it by the runs. */
static int64_t turns_of(const struct count *c, uint32_t node)
{
	return c->m->nodes.first_exec[node] != NONE && c->turns[node] ? c->turns[node] : 1;
}

static int64_t float_ops_of_run(const struct count *c, uint32_t node)
{
	return c->float_ops[node] / turns_of(c, node);
}

/* Does not overwrite what is known already. */
static enum tfprof_status apply(struct count *c, struct tfprof_error *err)
{
	struct model *m = c->m;

	if (!vec_reserve(&m->outputs, m->nodes.n) || !mark_weights(c))
		return error_no_memory(err);
	for (uint32_t node = 0; node < m->nodes.n; node++) {
		if (!m->nodes.float_ops[node]) {
			m->nodes.float_ops[node] = float_ops_of_run(c, node);
			m->nodes.flags[node] |= NODE_COUNTED;
		}
		if (!c->shape[node])
			continue;
		m->nodes.first_output[node] = (uint32_t)m->outputs.n;
		m->nodes.n_outputs[node] = 1;
		m->nodes.flags[node] |= NODE_SHAPED;
		m->outputs.at[m->outputs.n++] = (struct output){0, c->shape[node]};
	}
	m->generation++;
	return TFPROF_OK;
}

/* What is different in another step: float operations of its own, and shapes that are those of no
 * step. */
static bool apply_difference(const struct count *c, struct count *first, const int64_t *steps,
	size_t n)
{
	struct model *m = c->m;

	for (uint32_t node = 0; node < m->nodes.n; node++) {
		int64_t float_ops = float_ops_of_run(c, node);

		if (first->shape[node] != c->shape[node])
			first->shape[node] = 0;
		if (m->nodes.float_ops[node] || float_ops == float_ops_of_run(first, node))
			continue;
		for (size_t i = 0; i < n; i++)
			if (!vec_push(&m->step_float_ops,
				    ((struct step_float_ops){node, steps[i], float_ops})))
				return false;
	}
	return true;
}

/* Notes on turns that may be fewer than was counted. */
static bool is_of_most_turns(enum note_kind kind)
{
	return kind == NOTE_LOOP_LIMIT || kind == NOTE_DEARER_BRANCH || kind == NOTE_BOTH_BRANCHES;
}

static bool is_of_turns(enum note_kind kind)
{
	return kind == NOTE_LOOP || kind == NOTE_LOOP_UNKNOWN || is_of_most_turns(kind);
}

/* Whether nodes ran at least as often as the walk says. */
static bool has_least_turns(const struct count *c)
{
	for (size_t i = 0; i < c->walk.notes.n; i++)
		if (is_of_most_turns(c->walk.notes.at[i].kind))
			return false;
	return true;
}

/* TensorFlow leaves runs out of its traces that it takes for cheap, which changes from run to
 * run. Where the graph tells how often a loop turns, its nodes ran as often. */
static bool complete_runs(struct count *c, struct buf *notes)
{
	struct execs *execs = &c->m->execs;
	int64_t n_missing = 0, n_nodes = 0;

	if (!(c->m->recorded & MODEL_RECORDED_BY_TENSORFLOW) || !has_least_turns(c))
		return true;
	for (uint32_t node = 0; node < c->m->nodes.n; node++) {
		int64_t n_before = n_missing;

		for (uint32_t row = c->turns[node] > 1 ? c->m->nodes.first_exec[node] : NONE;
			row != NONE; row = exec_at(execs, row)->next) {
			struct exec_sums sums = exec_get_sums(execs, row);

			if (!sums.run_count || sums.run_count >= c->turns[node])
				continue;
			add_clamped(&n_missing, c->turns[node] - sums.run_count);
			sums.run_count = c->turns[node];
			if (!exec_put_sums(execs, row, &sums))
				return false;
		}
		n_nodes += n_missing > n_before;
	}
	if (n_missing)
		buf_printf(notes,
			"count_float_ops: %lld runs in loops are not in the trace, which lacks "
			"operations that TensorFlow takes for cheap: runs and float operations of "
			"%lld of the nodes are those of the graph, times are of the runs "
			"recorded\n",
			(long long)n_missing, (long long)n_nodes);
	return true;
}

static void put_notes(const struct count *c, struct buf *notes)
{
	c->m->assumes_batch |= c->file.assumes_batch;
	buf_span(notes, buf_get(&c->file.notes));
	for (size_t i = 0; i < c->walk.notes.n; i++) {
		/* A trace says how often what it has of loops and branches ran. */
		if (c->m->recorded && !c->has_inner && is_of_turns(c->walk.notes.at[i].kind))
			continue;
		walk_note_put(&c->walk.notes.at[i], notes);
		buf_char(notes, '\n');
	}
	if (c->integer_macs)
		buf_printf(notes,
			"count_float_ops: %lld of the operations are of products of integers\n",
			(long long)count_multiply(c->integer_macs, 2));
	if (c->file.assumes_batch)
		buf_text(notes,
			"count_float_ops: batch 1 was assumed where the graph leaves it open\n");
}

static enum tfprof_status count_begin(struct count *c, struct model *m, int64_t step,
	struct tfprof_error *err)
{
	*c = (struct count){.m = m,
		.shapes = {{complete_tensor}, m, step},
		.float_ops = mem_zero_array(m->nodes.n + 1, sizeof(*c->float_ops)),
		.turns = mem_zero_array(m->nodes.n + 1, sizeof(*c->turns)),
		.shape = mem_zero_array(m->nodes.n + 1, sizeof(*c->shape))};
	return branch_names_init(&c->branches, m) && c->float_ops && c->turns && c->shape &&
			strings_init(&c->compiled) && find_compiled(c)
		? TFPROF_OK
		: error_no_memory(err);
}

static void count_clear(struct count *c)
{
	mem_free(c->float_ops);
	mem_free(c->turns);
	mem_free(c->shape);
	mem_free(c->calls);
	buf_clear(&c->name);
	strings_clear(&c->compiled);
	branch_names_clear(&c->branches);
	walk_clear(&c->walk);
	model_file_clear(&c->file);
}

/* ---- steps ----------------------------------------------------------------------- */

/* A step, and what tells its shapes from those of others; 0: nothing that differs ran. */
struct step_mark {
	int64_t step;
	uint64_t mark;
};

typedef VEC(struct step_mark) step_marks;

/* Only shapes that differ between steps tell them apart. */
static bool mark_steps(const struct model *m, step_marks *marks)
{
	bool differs = false;

	for (size_t i = 0; i < m->steps.n; i++)
		if (!vec_push(marks, ((struct step_mark){m->steps.at[i], 0})))
			return false;
	for (size_t i = 0; i < m->n_run_shapes; i++) {
		const struct run_shape *s = &m->run_shapes.at[i];
		bool is_first = !i || s[-1].node != s->node || s[-1].output != s->output;
		uint32_t step;

		if (is_first)
			differs = s->step == RUN_SHAPES_ALL;
		step = differs && s->step != RUN_SHAPES_ALL ? model_find_step(m, s->step) : NONE;
		if (step != NONE)
			marks->at[step].mark = 1 |
				hash_mix(hash_mix(marks->at[step].mark, s->node),
					(uint64_t)s->shape << 32 | (uint32_t)s->output);
	}
	return true;
}

/* The steps from the i-th on that have its mark; none if an earlier one has it, too. */
static size_t find_equal(const step_marks *marks, size_t i, int64_t *steps)
{
	size_t n = 0;

	for (size_t k = 0; k < i; k++)
		if (marks->at[k].mark == marks->at[i].mark)
			return 0;
	for (size_t k = i; marks->at[i].mark && k < marks->n; k++)
		if (marks->at[k].mark == marks->at[i].mark)
			steps[n++] = marks->at[k].step;
	return n;
}

static enum tfprof_status count_others(struct count *first, struct span bytes,
	const step_marks *marks, size_t from, int64_t *steps, struct tfprof_error *err)
{
	enum tfprof_status status = TFPROF_OK;

	for (size_t i = from; status == TFPROF_OK && i < marks->n; i++) {
		size_t n = find_equal(marks, i, steps);
		struct count c;

		if (!n)
			continue;
		status = count_begin(&c, first->m, marks->at[i].step, err);
		if (status == TFPROF_OK)
			status = count_graph(&c, bytes, err);
		if (status == TFPROF_OK && !apply_difference(&c, first, steps, n))
			status = error_no_memory(err);
		count_clear(&c);
	}
	return status;
}

static enum tfprof_status count_source(struct model *m, struct span bytes,
	struct uncounted *uncounted, struct buf *notes, struct tfprof_error *err)
{
	step_marks marks = {0};
	int64_t *steps = mem_array(m->steps.n + 1, sizeof(*steps));
	size_t at = 0, n_before = m->step_float_ops.n;
	struct count c = {0};
	enum tfprof_status status =
		steps && mark_steps(m, &marks) ? TFPROF_OK : error_no_memory(err);

	while (at < marks.n && !marks.at[at].mark)
		at++;
	if (status == TFPROF_OK)
		status = count_begin(&c, m, at < marks.n ? marks.at[at].step : -1, err);
	c.uncounted = uncounted;
	if (status == TFPROF_OK)
		status = count_graph(&c, bytes, err);
	if (status == TFPROF_OK)
		status = count_others(&c, bytes, &marks, at + 1, steps, err);
	if (status == TFPROF_OK)
		status = apply(&c, err);
	if (status == TFPROF_OK && !complete_runs(&c, notes))
		status = error_no_memory(err);
	if (status == TFPROF_OK)
		put_notes(&c, notes);
	if (status == TFPROF_OK && m->step_float_ops.n > n_before)
		buf_printf(notes,
			"count_float_ops: shapes differ between steps: without %s, float "
			"operations are the average of the steps\n",
			SETTING("step", ""));
	if (status != TFPROF_OK)
		m->step_float_ops.n = n_before;
	step_float_ops_sort(m);
	count_clear(&c);
	vec_clear(&marks);
	mem_free(steps);
	return status;
}

/* Forgets what was counted before something was added: runs may have other shapes. */
static void forget_counts(struct model *m)
{
	for (uint32_t node = 0; node < m->nodes.n; node++) {
		if (m->nodes.flags[node] & NODE_COUNTED)
			m->nodes.float_ops[node] = 0;
		if (m->nodes.flags[node] & NODE_SHAPED)
			m->nodes.n_outputs[node] = 0;
		m->nodes.flags[node] &= (uint8_t) ~(NODE_COUNTED | NODE_SHAPED);
	}
	m->step_float_ops.n = 0;
}

enum tfprof_status model_count_float_ops(struct model *m, struct buf *notes,
	struct tfprof_error *err)
{
	struct uncounted uncounted = {0};
	enum tfprof_status status = model_complete(m, err);

	if (status == TFPROF_OK && !m->graphs.n)
		buf_printf(notes,
			"count_float_ops: there is no graph to count: add %s, or a model "
			"file, which is counted without this option\n",
			INPUT("graph"));
	if (status == TFPROF_OK)
		forget_counts(m);
	for (size_t i = 0; status == TFPROF_OK && i < m->graphs.n; i++)
		status = count_source(m, m->sources.at[m->graphs.at[i]].bytes, &uncounted, notes,
			err);
	if (status == TFPROF_OK && m->graphs.n && !model_keep_uncounted(m, &uncounted))
		status = error_no_memory(err);
	if (status == TFPROF_OK && uncounted.kinds.n)
		buf_printf(notes, "float operations: %s\n", m->uncounted);
	uncounted_clear(&uncounted);
	return status;
}

bool model_keep_uncounted(struct model *m, struct uncounted *u)
{
	struct buf b = {0};
	struct span kept = {0};

	uncounted_put(u, &b);
	if (!b.failed && b.n)
		kept = arena_copy(&m->arena, buf_get(&b));
	if (!b.failed && (!b.n || kept.at))
		m->uncounted = kept.at;
	buf_clear(&b);
	return m->uncounted == kept.at;
}
