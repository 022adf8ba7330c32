/* GraphDef → nodes. Only names that are new are added; the first definition of
 * a name wins.
 *
 * A graph is cut into blocks of NodeDefs. They are decoded in parallel, and
 * added to the model one after the other. */
#include <pthread.h>

#include "base/parallel.h"
#include "load/debug_info.h"
#include "load/node_def.h"
#include "model/device.h"
#include "model/executed.h"

struct loader {
	struct model *model;
	struct span graph, debug_info;
	VEC(const char *) cuts; /* where blocks begin, and the end */
	size_t n_nodes;
	size_t n_nameless; /* of them */
	struct field_counts fields;
	struct span device; /* of the previous node, and its lower-cased name */
	uint32_t placed;
	size_t first_node; /* where they go in the model … */
	bool has_room;     /* … without moving any */
	struct node_defs batches[PARALLEL_SLOTS];
	pthread_t caller;
	struct decoder decoder;
};

static uint32_t add_shape(struct model *m, const struct node_defs *b, size_t i)
{
	const struct node_shape *shape = &b->shapes.at[i];
	const int64_t *dims = b->dims.n ? b->dims.at + shape->first : NULL;

	return shapes_add_hashed(&m->shapes, dims, shape->n, shape->hash);
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

bool node_def_put_shapes(struct model *m, uint32_t node, const struct node_defs *b,
	const struct node_def *def)
{
	if (def->shape != SIZE_MAX) {
		m->nodes.shape[node] = add_shape(m, b, def->shape);
		if (m->nodes.shape[node] == NONE) {
			m->nodes.shape[node] = 0;
			return false;
		}
	}
	return add_outputs(m, node, b, def);
}

static bool add_edges(struct model *m, uint32_t node, const struct node_input *inputs, uint32_t n)
{
	if (m->edges.n + n >= NONE - 1 || !vec_reserve(&m->edges, n))
		return false;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t source =
			strings_alias_hashed(&m->strings, inputs[i].source, inputs[i].hash);

		if (source == NONE)
			return false;
		m->edges.at[m->edges.n++] = (struct edge){source, (int32_t)i, inputs[i].output};
	}
	m->nodes.n_edges[node] = n;
	return true;
}

static bool place_node(struct loader *l, uint32_t node, struct span device)
{
	struct buf lower = {0};

	if (!device.n)
		return true;
	if (!span_equal(l->device, device)) {
		device_lower(&lower, device);
		l->placed = lower.failed ? NONE : strings_add(&l->model->strings, buf_get(&lower));
		l->device = device;
		buf_clear(&lower);
	}
	return l->placed != NONE && executed_place(l->model, node, l->placed);
}

static void add_node(struct loader *l, const struct node_defs *b, const struct node_def *def,
	const struct node_input *inputs)
{
	struct model *m = l->model;
	uint32_t name = strings_alias_hashed(&m->strings, def->name, def->name_hash);
	uint32_t op = strings_alias_hashed(&m->strings, def->op, def->op_hash);
	uint32_t node;

	if (!decoder_alloc(&l->decoder, name != NONE && op != NONE) ||
		model_node_of(m, name) != NONE)
		return;
	if (def->attrs.failed) {
		l->decoder = def->attrs;
		return;
	}
	node = model_add_node(m, name, op);
	if (!decoder_alloc(&l->decoder, node != NONE))
		return;
	if (!decoder_alloc(&l->decoder, model_make_slice(m, &m->nodes.source[node], def->message)))
		return;
	decoder_alloc(&l->decoder,
		add_edges(m, node, inputs, def->n_inputs) && node_def_put_shapes(m, node, b, def) &&
			place_node(l, node, def->device));
}

/* Prefetches what a later node will look at: the slots of its names, and then the
 * texts that will be compared. Otherwise `new` takes 9 to 12 % longer. */
PREFETCHES prefetch(const struct strings *names, const struct node_defs *b, size_t def,
	size_t input)
{
	enum { DEFS_AHEAD = 16, SLOTS_AHEAD = 32, TEXTS_AHEAD = 12 };
	size_t end = input + b->defs.at[def].n_inputs;

	if (def + DEFS_AHEAD < b->defs.n) {
		strings_prefetch(names, b->defs.at[def + DEFS_AHEAD].name_hash);
		prefetch_line(b->defs.at[def + DEFS_AHEAD].op.at);
	}
	for (; input < end && input + SLOTS_AHEAD < b->inputs.n; input++) {
		strings_prefetch(names, b->inputs.at[input + SLOTS_AHEAD].hash);
		strings_prefetch_text(names, b->inputs.at[input + TEXTS_AHEAD].hash);
		prefetch_line(b->inputs.at[input + TEXTS_AHEAD].source.at);
	}
}

static void add_batch(struct loader *l, const struct node_defs *b)
{
	size_t input = 0;

	for (size_t i = 0; i < b->defs.n && !l->decoder.failed; i++) {
		const struct node_def *def = &b->defs.at[i];
		const struct node_input *inputs = def->n_inputs ? &b->inputs.at[input] : NULL;

		l->n_nameless += !def->name.n;
		prefetch(&l->model->strings, b, i, input);
		add_node(l, b, def, inputs);
		input += def->n_inputs;
	}
	l->fields.n_unknown += b->fields.n_unknown;
	l->fields.n_mistyped += b->fields.n_mistyped;
	if (!l->decoder.failed)
		l->decoder = b->decoder;
}

/* ---- blocks --------------------------------------------------------------- */

enum { BLOCK_NODES = 2048 };

