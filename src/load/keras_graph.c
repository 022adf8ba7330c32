/* The graph of a Keras configuration:
 *
 *     {"layers": [{"class_name", "config", "inbound_nodes": [call, …]}, …]}
 *          each call of a layer is a node; a model within the model is a function
 */
#include <stdio.h>

#include "count/layers.h"
#include "load/keras_build.h"

/* Whether a model is a chain of layers; a Pipeline is one of preprocessing layers. */
static bool is_sequential(struct span class_name)
{
	return span_equal(class_name, SPAN("Sequential")) ||
		span_equal(class_name, SPAN("Pipeline"));
}

static bool is_model(struct span class_name)
{
	return span_equal(class_name, SPAN("Functional")) ||
		span_equal(class_name, SPAN("Model")) || is_sequential(class_name);
}

/* ---- inputs of calls ------------------------------------------------------------ */

static void add_edge(struct keras_builder *b, struct graph *g, struct span layer, int64_t call,
	int64_t output)
{
	uint32_t name = strings_find(&b->names, layer), node = (uint32_t)g->nodes.n;

	if (name != NONE && name < b->first_node.n && b->n_calls.at[name]) {
		int64_t last = (int64_t)b->n_calls.at[name] - 1;

		node = b->first_node.at[name] +
			(uint32_t)(call < 0           ? 0
					: call > last ? last
						      : call);
	}
	if (!vec_push(&g->edges, ((struct op_edge){node, (uint32_t)(output < 0 ? 0 : output)})))
		b->no_memory = true;
}

/* ["layer", 0, 0] */
static bool add_history(struct keras_builder *b, struct graph *g, uint32_t list)
{
	const struct json_doc *doc = &b->k->doc;
	uint32_t layer = json_first(doc, list), at;
	int64_t call = 0, output = 0;

	if (json_type_of(doc, list) != JSON_ARRAY || json_type_of(doc, layer) != JSON_STRING)
		return false;
	at = json_next(doc, list, layer);
	if (at == NONE || !json_int_of(doc, at, &call))
		return false;
	at = json_next(doc, list, at);
	if (at == NONE || !json_int_of(doc, at, &output))
		return false;
	add_edge(b, g, keras_text(b, layer), call, output);
	return true;
}

/* All tensors of a call, in order: objects of Keras 3, or lists of Keras 2. */
static void add_inputs(struct keras_builder *b, struct graph *g, uint32_t call)
{
	const struct json_doc *doc = &b->k->doc;

	if (call == NONE)
		return;
	for (uint32_t i = call; i < doc->values.at[call].end; i++) {
		uint32_t history = NONE;

		if (json_type_of(doc, i) == JSON_OBJECT &&
			span_equal(keras_text(b, keras_get(b, i, "class_name")),
				SPAN("__keras_tensor__")))
			history = keras_get(b, keras_get(b, i, "config"), "keras_history");
		if (history != NONE) {
			add_history(b, g, history);
			i = doc->values.at[i].end - 1;
		} else if (add_history(b, g, i)) {
			/* The three are followed by keywords, which may hold more tensors. */
			continue;
		}
	}
}

/* Collects the shapes of layers' first outputs, which the layers that read them record. */
static void collect_shapes(struct keras_builder *b, uint32_t layers)
{
	const struct json_doc *doc = &b->k->doc;

	for (uint32_t i = layers; i < doc->values.at[layers].end; i++) {
		uint32_t config, history, name;
		struct span layer;

		if (json_type_of(doc, i) != JSON_OBJECT ||
			!span_equal(keras_text(b, keras_get(b, i, "class_name")),
				SPAN("__keras_tensor__")))
			continue;
		config = keras_get(b, i, "config");
		history = keras_get(b, config, "keras_history");
		layer = keras_text(b, json_first(doc, history));
		name = strings_find(&b->names, layer);
		if (name != NONE && name < b->k->shapes.n && b->k->shapes.at[name] == NONE)
			b->k->shapes.at[name] = keras_get(b, config, "shape");
	}
}

