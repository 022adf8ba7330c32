#include "load/op_graph.h"

struct named {
	const struct op_library *library;
	const struct graph *graph;
	struct span name;
};

/* ---- nodes ---------------------------------------------------------------------- */
/* A graph while it is read: inputs are names until all nodes are known. */
struct builder {
	struct op_library *library;
	struct graph *graph;
	struct hash_index *index;
	VEC(struct span) inputs;
};

static bool same_node(const void *context, uint32_t id)
{
	const struct named *n = context;

	return span_equal(n->graph->nodes.at[id].name, n->name);
}

static uint32_t find_node(const struct hash_index *index, const struct graph *g, struct span name)
{
	struct named n = {NULL, g, name};

	return hash_find(index, hash_bytes(name.at, name.n), same_node, &n);
}

static void add_node(struct builder *b, struct op_node node, struct span type)
{
	struct op_library *l = b->library;
	struct graph *g = b->graph;
	struct op_kind *kind = op_library_get_kind(l, type);
	uint64_t hash = hash_bytes(node.name.at, node.name.n);
	struct named n = {l, g, node.name};
	const struct op_rule *rule;

	if (!decoder_alloc(&l->decoder, kind && g->nodes.n < UINT32_MAX - 2))
		return;
	node.type = &kind->type;
	rule = kind->type.rule;
	g->has_loops |= rule && rule->shape == shape_exit;
	/* Of several nodes with the same name, the first counts. */
	if (hash_find(b->index, hash, same_node, &n) == NONE)
		decoder_alloc(&l->decoder, hash_add(b->index, hash, (uint32_t)g->nodes.n));
	decoder_alloc(&l->decoder, vec_push(&g->nodes, node));
}

static void name_parameter(struct op_library *l, struct graph *g, const struct op_node *node)
{
	const struct op_attr *attr = node_attr(g, node, A_value);

	if (attr && attr->kind == OP_TENSOR && attr->constant->tensor.parameter)
		l->parameters->at[attr->constant->tensor.parameter - 1].name = node->name;
}

static void read_node(struct builder *b, struct span message)
{
	struct op_library *l = b->library;
	struct op_node_reader attrs = {l, &l->decoder, b->graph};
	struct wire_reader r = wire_reader(message);
	struct wire_field f;
	struct op_node node = {.name = {"", 0}, .message = message};
	struct span type = {"", 0};
	size_t first_attr = b->graph->attrs.n, first_input = b->inputs.n, n_attrs;

	while (decoder_next(&l->decoder, &r, &f))
		switch (f.tag) {
		case WIRE_LEN(NODE_DEF_NAME): node.name = f.bytes; break;
		case WIRE_LEN(NODE_DEF_OP): type = f.bytes; break;
		case WIRE_LEN(NODE_DEF_INPUT):
			if (!f.bytes.n || f.bytes.at[0] != '^')
				decoder_alloc(&l->decoder, vec_push(&b->inputs, f.bytes));
			break;
		case WIRE_LEN(NODE_DEF_ATTR): op_attr_read(&attrs, f.bytes); break;
		}
	n_attrs = b->graph->attrs.n - first_attr;
	if (l->decoder.failed)
		return;
	node.first_attr = (uint32_t)first_attr;
	node.n_attrs = (uint16_t)(n_attrs > UINT16_MAX ? UINT16_MAX : n_attrs);
	node.first_edge = (uint32_t)first_input;
	node.n_edges = (uint32_t)(b->inputs.n - first_input);
	add_node(b, node, type);
	if (l->parameters && !l->decoder.failed)
		name_parameter(l, b->graph, &b->graph->nodes.at[b->graph->nodes.n - 1]);
}

/* ---- edges ---------------------------------------------------------------------- */
static uint32_t read_number(struct span text)
{
	uint32_t n = 0;

	for (size_t i = 0; i < text.n; i++) {
		if (text.at[i] < '0' || text.at[i] > '9' || n > 10000000)
			return 0;
		n = n * 10 + (uint32_t)(text.at[i] - '0');
	}
	return n;
}

/* How many outputs precede the one of a name. */
static uint32_t outputs_before(const struct graph *g, const struct op_node *node, struct span name)
{
	const struct op_kind *kind = (const struct op_kind *)node->type;
	uint32_t n = 0;

	for (int i = 0; i < kind->n_outputs; i++) {
		int64_t size = 1;

		if (span_equal(kind->outputs[i], name))
			return n;
		if (kind->sizes[i] != N_ATTRS) {
			const struct op_attr *attr = node_attr(g, node, kind->sizes[i]);

			size = attr && attr->kind == OP_INT ? attr->number : attr ? attr->n : 1;
		}
		n += size > 0 && size < 100000 ? (uint32_t)size : 1;
	}
	return 0;
}

/* "name", "name:1", or in a function "name:output:1" */
static bool resolve(const struct hash_index *index, const struct graph *g, struct span text,
	struct op_edge *edge)
{
	struct span name = span_cut(&text, ':'), output;