/* Cuts the graph every so many nodes. What is malformed is in the last block: who
 * decodes that finds it. */
static bool find_blocks(struct loader *l)
{
	struct wire_reader r = wire_reader(l->graph);
	struct wire_field f;
	const char *begin = r.at;

	for (; wire_next(&r, &f); begin = r.at) {
		wire_prefetch(&r, &f); /* else `new` takes 10 % longer */
		if (f.tag == WIRE_LEN(GRAPH_DEF_DEBUG_INFO))
			l->debug_info = f.bytes;
		if (f.tag != WIRE_LEN(GRAPH_DEF_NODE))
			audit_field(&schema_graph_def, f.tag, &l->fields);
		else if (l->n_nodes++ % BLOCK_NODES == 0 && !vec_push(&l->cuts, begin))
			return false;
	}
	/* what comes before the first node is of no interest, if it is well-formed */
	if (!l->cuts.n && !vec_push(&l->cuts, l->graph.at))
		return false;
	return vec_push(&l->cuts, r.end);
}

/* Blocks are added one at a time, so whoever decodes one pre-faults the pages that it
 * will fill: otherwise `new` takes 14 % longer. Nodes that are not new only make it
 * fill earlier ones. */
static void decode_block(void *context, size_t slot, size_t block)
{
	struct loader *l = context;
	struct node_defs *b = &l->batches[slot];
	const char *begin = l->cuts.at[block];

	node_defs_read(b, (struct span){begin, (size_t)(l->cuts.at[block + 1] - begin)});
	if (l->has_room)
		model_prefault_nodes(l->model, l->first_node + block * BLOCK_NODES, b->defs.n);
}

/* Only the caller's thread reports progress. */
static void add_block(void *context, size_t slot, size_t block)
{
	struct loader *l = context;

	if (l->decoder.failed)
		return;
	add_batch(l, &l->batches[slot]);
	if (!l->decoder.failed && pthread_equal(pthread_self(), l->caller))
		model_progress(l->model, (size_t)(l->cuts.at[block + 1] - l->graph.at), l->graph.n);
}

static void read_graph(struct loader *l)
{
	enum { LEAST_BYTES = 64 };
	size_t most = l->graph.n / LEAST_BYTES;

	/* A graph of nodes without names is not worth much room. */
	if (!decoder_alloc(&l->decoder,
		    find_blocks(l) &&
			    model_reserve(l->model, l->n_nodes < most ? l->n_nodes : most)))
		return;
	l->caller = pthread_self();
	l->first_node = l->model->nodes.n;
	l->has_room = l->n_nodes <= most;
	parallel_in_order(parallel_parts(l->graph.n, 1 << 20), l->cuts.n - 1, decode_block,
		add_block, l);
}

/* Only when all nodes are there: an input may come after the node that it goes to. */
static size_t count_dangling(const struct model *m, size_t first_edge)
{
	size_t n = 0;

	for (size_t i = first_edge; i < m->edges.n; i++)
		n += model_node_of(m, m->edges.at[i].source) == NONE;
	return n;
}

/* Call stacks of its own nodes, and of functions for a trace in which they run. */
static enum tfprof_status add_stacks(struct model *m, const struct load *load,
	const struct loader *l, size_t first_node, struct tfprof_error *err)
{
	const struct source *source = &m->sources.at[m->sources.n - 1];
	struct debug_info info;
	size_t n_outside;
	enum tfprof_status status;

	if (!l->debug_info.n)
		return TFPROF_OK;
	status = debug_info_read(&info, m, load, source, l->debug_info, err);
	if (status == TFPROF_OK)
		status = debug_info_apply(&info, m, first_node, &n_outside, err);
	debug_info_clear(&info);
	return status;
}

enum tfprof_status load_graph(struct model *m, struct load *load, struct tfprof_error *err)
{
	struct source *source;
	struct loader l = {.model = m};
	size_t n_nodes = m->nodes.n, n_edges = m->edges.n, n_outputs = m->outputs.n;
	size_t kept = m->sources.n, n_function_stacks = m->function_stacks.n;
	bool has_trace = m->has_trace;
	enum tfprof_status status;

	if (!vec_reserve(&m->graphs, 1))
		return error_no_memory(err);
	/* Kept before it is read: interned names point into it from the first
	 * node on, also if a later one turns out to be damaged. */
	status = model_keep(m, &load->source, err);
	if (status != TFPROF_OK)
		return status;
	source = &m->sources.at[m->sources.n - 1];
	l.graph = source->bytes;
	read_graph(&l);
	vec_clear(&l.cuts);
	for (size_t i = 0; i < PARALLEL_SLOTS; i++)
		node_defs_clear(&l.batches[i]);
	status = input_status(load->in, load->kind, source, &l.decoder, err);
	if (status == TFPROF_OK)
		status = add_stacks(m, load, &l, n_nodes, err);
	if (status != TFPROF_OK) {
		model_truncate_nodes(m, n_nodes, n_edges, n_outputs);
		m->function_stacks.n = n_function_stacks;
		m->has_trace = has_trace;
		/* Names stay interned: somebody may be writing the file still. */
		return source_detach(&m->sources.at[kept]) ? status : error_no_memory(err);
	}
	load->counts = (struct load_counts){.n_entries = l.n_nodes,
		.n_nameless = l.n_nameless,
		.fields = l.fields};
	if (load->in->path || m->reading == TFPROF_READ_STRICT)
		load->counts.n_dangling = count_dangling(m, n_edges);
	m->generation++;
	m->graphs.at[m->graphs.n++] = (uint32_t)kept;
	return TFPROF_OK;
}
