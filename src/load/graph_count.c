/* Counts float operations that no op log has, from the loaded graphs, as for a model file
 * (count/walk.h). */
#include "load/branch_names.h"
#include "load/load.h"
#include "load/model_file.h"

struct count {
	struct model *m;
	struct model_file file;
	struct walk walk;
	int64_t *float_ops; /* of each node */
	int64_t *turns;     /* how often it runs, not counting what it calls */
	uint32_t *shape;    /* of its first output; 0: unknown */
	size_t n_not_counted;
	struct branch_names branches;
	bool has_compiled; /* some node is NODE_COMPILED */
	uint32_t *calls;   /* of each call site: the node that has the costs of others */
	struct buf name;
};

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

static bool add_record(struct count *c, const struct record *r)
{
	uint32_t node = find_node(c, r);

	if (c->name.failed)
		return false;
	c->n_not_counted += r->state == RECORD_NOT_COUNTED;
	if (node == NONE)
		return true;
	c->float_ops[node] =
		count_add(c->float_ops[node], count_multiply(cost_float_ops(r->cost), r->times));
	if (is_own(c, r, node))
		c->turns[node] = count_add(c->turns[node], r->times);
	return c->walk.sites.at[r->site].caller || add_shape(c, node, r->out_dims, r->out_rank);
}

static enum tfprof_status count_graph(struct count *c, struct span bytes, struct tfprof_error *err)
{
	static const struct model_file_options options = {.is_lenient = true};
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

static bool has_compiled(const struct model *m)
{
	for (uint32_t node = 0; node < m->nodes.n; node++)
		if (m->nodes.flags[node] & NODE_COMPILED)
			return true;
	return false;
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

/* Does not overwrite what is known already. */
static enum tfprof_status apply(struct count *c, struct tfprof_error *err)
{
	struct model *m = c->m;

	if (!vec_reserve(&m->outputs, m->nodes.n) || !mark_weights(c))
		return error_no_memory(err);
	for (uint32_t node = 0; node < m->nodes.n; node++) {
		if (!m->nodes.float_ops[node] && !(m->nodes.flags[node] & NODE_COMPILED))
			m->nodes.float_ops[node] = c->float_ops[node] / turns_of(c, node);
		if (!c->shape[node])
			continue;
		m->nodes.first_output[node] = (uint32_t)m->outputs.n;
		m->nodes.n_outputs[node] = 1;
		m->outputs.at[m->outputs.n++] = (struct output){0, c->shape[node]};
	}
	m->generation++;
	return TFPROF_OK;
}

static void put_notes(const struct count *c, struct buf *notes)
{
	buf_span(notes, buf_get(&c->file.notes));
	for (size_t i = 0; i < c->walk.notes.n; i++) {
		walk_note_put(&c->walk.notes.at[i], notes);
		buf_char(notes, '\n');
	}
	if (c->file.assumes_batch)
		buf_text(notes,
			"count_float_ops: batch 1 was assumed where the graph leaves it open\n");
	if (c->n_not_counted)
		buf_printf(notes, "count_float_ops: %zu operation%s could not be counted\n",
			c->n_not_counted, c->n_not_counted == 1 ? "" : "s");
}

static enum tfprof_status count_source(struct model *m, struct span bytes, struct buf *notes,
	struct tfprof_error *err)
{
	struct count c = {.m = m,
		.has_compiled = has_compiled(m),
		.float_ops = mem_zero_array(m->nodes.n + 1, sizeof(*c.float_ops)),
		.turns = mem_zero_array(m->nodes.n + 1, sizeof(*c.turns)),
		.shape = mem_zero_array(m->nodes.n + 1, sizeof(*c.shape))};
	enum tfprof_status status = TFPROF_OK;

	if (!branch_names_init(&c.branches, m) || !c.float_ops || !c.turns || !c.shape)
		status = error_no_memory(err);
	if (status == TFPROF_OK)
		status = count_graph(&c, bytes, err);
	if (status == TFPROF_OK)
		status = apply(&c, err);
	if (status == TFPROF_OK)
		put_notes(&c, notes);
	mem_free(c.float_ops);
	mem_free(c.turns);
	mem_free(c.shape);
	mem_free(c.calls);
	buf_clear(&c.name);
	branch_names_clear(&c.branches);
	walk_clear(&c.walk);
	model_file_clear(&c.file);
	return status;
}

enum tfprof_status model_count_float_ops(struct model *m, struct buf *notes,
	struct tfprof_error *err)
{
	enum tfprof_status status = model_complete(m, err);

	if (status == TFPROF_OK && !m->graphs.n)
		buf_text(notes,
			"count_float_ops: there is no graph to count: add --graph_path, or a model "
			"file, which is counted without this option\n");
	for (size_t i = 0; status == TFPROF_OK && i < m->graphs.n; i++)
		status = count_source(m, m->sources.at[m->graphs.at[i]].bytes, notes, err);
	return status;
}