	edge->node = find_node(index, g, name);
	edge->output = 0;
	if (edge->node == NONE)
		return false;
	output = span_cut(&text, ':');
	if (output.n && (output.at[0] < '0' || output.at[0] > '9'))
		edge->output =
			outputs_before(g, &g->nodes.at[edge->node], output) + read_number(text);
	else
		edge->output = read_number(output);
	return true;
}

/* A missing input becomes the node itself, about which nothing is known yet. */
static void resolve_inputs(struct builder *b)
{
	struct graph *g = b->graph;

	if (!decoder_alloc(&b->library->decoder, vec_reserve(&g->edges, b->inputs.n + 1)))
		return;
	for (uint32_t i = 0; i < g->nodes.n; i++) {
		const struct op_node *node = &g->nodes.at[i];

		for (uint32_t k = 0; k < node->n_edges; k++) {
			struct op_edge edge;

			if (!resolve(b->index, g, b->inputs.at[node->first_edge + k], &edge))
				edge = (struct op_edge){i, 0};
			g->edges.at[node->first_edge + k] = edge;
		}
	}
	g->edges.n = b->inputs.n;
}

/* ---- functions ------------------------------------------------------------------ */

static bool same_function(const void *context, uint32_t id)
{
	const struct named *n = context;

	return span_equal(n->library->functions.at[id].name, n->name);
}

static struct span function_name(struct op_library *l, struct span def)
{
	struct wire_reader r = wire_reader(def);
	struct wire_field f;

	if (!decoder_find(&l->decoder, &r, WIRE_LEN(FUNCTION_DEF_SIGNATURE), &f))
		return (struct span){"", 0};
	return op_def_name(f.bytes);
}

static void add_function(struct op_library *l, struct span def)
{
	struct op_function function = {.def = def, .name = function_name(l, def)};
	uint64_t hash = hash_bytes(function.name.at, function.name.n);
	struct named n = {l, NULL, function.name};

	if (hash_find(&l->function_index, hash, same_function, &n) != NONE)
		return;
	decoder_alloc(&l->decoder,
		vec_push(&l->functions, function) &&
			hash_add(&l->function_index, hash, (uint32_t)l->functions.n - 1));
}

static struct span arg_name(struct decoder *d, struct span arg)
{
	struct wire_reader r = wire_reader(arg);
	struct wire_field f;

	return decoder_find(d, &r, WIRE_LEN(OP_DEF_ARG_DEF_NAME), &f) ? f.bytes
								      : (struct span){"", 0};
}

/* The returns, in the order of the signature's outputs. */
static void add_returns(struct builder *b, struct span signature, struct span def)
{
	struct decoder *d = &b->library->decoder;
	struct wire_reader r = wire_reader(signature);
	struct wire_field f;

	while (decoder_find(d, &r, WIRE_LEN(OP_DEF_OUTPUT_ARG), &f)) {
		struct span name = arg_name(d, f.bytes);
		struct wire_reader rets = wire_reader(def);
		struct wire_field ret;

		while (decoder_find(d, &rets, WIRE_LEN(FUNCTION_DEF_RET), &ret)) {
			struct map_entry entry = map_entry_read(d, ret.bytes);
			struct op_edge edge;

			if (!span_equal(entry.text_key, name) || !entry.value.at)
				continue;
			if (resolve(b->index, b->graph, entry.value, &edge))
				decoder_alloc(d, vec_push(&b->graph->returns, edge));
			break;
		}
	}
}

/* What runs whether or not a return needs it. */
static void add_effects(struct builder *b, struct span def)
{
	struct decoder *d = &b->library->decoder;
	struct wire_reader r = wire_reader(def);
	struct wire_field f;

	while (decoder_find(d, &r, WIRE_LEN(FUNCTION_DEF_CONTROL_RET), &f)) {
		struct map_entry entry = map_entry_read(d, f.bytes);
		uint32_t node = entry.value.at ? find_node(b->index, b->graph, entry.value) : NONE;

		if (node != NONE)
			decoder_alloc(d, vec_push(&b->graph->effects, node));
	}
}

static void read_signature(struct builder *b, struct span signature)
{
	struct decoder *d = &b->library->decoder;
	struct wire_reader r = wire_reader(signature);
	struct wire_field f;

	while (decoder_find(d, &r, WIRE_LEN(OP_DEF_INPUT_ARG), &f)) {
		struct op_node arg = {.name = arg_name(d, f.bytes)};

		add_node(b, arg, SPAN("_Arg"));
	}
	b->graph->n_args = (uint32_t)b->graph->nodes.n;
}

static void build_function(struct op_library *l, struct op_function *function)
{
	struct builder b = {.library = l, .graph = &function->graph, .index = &l->spare.names};
	struct wire_reader r = wire_reader(function->def);
	struct wire_field f;
	struct span signature = {"", 0};

	vec_take(&b.inputs, &l->spare.inputs);
	function->graph = l->spare.graph;
	l->spare.graph = (struct graph){0};
	function->graph.name = function->name;
	if (decoder_find(&l->decoder, &r, WIRE_LEN(FUNCTION_DEF_SIGNATURE), &f)) {
		signature = f.bytes;
		read_signature(&b, signature);
	}
	r = wire_reader(function->def);
	while (!l->decoder.failed &&
		decoder_find(&l->decoder, &r, WIRE_LEN(FUNCTION_DEF_NODE_DEF), &f))
		read_node(&b, f.bytes);
	if (!l->decoder.failed) {
		resolve_inputs(&b);
		add_returns(&b, signature, function->def);
		add_effects(&b, function->def);
	}
	b.inputs.n = 0;
	vec_take(&l->spare.inputs, &b.inputs);
	hash_reset(&l->spare.names);
}

