/* A model file as nodes of a profile: what it runs, with names, types, shapes, data flow and
 * float operations, and a node for each variable, so that all views show it. It is walked
 * as for counting (count/walk.h); a node that runs several times has the float operations of
 * all, and the call stack that made it if the file has one. A layer of a Keras file is a node, and
 * so are its weights. */
#include "count/uncounted.h"
#include "load/load.h"
#include "load/model_file.h"
#include "load/model_stacks.h"

struct nodes_of {
	struct model *m;
	struct model_file file;
	struct walk walk;
	struct model_stacks stacks;
	size_t first_node;      /* of this file */
	uint32_t *by_serial;    /* nodes of records and inputs */
	uint32_t *of_parameter; /* nodes of parameters */
};

/* As everywhere, rank 0 is a vector of one; unknown dimensions make it unknown. */
static uint32_t add_shape(struct model *m, const int64_t *dims, int rank)
{
	int64_t scalar = 1;

	if (rank < 0)
		return 0;
	return rank ? shapes_add(&m->shapes, dims, (size_t)rank)
		    : shapes_add(&m->shapes, &scalar, 1);
}

static bool set_output(struct model *m, uint32_t node, uint32_t shape)
{
	if (shape == NONE)
		return false;
	m->nodes.first_output[node] = (uint32_t)m->outputs.n;
	m->nodes.n_outputs[node] = 1;
	return vec_push(&m->outputs, ((struct output){0, shape}));
}

/* Finds or adds the node of a name. NONE on allocation failure. */
static uint32_t get_node(struct model *m, struct span name, struct span op, bool *is_new)
{
	uint32_t id = strings_add(&m->strings, name), type = strings_add(&m->strings, op), node;

	if (id == NONE || type == NONE)
		return NONE;
	node = model_node_of(m, id);
	*is_new = node == NONE;
	return *is_new ? model_add_node(m, id, type) : node;
}

/* Two variables of the same name are two nodes; one known from another file is the same node. */
static uint32_t get_variable(struct nodes_of *n, size_t i, struct span op, bool *is_new)
{
	struct model *m = n->m;
	struct span name = n->file.parameters.at[i].name;
	uint32_t node = get_node(m, name, op, is_new);
	struct buf other = {0};

	while (node != NONE && !*is_new && node >= n->first_node) {
		other.n = 0;
		buf_span(&other, name);
		buf_printf(&other, "_%zu", i++);
		node = other.failed ? NONE : get_node(m, buf_get(&other), op, is_new);
	}
	buf_clear(&other);
	return node;
}

static bool add_parameters(struct nodes_of *n)
{
	struct model *m = n->m;
	uint32_t trainable = strings_add(&m->strings, SPAN("_trainable_variables"));

	if (trainable == NONE)
		return false;
	for (size_t i = 0; i < n->file.parameters.n; i++) {
		const struct parameter *p = &n->file.parameters.at[i];
		bool is_new, is_weight = p->is_counted || !p->is_constant;
		struct span op = p->is_constant ? SPAN("Const") : SPAN("VarHandleOp");
		uint32_t node = get_variable(n, i, op, &is_new), shape;

		if (node == NONE)
			return false;
		n->of_parameter[i] = node;
		if (!is_new)
			continue;
		shape = add_shape(m, p->tensor.dims, p->tensor.rank);
		if (!set_output(m, node, shape) ||
			(p->is_trainable && p->is_counted && !model_add_type(m, node, trainable)))
			return false;
		m->nodes.shape[node] = is_weight ? shape : 0;
	}
	return true;
}

/* Adds a layer's weights, of which only the number is known. */
static bool add_weights(struct nodes_of *n, struct span layer, int64_t count, bool is_trained)
{
	struct model *m = n->m;
	uint32_t trainable = strings_add(&m->strings, SPAN("_trainable_variables")), node, shape;
	struct buf name = {0};
	bool is_new;

	if (!count)
		return true;
	buf_span(&name, layer);
	buf_text(&name, is_trained ? "/weights" : "/statistics");
	node = name.failed ? NONE : get_node(m, buf_get(&name), SPAN("Variable"), &is_new);
	buf_clear(&name);
	if (node == NONE || trainable == NONE)
		return false;
	shape = add_shape(m, &count, 1);
	m->nodes.shape[node] = shape == NONE ? 0 : shape;
	return (!is_new || set_output(m, node, shape)) &&
		(!is_trained || model_add_type(m, node, trainable));
}

