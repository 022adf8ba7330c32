/* GraphDef → nodes. Only names that are new are added; the first definition of
 * a name wins.
 *
 * Two batches of NodeDefs take turns: one is added to the model while the next
 * is decoded. */
#include "base/parallel.h"
#include "model/input.h"
#include "model/model.h"
#include "model/node_def.h"

struct loader {
	struct model *model;
	struct span graph;
	struct wire_reader reader;
	struct node_defs batches[2];
	struct node_defs *now, *next;
	size_t touch;          /* where nodes of the next batch may begin; 0: unknown */
	bool failed;
	const char *bad;       /* malformed here; NULL: memory is out */
};

static bool fail(struct loader *l, const char *bad)
{
	l->failed = true;
	l->bad = bad;
	return false;
}

static uint32_t add_shape(struct model *m, const struct node_defs *b, size_t i)
{
	const struct node_shape *shape = &b->shapes.at[i];

	return shapes_add_hashed(&m->shapes, b->dims.at + shape->first, shape->n, shape->hash);
}

static bool add_outputs(struct model *m, uint32_t node, const struct node_defs *b,
	const struct node_def *def)
{
	if (!vec_reserve(&m->outputs, def->n_outputs))
		return false;
	for (uint32_t i = 0; i < def->n_outputs; i++) {
		struct output output = {(int32_t)i, add_shape(m, b, def->first_output + i)};

		if (output.shape == NONE)
			return false;
		m->outputs.at[m->outputs.n++] = output;
	}
	m->nodes.n_outputs[node] = def->n_outputs;
	return true;
}

static bool add_edges(struct model *m, uint32_t node, const struct node_input *inputs, uint32_t n)
{
	if (m->edges.n + n >= NONE - 1 || !vec_reserve(&m->edges, n))
		return false;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t source = strings_alias_hashed(&m->strings, inputs[i].source, inputs[i].hash);

		if (source == NONE)
			return false;
		m->edges.at[m->edges.n++] = (struct edge){source, (int32_t)i, inputs[i].output};
	}
	m->nodes.n_edges[node] = n;
	return true;
}

static bool add_node(struct loader *l, const struct node_defs *b, const struct node_def *def,
	const struct node_input *inputs)
{
	struct model *m = l->model;
	uint32_t name = strings_alias_hashed(&m->strings, def->name, def->name_hash);
	uint32_t op = strings_alias_hashed(&m->strings, def->op, def->op_hash);
	uint32_t node;

	if (name == NONE || op == NONE)
		return fail(l, NULL);
	if (model_node_of(m, name) != NONE)
		return true;
	if (def->is_damaged)
		return fail(l, def->bad);
	node = model_add_node(m, name, op);
	if (node == NONE)
		return fail(l, NULL);
	m->nodes.source[node] = def->message.at;
	if (def->shape != SIZE_MAX) {
		m->nodes.shape[node] = add_shape(m, b, def->shape);
		if (m->nodes.shape[node] == NONE)
			return fail(l, NULL);
	}
	return add_edges(m, node, inputs, def->n_inputs) && add_outputs(m, node, b, def)
		? true : fail(l, NULL);
}

/* What a later node will look at is asked for: the slots of its names, and then
 * the texts that will be compared. */
PREFETCHES prefetch(const struct strings *names, const struct node_defs *b, size_t def,
	size_t input)
{
	enum { DEFS_AHEAD = 16, SLOTS_AHEAD = 32, TEXTS_AHEAD = 12 };
	size_t end = input + b->defs.at[def].n_inputs;

	if (def + DEFS_AHEAD < b->defs.n) {
		strings_prefetch(names, b->defs.at[def + DEFS_AHEAD].name_hash);
		__builtin_prefetch(b->defs.at[def + DEFS_AHEAD].op.at);
	}
	for (; input < end && input + SLOTS_AHEAD < b->inputs.n; input++) {
		strings_prefetch(names, b->inputs.at[input + SLOTS_AHEAD].hash);
		strings_prefetch_text(names, b->inputs.at[input + TEXTS_AHEAD].hash);
		__builtin_prefetch(b->inputs.at[input + TEXTS_AHEAD].source.at);
	}
}