/* Adds that shape as an attribute, with the batch filled in. */
static void add_out_shape(struct keras_builder *b, struct graph *g, struct span layer)
{
	uint32_t name = strings_find(&b->names, layer), shape;
	struct op_attr *attr;
	int64_t *dims;

	shape = name != NONE && name < b->k->shapes.n ? b->k->shapes.at[name] : NONE;
	if (json_type_of(&b->k->doc, shape) != JSON_ARRAY)
		return;
	keras_add_ints(b, g, A_out_shape, shape, OP_SHAPE);
	if (b->no_memory)
		return;
	attr = &g->attrs.at[g->attrs.n - 1];
	dims = (int64_t *)attr->ints;
	if (attr->n && dims[0] < 0)
		dims[0] = b->m->batch_size;
}

/* ---- layers --------------------------------------------------------------------- */

static struct span layer_name(const struct keras_builder *b, uint32_t layer)
{
	struct span name = keras_text(b, keras_get(b, layer, "name"));

	return name.n ? name : keras_text(b, keras_get(b, keras_get(b, layer, "config"), "name"));
}

static void add_wrapped(struct keras_builder *b, struct graph *g, uint32_t config)
{
	uint32_t inner = keras_get(b, config, "layer");

	if (json_type_of(&b->k->doc, inner) != JSON_OBJECT)
		return;
	keras_add_text(b, g, A_inner, keras_text(b, keras_get(b, inner, "class_name")));
	keras_add_config(b, g, keras_get(b, inner, "config"));
	keras_add_cells(b, g, keras_get(b, inner, "config"));
}

/* Whether a layer runs a model, or another wrapper, on each step. */
static bool distributes_model(const struct keras_builder *b, uint32_t layer)
{
	uint32_t inner = keras_get(b, keras_get(b, layer, "config"), "layer");
	uint32_t innermost = keras_get(b, keras_get(b, inner, "config"), "layer");

	return span_equal(keras_text(b, keras_get(b, layer, "class_name")),
		       SPAN("TimeDistributed")) &&
		json_type_of(&b->k->doc, inner) == JSON_OBJECT &&
		(is_model(keras_text(b, keras_get(b, inner, "class_name"))) ||
			json_type_of(&b->k->doc, innermost) == JSON_OBJECT);
}

/* A model called within this one becomes a function. */
static void add_model_call(struct keras_builder *b, const struct keras_task *t, struct graph *g,
	uint32_t layer, struct op_node node, int64_t call)
{
	struct span class_name = keras_text(b, keras_get(b, layer, "class_name"));
	char tail[32];
	struct keras_task inner = {.config = keras_get(b, layer, "config"),
		.is_repeat = t->is_repeat || call > 0,
		.is_sequential = is_sequential(class_name),
		.is_distributed = distributes_model(b, layer)};

	inner.prefix = keras_join(b, t->prefix, layer_name(b, layer), "/");
	/* Within a model that is called twice, a nested model is another function each time. */
	snprintf(tail, sizeof(tail), "#%zu", b->tasks.n);
	inner.function = keras_join(b, t->prefix, layer_name(b, layer), tail);
	keras_add_text(b, g, A_f, inner.function);
	keras_add_node(b, g, node, SPAN("PartitionedCall"), op_find_rule(SPAN("PartitionedCall")));
	if (!vec_push(&b->tasks, inner))
		b->no_memory = true;
}

static void add_layer(struct keras_builder *b, const struct keras_task *t, struct graph *g,
	uint32_t layer, struct op_node node, int64_t call)
{
	struct span class_name = keras_text(b, keras_get(b, layer, "class_name"));
	uint32_t config = keras_get(b, layer, "config");
	const struct op_rule *rule = layer_find_rule(class_name);
	int64_t weights;

	if (is_model(class_name) || distributes_model(b, layer)) {
		add_model_call(b, t, g, layer, node, call);
		return;
	}
	add_wrapped(b, g, config);
	keras_add_config(b, g, config);
	keras_add_cells(b, g, config);
	if (rule && rule->shape == layer_get_item)
		keras_add_key(b, g, layer, call);
	add_out_shape(b, g, layer_name(b, layer));
	weights = keras_weights_of(b->k, node.name);
	/* The file has a normalized kernel twice. */
	if (weights && !(rule && rule->shape == layer_spectral))
		keras_add_int(b, g, A_file_weights, weights);
	if (t->is_repeat || call > 0)
		keras_add_int(b, g, A_is_repeat, 1);
	else
		b->n_layers++;
	keras_add_node(b, g, node, class_name, rule);
}