static bool add_inputs(struct nodes_of *n)
{
	for (size_t i = 0; i < n->walk.input_serials.n && i < n->file.inputs.n; i++) {
		const struct model_input *in = &n->file.inputs.at[i];
		bool is_new;
		uint32_t node = get_node(n->m, in->name, SPAN("Placeholder"), &is_new);

		if (node == NONE ||
			(is_new &&
				!set_output(n->m, node,
					add_shape(n->m, in->tensor.dims, in->tensor.rank))))
			return false;
		n->by_serial[n->walk.input_serials.at[i]] = node;
	}
	return true;
}

static bool add_edges(struct nodes_of *n, const struct record *r, uint32_t node)
{
	struct model *m = n->m;

	m->nodes.first_edge[node] = (uint32_t)m->edges.n;
	for (uint32_t i = 0; i < r->n_sources; i++) {
		uint32_t source = n->walk.sources.at[r->first_source + i], from;

		if (source & WALK_PARAMETER)
			from = n->of_parameter[(source & ~WALK_PARAMETER) - 1];
		else
			from = source ? n->by_serial[source] : NONE;
		if (from == NONE || from == node)
			continue;
		if (!vec_push(&m->edges,
			    ((struct edge){.source = m->nodes.name[from], .position = (int32_t)i})))
			return false;
		m->nodes.n_edges[node]++;
	}
	return true;
}

static bool add_record(struct nodes_of *n, const struct record *r)
{
	struct model *m = n->m;
	struct span name = walk_record_name(&n->walk, r);
	const struct layer_weights *weights = &n->walk.weights.at[r->weights];
	bool is_new;
	uint32_t node = get_node(m, name, r->type->name, &is_new);

	if (node == NONE || n->walk.no_memory)
		return false;
	n->by_serial[r->serial] = node;
	m->nodes.float_ops[node] = count_add(m->nodes.float_ops[node],
		count_multiply(cost_float_ops(r->cost), r->times));
	if (!is_new)
		return true;
	return set_output(m, node, add_shape(m, r->out_dims, r->out_rank)) &&
		add_edges(n, r, node) && add_weights(n, name, weights->trainable, true) &&
		add_weights(n, name, weights->parameters - weights->trainable, false);
}

/* Records how often the model runs each node, for when a trace has runs of it. */
static bool add_turns(struct nodes_of *n)
{
	struct model *m = n->m;
	int64_t *turns = mem_zero_array(m->nodes.n + 1, sizeof(*turns));
	bool ok = turns;

	for (size_t i = 0; ok && i < n->walk.records.n; i++) {
		const struct record *r = &n->walk.records.at[i];
		uint32_t node = n->by_serial[r->serial];

		turns[node] = count_add(turns[node], r->times);
	}
	for (uint32_t node = 0; ok && node < m->nodes.n; node++)
		if (turns[node] > 1 && m->nodes.float_ops[node])
			ok = vec_push(&m->turns, ((struct node_turns){node, turns[node]}));
	mem_free(turns);
	return ok;
}

static bool add_nodes(struct nodes_of *n)
{
	size_t serials = (size_t)n->walk.serial + 1, parameters = n->file.parameters.n + 1;
	bool ok;

	n->by_serial = mem_array(serials, sizeof(*n->by_serial));
	n->of_parameter = mem_array(parameters, sizeof(*n->of_parameter));
	if (!n->by_serial || !n->of_parameter)
		return false;
	memset(n->by_serial, 0xff, serials * sizeof(*n->by_serial));
	memset(n->of_parameter, 0xff, parameters * sizeof(*n->of_parameter));
	ok = add_parameters(n) && add_inputs(n);
	for (size_t i = 0; ok && i < n->walk.records.n; i++)
		ok = add_record(n, &n->walk.records.at[i]);
	return ok && add_turns(n);
}