static void add_batch(struct loader *l, const struct node_defs *b)
{
	size_t input = 0;

	for (size_t i = 0; i < b->defs.n; i++) {
		const struct node_def *def = &b->defs.at[i];

		prefetch(&l->model->strings, b, i, input);
		if (!add_node(l, b, def, b->inputs.at + input))
			return;
		input += def->n_inputs;
		if ((i + 1) % 4096 == 0)
			model_progress(l->model,
				(size_t)(def->message.at + def->message.n - l->graph.at), l->graph.n);
	}
	if (b->failed)
		fail(l, b->bad);
}

/* Adding takes longer than decoding: pages that the next batch will fill are
 * touched by who decodes it. */
static void decode_batch(struct loader *l)
{
	node_defs_read(l->next, &l->reader);
	if (l->touch)
		model_touch_nodes(l->model, l->touch, l->next->defs.n);
}

static void work(void *context, size_t part)
{
	struct loader *l = context;

	if (part == 0)
		add_batch(l, l->now);
	else
		decode_batch(l);
}

static void add_and_decode(struct loader *l)
{
	const struct nodes *nodes = &l->model->nodes;

	/* While there is room for both batches, adding moves no column. */
	l->touch = nodes->cap - nodes->n >= l->now->defs.n + NODE_DEFS_MAX
		? nodes->n + l->now->defs.n : 0;
	parallel_run(2, work, l);
	l->touch = 0;
}

/* Room for as many names as there will be if the rest is like the first batch,
 * so that tables rarely grow. */
static bool reserve(struct loader *l)
{
	enum { LEAST_BYTES = 64 };
	size_t read = (size_t)(l->reader.at - l->graph.at), bytes;

	if (l->now->defs.n < NODE_DEFS_MAX)
		return true;
	bytes = read / l->now->defs.n;
	if (bytes < LEAST_BYTES)
		bytes = LEAST_BYTES;
	return model_reserve(l->model, l->graph.n / bytes + NODE_DEFS_MAX);
}

static bool read_graph(struct loader *l)
{
	bool at_once = parallel_parts(l->graph.n, 1 << 20) > 1;

	l->reader = wire_reader(l->graph);
	l->now = &l->batches[0];
	l->next = &l->batches[1];
	node_defs_read(l->now, &l->reader);
	if (!reserve(l))
		return fail(l, NULL);
	while (!l->failed && (l->now->defs.n || l->now->failed)) {
		struct node_defs *done = l->now;

		if (at_once && !done->failed) {
			add_and_decode(l);
		} else {
			work(l, 0);
			work(l, 1);
		}
		l->now = l->next;
		l->next = done;
	}
	return !l->failed;
}

enum tfprof_status model_add_graph(struct model *m, const struct tfprof_input *in,
	struct tfprof_error *err)
{
	struct source source;
	struct loader l = {.model = m};
	size_t n_nodes = m->nodes.n, n_edges = m->edges.n, n_outputs = m->outputs.n;
	enum tfprof_status status = input_open(&source, in, INPUT_GRAPH, err);
	bool read;

	if (status == TFPROF_OK && !model_index_names(m))
		status = error_no_memory(err);
	/* Kept before it is read: interned names point into it from the first
	 * node on, also if a later one turns out to be damaged. */
	if (status == TFPROF_OK)
		status = model_keep(m, &source, err);
	if (status != TFPROF_OK) {
		source_close(&source);
		return status;
	}
	source = m->sources.at[m->sources.n - 1];
	l.graph = source.bytes;
	read = read_graph(&l);
	node_defs_clear(&l.batches[0]);
	node_defs_clear(&l.batches[1]);
	if (!read) {
		model_truncate_nodes(m, n_nodes, n_edges, n_outputs);
		return l.bad ? input_malformed(in, INPUT_GRAPH, &source, l.bad, err)
			     : error_no_memory(err);
	}
	m->generation++;
	return TFPROF_OK;
}