uint32_t op_library_find_function(const struct op_library *l, struct span name)
{
	struct named n = {l, NULL, name};

	return hash_find(&l->function_index, hash_bytes(name.at, name.n), same_function, &n);
}

/* Most functions are called once, so the memory of one is reused for the next, which halves the
 * memory that a large model touches. A function called again is built again, and then kept. */
static void put_function(struct graph_source *source, const struct graph *g)
{
	struct op_library *l = (struct op_library *)source;
	struct op_function *function =
		(struct op_function *)((char *)(uintptr_t)g - offsetof(struct op_function, graph));

	if (--function->n_users || function->is_kept || !function->def.at || l->parameters)
		return;
	function->is_kept = true;
	function->is_built = false;
	graph_clear(&l->spare.graph);
	graph_reset(&function->graph);
	l->spare.graph = function->graph;
	function->graph = (struct graph){0};
}

static bool has_function(struct graph_source *source, struct span name)
{
	return op_library_find_function((struct op_library *)source, name) != NONE;
}

static const struct graph *get_function(struct graph_source *source, struct span name)
{
	struct op_library *l = (struct op_library *)source;
	uint32_t id = op_library_find_function(l, name);
	struct op_function *function;

	if (id == NONE)
		return NULL;
	function = &l->functions.at[id];
	if (!function->is_built) {
		function->is_built = true;
		function->is_bad = l->decoder.failed;
		if (!function->is_bad)
			build_function(l, function);
		function->is_bad = l->decoder.failed;
	}
	if (function->is_bad)
		return NULL;
	function->n_users++;
	return &function->graph;
}

/* ---- the library ---------------------------------------------------------------- */

bool op_library_init(struct op_library *l, parameter_vec *parameters)
{
	*l = (struct op_library){.source = {get_function, put_function, has_function},
		.parameters = parameters};
	op_library_index_attrs(l);
	return true;
}

void op_library_clear(struct op_library *l)
{
	for (size_t i = 0; i < l->functions.n; i++)
		graph_clear(&l->functions.at[i].graph);
	graph_clear(&l->main);
	graph_clear(&l->spare.graph);
	hash_clear(&l->spare.names);
	vec_clear(&l->spare.inputs);
	vec_clear(&l->kinds);
	vec_clear(&l->functions);
	vec_clear(&l->op_defs);
	hash_clear(&l->kind_index);
	hash_clear(&l->function_index);
	hash_clear(&l->op_def_index);
	hash_clear(&l->main_index);
	arena_clear(&l->arena);
}

void op_library_add_graph(struct op_library *l, struct span graph_def)
{
	struct builder b = {.library = l, .graph = &l->main, .index = &l->main_index};
	struct wire_reader r = wire_reader(graph_def);
	struct wire_field f;

	while (!l->decoder.failed && decoder_next(&l->decoder, &r, &f)) {
		struct wire_reader functions;
		struct wire_field function;

		if (f.tag == WIRE_LEN(GRAPH_DEF_NODE))
			read_node(&b, f.bytes);
		if (f.tag == WIRE_LEN(GRAPH_DEF_DEBUG_INFO))
			l->debug_info = f.bytes;
		if (f.tag != WIRE_LEN(GRAPH_DEF_LIBRARY))
			continue;
		functions = wire_reader(f.bytes);
		while (decoder_find(&l->decoder, &functions,
			WIRE_LEN(FUNCTION_DEF_LIBRARY_FUNCTION), &function))
			add_function(l, function.bytes);
	}
	if (!l->decoder.failed)
		resolve_inputs(&b);
	vec_clear(&b.inputs);
}

bool op_library_add_node(struct op_library *l, struct graph *g, struct op_node node,
	struct span type, const struct op_rule *rule)
{
	struct op_kind *kind = op_library_get_kind(l, type);

	if (!kind)
		return false;
	kind->type.rule = rule;
	node.type = &kind->type;
	node.n_attrs = (uint16_t)(g->attrs.n - node.first_attr);
	node.n_edges = (uint32_t)(g->edges.n - node.first_edge);
	return vec_push(&g->nodes, node);
}

struct graph *op_library_add_function(struct op_library *l, struct span name)
{
	struct op_function function = {.name = name, .is_built = true};

	function.graph.name = name;
	if (!vec_push(&l->functions, function) ||
		!hash_add(&l->function_index, hash_bytes(name.at, name.n),
			(uint32_t)l->functions.n - 1))
		return NULL;
	return &l->functions.at[l->functions.n - 1].graph;
}

bool op_library_find_output(const struct op_library *l, struct span name, struct op_edge *edge)
{
	return resolve(&l->main_index, &l->main, name, edge);
}