/* A variable without a stack gets that of a node that reads it. */
static void set_parameter_stack(struct nodes_of *n, size_t i)
{
	struct model *m = n->m;
	const struct parameter *p = &n->file.parameters.at[i];
	uint32_t node = n->of_parameter[i], reader;

	model_stacks_set(&n->stacks, m, node, p->name, SPAN(""));
	reader = p->reader.n ? model_find_node(m, p->reader) : NONE;
	if (!(m->nodes.flags[node] & NODE_HAS_TRACE) && reader != NONE &&
		m->nodes.flags[reader] & NODE_HAS_TRACE)
		call_stacks_set(m, node, m->nodes.trace[reader]);
}

/* Nodes known from other files keep their stacks. */
static void set_stacks(struct nodes_of *n)
{
	for (size_t i = 0; n->stacks.n && i < n->walk.records.n; i++) {
		const struct record *r = &n->walk.records.at[i];
		uint32_t node = n->by_serial[r->serial];

		if (node >= n->first_node)
			model_stacks_set(&n->stacks, n->m, node, record_name(r),
				n->walk.sites.at[r->site].function);
	}
	for (size_t i = 0; n->stacks.n && i < n->file.parameters.n; i++)
		if (n->of_parameter[i] >= n->first_node)
			set_parameter_stack(n, i);
}

static bool put_notes(struct model *m, const struct walk *w, struct buf *notes)
{
	struct uncounted uncounted = {0};
	bool ok = true;

	for (size_t i = 0; i < w->notes.n; i++) {
		walk_note_put(&w->notes.at[i], notes);
		buf_char(notes, '\n');
	}
	for (size_t i = 0; ok && i < w->records.n; i++)
		if (w->records.at[i].state == RECORD_NOT_COUNTED)
			ok = uncounted_add(&uncounted, w->records.at[i].type->name);
	ok = ok && model_keep_uncounted(m, &uncounted);
	if (ok && uncounted.kinds.n)
		buf_printf(notes, "float operations: %s\n", m->uncounted);
	uncounted_clear(&uncounted);
	return ok;
}

static enum tfprof_status load_nodes(struct model *m, struct load *l, struct tfprof_error *err)
{
	struct model_file_options options =
		m->file_options ? *m->file_options : (struct model_file_options){0};
	size_t n_nodes = m->nodes.n, n_edges = m->edges.n, n_outputs = m->outputs.n;
	size_t n_turns = m->turns.n;
	struct tfprof_input in = tfprof_input_bytes(l->source.bytes.at, l->source.bytes.n);
	struct nodes_of n = {.m = m, .first_node = m->nodes.n};
	enum tfprof_status status;

	in.path = input_name(l->in, l->kind);
	options.is_lenient = true;
	status = model_file_open(&n.file, &in, &options, err);
	if (status == TFPROF_OK)
		status = model_file_walk(&n.file, &n.walk, &in, true, err);
	if (status == TFPROF_OK)
		status = model_stacks_read(&n.stacks, m, l, n.file.library.debug_info, err);
	if (status == TFPROF_OK)
		status = model_stacks_keep(&n.stacks, m, err);
	if (status == TFPROF_OK && !add_nodes(&n)) {
		model_truncate_nodes(m, n_nodes, n_edges, n_outputs);
		m->turns.n = n_turns;
		status = error_no_memory(err);
	}
	if (status == TFPROF_OK) {
		set_stacks(&n);
		m->is_of_layers |= n.file.is_of_layers;
		m->assumes_batch |= n.file.assumes_batch && !n.file.asks_batch;
		buf_span(l->notes, buf_get(&n.file.notes));
		if (n.file.assumes_batch && !n.file.asks_batch)
			buf_text(l->notes,
				"float operations: batch 1 was assumed where the file "
				"leaves it open\n");
		if (!put_notes(m, &n.walk, l->notes))
			status = error_no_memory(err);
		m->generation++;
	}
	mem_free(n.by_serial);
	mem_free(n.of_parameter);
	model_stacks_clear(&n.stacks);
	walk_clear(&n.walk);
	model_file_clear(&n.file);
	return status;
}

/* The kind of file is recognized again in model_file.c. */
#define X(name)                                                                                   \
	enum tfprof_status load_##name(struct model *m, struct load *l, struct tfprof_error *err) \
	{                                                                                         \
		return load_nodes(m, l, err);                                                     \
	}
X(saved_model)
X(meta_graph)
X(keras)
X(keras_h5)
X(tflite)
#undef X