/* ---- inputs and outputs of a model ---------------------------------------------- */

static struct tensor input_shape(const struct keras_builder *b, uint32_t layer)
{
	static const char *const keys[] = {"batch_shape", "batch_input_shape"};
	const struct json_doc *doc = &b->k->doc;
	uint32_t config = keras_get(b, layer, "config"), shape = NONE;
	int64_t dims[TENSOR_MAX_RANK], n = 0;

	for (size_t i = 0; i < 2 && json_type_of(doc, shape) != JSON_ARRAY; i++)
		shape = keras_get(b, config, keys[i]);
	if (json_type_of(doc, shape) != JSON_ARRAY)
		return tensor_unknown(keras_dtype(b, keras_get(b, config, "dtype")));
	for (uint32_t i = json_first(doc, shape); i != NONE; i = json_next(doc, shape, i)) {
		if (n == TENSOR_MAX_RANK)
			return tensor_unknown(DT_FLOAT);
		if (!json_int_of(doc, i, &dims[n]))
			dims[n] = -1;
		n++;
	}
	return tensor_make(keras_dtype(b, keras_get(b, config, "dtype")), dims, n);
}

static enum tfprof_status add_main_input(struct keras_builder *b, struct span name,
	struct tensor shape, uint32_t node, struct tfprof_error *err)
{
	struct preset preset = {.node = node};
	enum tfprof_status status = model_file_add_input(b->m, name, shape, &preset.tensor, err);

	if (status == TFPROF_OK && !vec_push(&b->m->presets, preset))
		return error_no_memory(err);
	return status;
}

/* The i-th of ["a", 0, 0] or [["a", 0, 0], …] or of a dictionary of such. */
static uint32_t nth_history(const struct keras_builder *b, uint32_t list, size_t n)
{
	const struct json_doc *doc = &b->k->doc;

	if (json_type_of(doc, json_first(doc, list)) == JSON_STRING &&
		json_type_of(doc, list) == JSON_ARRAY)
		return n ? NONE : list;
	if (list == NONE)
		return NONE;
	for (uint32_t i = list; i < doc->values.at[list].end; i++)
		if (i != list && json_type_of(doc, i) == JSON_ARRAY &&
			json_type_of(doc, json_first(doc, i)) == JSON_STRING && n-- == 0)
			return i;
	return NONE;
}

static void add_returns(struct keras_builder *b, struct graph *g, uint32_t config)
{
	uint32_t outputs = keras_get(b, config, "output_layers"), at;

	for (size_t i = 0; (at = nth_history(b, outputs, i)) != NONE; i++) {
		size_t n = g->edges.n;

		if (!add_history(b, g, at))
			continue;
		if (!vec_push(&g->returns, g->edges.at[n]))
			b->no_memory = true;
		g->edges.n = n;
	}
}

/* ---- models --------------------------------------------------------------------- */

static bool name_layer(struct keras_builder *b, struct span name, uint32_t first, uint32_t n)
{
	uint32_t id = strings_alias(&b->names, name);

	while (id != NONE && b->first_node.n <= id)
		if (!vec_push(&b->first_node, 0) || !vec_push(&b->n_calls, 0) ||
			!vec_push(&b->k->shapes, NONE))
			return false;
	if (id == NONE)
		return false;
	b->first_node.at[id] = first;
	b->n_calls.at[id] = n;
	return true;
}

static uint32_t n_calls_of(const struct keras_builder *b, uint32_t layer)
{
	const struct json_doc *doc = &b->k->doc;
	uint32_t calls = keras_get(b, layer, "inbound_nodes"), n = 0;

	for (uint32_t i = json_first(doc, calls); i != NONE && n < 100000;
		i = json_next(doc, calls, i))
		n++;
	return n ? n : 1;
}

/* Adds the input layers, which are the arguments; returns how many. */
static uint32_t add_args(struct keras_builder *b, const struct keras_task *t, struct graph *g)
{
	uint32_t inputs = keras_get(b, t->config, "input_layers"), at, n = 0;

	if (t->is_sequential || t->is_distributed) {
		keras_add_arg(b, g, SPAN("input"));
		return 1;
	}
	for (; (at = nth_history(b, inputs, n)) != NONE; n++)
		keras_add_arg(b, g, keras_text(b, json_first(&b->k->doc, at)));
	return n;
}

/* The argument that corresponds to an input layer. */
static uint32_t arg_of(const struct keras_builder *b, const struct graph *g, struct span name)
{
	for (uint32_t i = 0; i < g->n_args; i++)
		if (span_equal(g->nodes.at[i].name, name))
			return i;
	return NONE;
}

static enum tfprof_status build_functional(struct keras_builder *b, const struct keras_task *t,
	struct graph *g, struct tfprof_error *err)
{
	const struct json_doc *doc = &b->k->doc;
	uint32_t layers = keras_get(b, t->config, "layers"), at = 0;
	enum tfprof_status status = TFPROF_OK;

	at = g->n_args;
	for (uint32_t i = json_first(doc, layers); i != NONE; i = json_next(doc, layers, i)) {
		uint32_t n = n_calls_of(b, i);

		if (!name_layer(b, layer_name(b, i), at, n))
			return error_no_memory(err);
		at += n;
	}
	if (layers != NONE)
		collect_shapes(b, layers);
	for (uint32_t i = json_first(doc, layers);
		i != NONE && status == TFPROF_OK && !b->no_memory; i = json_next(doc, layers, i)) {
		struct span name = layer_name(b, i), full = keras_join(b, t->prefix, name, "");
		uint32_t calls = keras_get(b, i, "inbound_nodes"), arg = arg_of(b, g, name);
		uint32_t call = json_first(doc, calls), n = n_calls_of(b, i);

		for (uint32_t k = 0; k < n && !b->no_memory; k++) {
			struct op_node node = graph_start_node(g, full);

			if (arg != NONE && k == 0) {
				if (!vec_push(&g->edges, ((struct op_edge){arg, 0})))
					b->no_memory = true;
				if (!t->function.n)
					status = add_main_input(b, name, input_shape(b, i), arg,
						err);
			} else {
				add_inputs(b, g, call);
			}
			add_layer(b, t, g, i, node, k);
			call = call == NONE ? NONE : json_next(doc, calls, call);
		}
	}
	add_returns(b, g, t->config);
	return status;
}

/* The input shape of a Sequential without an input layer. */
static struct tensor sequential_input(const struct keras_builder *b, const struct keras_task *t,
	uint32_t first)
{
	struct tensor shape = input_shape(b, first);
	const struct json_doc *doc = &b->k->doc;
	uint32_t built = keras_get(b, t->config, "build_input_shape");
	int64_t dims[TENSOR_MAX_RANK], n = 0;

	if (shape.rank >= 0 || json_type_of(doc, built) != JSON_ARRAY)
		return shape;
	for (uint32_t i = json_first(doc, built); i != NONE && n < TENSOR_MAX_RANK;
		i = json_next(doc, built, i)) {
		if (!json_int_of(doc, i, &dims[n]))
			dims[n] = -1;
		n++;
	}
	return tensor_make(shape.dtype, dims, n);
}

static enum tfprof_status build_sequential(struct keras_builder *b, const struct keras_task *t,
	struct graph *g, struct tfprof_error *err)
{
	const struct json_doc *doc = &b->k->doc;
	uint32_t layers = keras_get(b, t->config, "layers"), first;
	struct op_edge last = {0, 0};
	enum tfprof_status status = TFPROF_OK;

	/* Keras 2.0 has the layers themselves as the config. */
	if (layers == NONE && json_type_of(doc, t->config) == JSON_ARRAY)
		layers = t->config;
	first = keras_nth(b, layers, 0);
	if (!t->function.n && first != NONE) {
		struct span name = span_equal(keras_text(b, keras_get(b, first, "class_name")),
					   SPAN("InputLayer"))
			? layer_name(b, first)
			: SPAN("input");

		status = add_main_input(b, name, sequential_input(b, t, first), 0, err);
	}
	for (uint32_t i = first; i != NONE && status == TFPROF_OK && !b->no_memory;
		i = json_next(doc, layers, i)) {
		struct op_node node =
			graph_start_node(g, keras_join(b, t->prefix, layer_name(b, i), ""));

		if (!vec_push(&g->edges, last))
			return error_no_memory(err);
		add_layer(b, t, g, i, node, 0);
		last.node = (uint32_t)g->nodes.n - 1;
	}
	if (!vec_push(&g->returns, last))
		b->no_memory = true;
	return status;
}

/* A node that merges or restores the steps of the layer. */
static void add_steps(struct keras_builder *b, struct graph *g, struct span name, bool is_repeat,
	struct op_edge from, bool with_input)
{
	struct op_node node = graph_start_node(g, name);
	struct op_edge input = {0, 0};

	if (!vec_push(&g->edges, from) || (with_input && !vec_push(&g->edges, input)))
		b->no_memory = true;
	keras_add_text(b, g, A_inner, SPAN(LAYER_STEPS));
	if (is_repeat)
		keras_add_int(b, g, A_is_repeat, 1);
	keras_add_node(b, g, node, SPAN("TimeDistributed"),
		layer_find_rule(SPAN("TimeDistributed")));
}

/* input ─▶ steps as a batch ─▶ the model or layer ─▶ steps again */
static void build_distributed(struct keras_builder *b, const struct keras_task *t, struct graph *g)
{
	uint32_t inner = keras_get(b, t->config, "layer");
	struct span name = {t->prefix.at, t->prefix.n ? t->prefix.n - 1 : 0};
	struct op_edge last = {3, 0};
	struct op_node call;

	add_steps(b, g, name, t->is_repeat, (struct op_edge){0, 0}, false);
	call = graph_start_node(g, keras_join(b, t->prefix, layer_name(b, inner), ""));
	if (!vec_push(&g->edges, ((struct op_edge){1, 0})))
		b->no_memory = true;
	add_layer(b, t, g, inner, call, 0);
	add_steps(b, g, name, t->is_repeat, (struct op_edge){2, 0}, true);
	if (!vec_push(&g->returns, last))
		b->no_memory = true;
	b->n_layers += !t->is_repeat;
}

static enum tfprof_status build_model(struct keras_builder *b, const struct keras_task *t,
	struct tfprof_error *err)
{
	struct graph *g = t->function.n ? op_library_add_function(&b->m->library, t->function)
					: &b->m->library.main;
	enum tfprof_status status;

	if (!g || !strings_init(&b->names))
		return error_no_memory(err);
	b->first_node.n = b->n_calls.n = b->k->shapes.n = 0;
	g->n_args = add_args(b, t, g);
	if (t->is_distributed) {
		build_distributed(b, t, g);
		status = TFPROF_OK;
	} else {
		status = t->is_sequential ? build_sequential(b, t, g, err)
					  : build_functional(b, t, g, err);
	}
	graph_check_edges(g);
	strings_clear(&b->names);
	return status == TFPROF_OK && b->no_memory ? error_no_memory(err) : status;
}

/* A limit for hostile files: nested models that are called many times multiply. */
enum { MAX_MODELS = 10000 };

enum tfprof_status keras_build(struct model_file *m, uint32_t root, struct tfprof_error *err)
{
	struct keras_builder b = {.m = m, .k = m->keras};
	struct span class_name = keras_text(&b, keras_get(&b, root, "class_name"));
	struct keras_task first = {.config = keras_get(&b, root, "config"),
		.is_sequential = is_sequential(class_name)};
	struct span name = keras_text(&b, keras_get(&b, first.config, "name"));
	enum tfprof_status status = vec_push(&b.tasks, first) ? TFPROF_OK : error_no_memory(err);

	for (size_t i = 0; status == TFPROF_OK && i < b.tasks.n && i < MAX_MODELS; i++) {
		struct keras_task t = b.tasks.at[i];

		status = build_model(&b, &t, err);
	}
	buf_printf(&m->title, "model \"%.*s\", %zu layers", ERROR_SPAN(name), b.n_layers);
	vec_clear(&b.tasks);
	vec_clear(&b.first_node);
	vec_clear(&b.n_calls);
	return status;
}
