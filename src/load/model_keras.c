/* Keras's own files: .keras, a zip archive of the configuration (JSON) and the weights
 * (HDF5); and .h5, where the configuration is an attribute. The configuration becomes a
 * graph of layers:
 *
 *     {"layers": [{"class_name", "config", "inbound_nodes": [call, …]}, …]}
 *          each call of a layer is a node; a model within the model is a function
 */
#include "load/model_keras.h"

#include <stdio.h>

#include "formats/zip.h"

void model_keras_free(struct model_keras *k)
{
	if (!k)
		return;
	buf_clear(&k->config_room);
	buf_clear(&k->weights_room);
	json_doc_clear(&k->doc);
	hdf5_clear(&k->weights);
	keras_weights_clear(k);
	mem_free(k);
}

void model_keras_check(struct model_file *m, int64_t parameters)
{
	if (m->stored_parameters < 0 || m->stored_parameters == parameters)
		return;
	buf_printf(&m->notes, "note         the weights in the file are %lld numbers, not %lld\n",
		(long long)m->stored_parameters, (long long)parameters);
}

/* ---- models to be built -------------------------------------------------------------------- */

/* A model of the configuration that is to become a graph. */
struct task {
	uint32_t config;      /* its config in the document */
	struct span prefix;   /* of its layers' names: "encoder/" */
	struct span function; /* its name; empty: the main graph */
	bool is_repeat;       /* its layers have been counted before */
	bool is_sequential;
};

struct builder {
	struct model_file *m;
	struct model_keras *k;
	VEC(struct task) tasks;
	struct strings names;     /* of the layers of the model being built */
	VEC(uint32_t) first_node; /* of each name, by string id */
	VEC(uint32_t) n_calls;
	bool no_memory;
	size_t n_layers;
};

static uint32_t get(const struct builder *b, uint32_t object, const char *key)
{
	return json_get(&b->k->doc, object, key);
}

static struct span text(const struct builder *b, uint32_t value)
{
	return json_text_of(&b->k->doc, value);
}

static bool is_model(struct span class_name)
{
	return span_equal(class_name, SPAN("Functional")) ||
		span_equal(class_name, SPAN("Model")) || span_equal(class_name, SPAN("Sequential"));
}

static struct span join(struct builder *b, struct span prefix, struct span name, const char *tail)
{
	struct buf joined = {0};
	struct span kept;

	if (!prefix.n && !*tail)
		return name;
	buf_span(&joined, prefix);
	buf_span(&joined, name);
	buf_text(&joined, tail);
	kept = arena_copy(&b->m->arena, buf_get(&joined));
	if (joined.failed || !kept.at)
		b->no_memory = true;
	buf_clear(&joined);
	return kept.at ? kept : name;
}

/* ---- nodes -------------------------------------------------------------------------------------
 */

static void add_attr(struct builder *b, struct graph *g, struct op_attr attr)
{
	if (!vec_push(&g->attrs, attr))
		b->no_memory = true;
}

static void add_int(struct builder *b, struct graph *g, enum attr_id id, int64_t number)
{
	add_attr(b, g, (struct op_attr){.id = (uint8_t)id, .kind = OP_INT, .number = number});
}

static void add_text(struct builder *b, struct graph *g, enum attr_id id, struct span value)
{
	add_attr(b, g,
		(struct op_attr){.id = (uint8_t)id,
			.kind = OP_TEXT,
			.n = (uint32_t)value.n,
			.text = value.at});
}

/* Numbers of a list, of nested lists one after the other; null is -1. */
static void add_ints(struct builder *b, struct graph *g, enum attr_id id, uint32_t list,
	enum op_attr_kind kind)
{
	const struct json_doc *doc = &b->k->doc;
	int64_t at[JSON_MAX_NUMBERS], *kept;
	uint32_t n = 0;

	for (uint32_t i = list + 1; i < doc->values.at[list].end && n < JSON_MAX_NUMBERS; i++) {
		enum json_type type = json_type_of(doc, i);

		if (type == JSON_NULL)
			at[n++] = -1;
		else if (type == JSON_NUMBER && json_int_of(doc, i, &at[n]))
			n++;
	}
	kept = arena_array(&b->m->arena, n + 1, sizeof(*kept));
	if (!kept) {
		b->no_memory = true;
		return;
	}
	memcpy(kept, at, n * sizeof(*kept));
	add_attr(b, g,
		(struct op_attr){.id = (uint8_t)id, .kind = (uint8_t)kind, .n = n, .ints = kept});
}

/* "float32", or a policy that has it in its config: a mixed one keeps weights in float32. */
static int dtype_of(const struct builder *b, uint32_t value)
{
	static const struct {
		const char *name;
		int dtype;
	} dtypes[] = {{"bfloat16", DT_BFLOAT16}, {"float16", DT_HALF}, {"float64", DT_DOUBLE},
		{"int32", DT_INT32}, {"int64", DT_INT64}, {"bool", DT_BOOL}, {"int8", DT_INT8},
		{"uint8", DT_UINT8}, {"string", DT_STRING}};
	struct span name = text(b, value);

	if (json_type_of(&b->k->doc, value) == JSON_OBJECT)
		name = text(b, get(b, get(b, value, "config"), "name"));
	for (size_t i = 0; i < sizeof(dtypes) / sizeof(*dtypes); i++)
		if (span_equal(span_of(dtypes[i].name), name))
			return dtypes[i].dtype;
	return DT_FLOAT;
}

/* A function by name, or as an object that has its name. */
static struct span function_of(const struct builder *b, uint32_t object)
{
	struct span name = text(b, get(b, object, "config"));

	return name.n ? name : text(b, get(b, object, "class_name"));
}

static void add_member(struct builder *b, struct graph *g, struct span key, uint32_t value)
{
	enum attr_id id = op_library_find_attr(&b->m->library, key);
	int64_t number;

	if (id == A_dtype)
		add_int(b, g, id, dtype_of(b, value));
	if (id == N_ATTRS || id == A_dtype)
		return;
	switch (json_type_of(&b->k->doc, value)) {
	case JSON_STRING: add_text(b, g, id, text(b, value)); break;
	case JSON_ARRAY: add_ints(b, g, id, value, OP_INTS); break;
	case JSON_OBJECT: add_text(b, g, id, function_of(b, value)); break;
	case JSON_NULL: break;
	default:
		if (json_int_of(&b->k->doc, value, &number))
			add_int(b, g, id, number);
	}
}

static void add_config(struct builder *b, struct graph *g, uint32_t config)
{
	const struct json_doc *doc = &b->k->doc;

	if (json_type_of(doc, config) != JSON_OBJECT)
		return;
	for (uint32_t key = json_first(doc, config); key != NONE;) {
		uint32_t value = doc->values.at[key].end;

		add_member(b, g, doc->values.at[key].text, value);
		key = json_next(doc, config, value);
	}
}

static uint32_t add_node(struct builder *b, struct graph *g, struct op_node node, struct span type,
	const struct op_rule *rule)
{
	node.type = op_library_get_type(&b->m->library, type, rule);
	node.n_attrs = (uint16_t)(g->attrs.n - node.first_attr);
	node.n_edges = (uint32_t)(g->edges.n - node.first_edge);
	if (!node.type || !vec_push(&g->nodes, node))
		b->no_memory = true;
	return (uint32_t)g->nodes.n - 1;
}

static struct op_node start_node(const struct graph *g, struct span name)
{
	return (struct op_node){.name = name,
		.first_attr = (uint32_t)g->attrs.n,
		.first_edge = (uint32_t)g->edges.n};
}

static uint32_t add_arg(struct builder *b, struct graph *g, struct span name)
{
	return add_node(b, g, start_node(g, name), SPAN("_Arg"), op_find_rule(SPAN("_Arg")));
}

/* ---- inputs of calls
 * ------------------------------------------------------------------------------ */

static void add_edge(struct builder *b, struct graph *g, struct span layer, int64_t call,
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
static bool add_history(struct builder *b, struct graph *g, uint32_t list)
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
	add_edge(b, g, text(b, layer), call, output);
	return true;
}

/* All tensors of a call, in order: objects of Keras 3, or lists of Keras 2. */
static void add_inputs(struct builder *b, struct graph *g, uint32_t call)
{
	const struct json_doc *doc = &b->k->doc;

	if (call == NONE)
		return;
	for (uint32_t i = call; i < doc->values.at[call].end; i++) {
		uint32_t history = NONE;

		if (json_type_of(doc, i) == JSON_OBJECT &&
			span_equal(text(b, get(b, i, "class_name")), SPAN("__keras_tensor__")))
			history = get(b, get(b, i, "config"), "keras_history");
		if (history != NONE) {
			add_history(b, g, history);
			i = doc->values.at[i].end - 1;
		} else if (add_history(b, g, i)) {
			/* Behind the three come keywords, with more tensors in them. */
			continue;
		}
	}
}

/* The shape that later layers say a layer's first output has. */
static void collect_shapes(struct builder *b, uint32_t layers)
{
	const struct json_doc *doc = &b->k->doc;

	for (uint32_t i = layers; i < doc->values.at[layers].end; i++) {
		uint32_t config, history, name;
		struct span layer;

		if (json_type_of(doc, i) != JSON_OBJECT ||
			!span_equal(text(b, get(b, i, "class_name")), SPAN("__keras_tensor__")))
			continue;
		config = get(b, i, "config");
		history = get(b, config, "keras_history");
		layer = text(b, json_first(doc, history));
		name = strings_find(&b->names, layer);
		if (name != NONE && name < b->k->shapes.n && b->k->shapes.at[name] == NONE)
			b->k->shapes.at[name] = get(b, config, "shape");
	}
}

/* That shape as an attribute, with the batch put in. */
static void add_out_shape(struct builder *b, struct graph *g, struct span layer)
{
	uint32_t name = strings_find(&b->names, layer), shape;
	struct op_attr *attr;
	int64_t *dims;

	shape = name != NONE && name < b->k->shapes.n ? b->k->shapes.at[name] : NONE;
	if (json_type_of(&b->k->doc, shape) != JSON_ARRAY)
		return;
	add_ints(b, g, A_out_shape, shape, OP_SHAPE);
	if (b->no_memory)
		return;
	attr = &g->attrs.at[g->attrs.n - 1];
	dims = (int64_t *)attr->ints;
	if (attr->n && dims[0] < 0)
		dims[0] = b->m->batch_size;
}

/* ---- layers
 * ---------------------------------------------------------------------------------------- */

static struct span layer_name(const struct builder *b, uint32_t layer)
{
	struct span name = text(b, get(b, layer, "name"));

	return name.n ? name : text(b, get(b, get(b, layer, "config"), "name"));
}

static void add_wrapped(struct builder *b, struct graph *g, uint32_t config)
{
	uint32_t inner = get(b, config, "layer");

	if (json_type_of(&b->k->doc, inner) != JSON_OBJECT)
		return;
	add_text(b, g, A_inner, text(b, get(b, inner, "class_name")));
	add_config(b, g, get(b, inner, "config"));
}

/* A model called in this one: a function. */
static void add_model_call(struct builder *b, const struct task *t, struct graph *g, uint32_t layer,
	struct op_node node, int64_t call)
{
	struct span class_name = text(b, get(b, layer, "class_name"));
	char tail[32];
	struct task inner = {.config = get(b, layer, "config"),
		.is_repeat = t->is_repeat || call > 0,
		.is_sequential = span_equal(class_name, SPAN("Sequential"))};

	inner.prefix = join(b, t->prefix, layer_name(b, layer), "/");
	snprintf(tail, sizeof(tail), "#%lld", (long long)call);
	inner.function = join(b, t->prefix, layer_name(b, layer), tail);
	add_text(b, g, A_f, inner.function);
	add_node(b, g, node, SPAN("PartitionedCall"), op_find_rule(SPAN("PartitionedCall")));
	if (!vec_push(&b->tasks, inner))
		b->no_memory = true;
}

static void add_layer(struct builder *b, const struct task *t, struct graph *g, uint32_t layer,
	struct op_node node, int64_t call)
{
	struct span class_name = text(b, get(b, layer, "class_name"));
	uint32_t config = get(b, layer, "config");
	int64_t weights;

	if (is_model(class_name)) {
		add_model_call(b, t, g, layer, node, call);
		return;
	}
	add_wrapped(b, g, config);
	add_config(b, g, config);
	add_out_shape(b, g, layer_name(b, layer));
	weights = keras_weights_of(b->k, node.name);
	if (weights)
		add_int(b, g, A_file_weights, weights);
	if (t->is_repeat || call > 0)
		add_int(b, g, A_is_repeat, 1);
	else
		b->n_layers++;
	add_node(b, g, node, class_name, layer_find_rule(class_name));
}

/* ---- inputs and outputs of a model
 * ------------------------------------------------------------------- */

static struct tensor input_shape(const struct builder *b, uint32_t layer)
{
	static const char *const keys[] = {"batch_shape", "batch_input_shape"};
	const struct json_doc *doc = &b->k->doc;
	uint32_t config = get(b, layer, "config"), shape = NONE;
	int64_t dims[TENSOR_MAX_RANK], n = 0;

	for (size_t i = 0; i < 2 && json_type_of(doc, shape) != JSON_ARRAY; i++)
		shape = get(b, config, keys[i]);
	if (json_type_of(doc, shape) != JSON_ARRAY)
		return tensor_unknown(dtype_of(b, get(b, config, "dtype")));
	for (uint32_t i = json_first(doc, shape); i != NONE; i = json_next(doc, shape, i)) {
		if (n == TENSOR_MAX_RANK)
			return tensor_unknown(DT_FLOAT);
		if (!json_int_of(doc, i, &dims[n]))
			dims[n] = -1;
		n++;
	}
	return tensor_make(dtype_of(b, get(b, config, "dtype")), dims, n);
}

static enum tfprof_status add_main_input(struct builder *b, struct span name, struct tensor shape,
	uint32_t node, struct tfprof_error *err)
{
	struct preset preset = {.node = node};
	enum tfprof_status status = model_file_add_input(b->m, name, shape, &preset.tensor, err);

	if (status == TFPROF_OK && !vec_push(&b->m->presets, preset))
		return error_no_memory(err);
	return status;
}

/* The i-th of ["a", 0, 0] or [["a", 0, 0], …] or of a dictionary of such. */
static uint32_t nth_history(const struct builder *b, uint32_t list, size_t n)
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

static void add_returns(struct builder *b, struct graph *g, uint32_t config)
{
	uint32_t outputs = get(b, config, "output_layers"), at;

	for (size_t i = 0; (at = nth_history(b, outputs, i)) != NONE; i++) {
		size_t n = g->edges.n;

		if (!add_history(b, g, at))
			continue;
		if (!vec_push(&g->returns, g->edges.at[n]))
			b->no_memory = true;
		g->edges.n = n;
	}
}

/* ---- models
 * -----------------------------------------------------------------------------------------------
 */

static bool name_layer(struct builder *b, struct span name, uint32_t first, uint32_t n)
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

static uint32_t n_calls_of(const struct builder *b, uint32_t layer)
{
	const struct json_doc *doc = &b->k->doc;
	uint32_t calls = get(b, layer, "inbound_nodes"), n = 0;

	for (uint32_t i = json_first(doc, calls); i != NONE && n < 100000;
		i = json_next(doc, calls, i))
		n++;
	return n ? n : 1;
}

static uint32_t nth_item(const struct builder *b, uint32_t list, size_t n)
{
	const struct json_doc *doc = &b->k->doc;
	uint32_t i = json_first(doc, list);

	while (i != NONE && n--)
		i = json_next(doc, list, i);
	return i;
}

/* The number of input layers, which are the arguments. */
static uint32_t add_args(struct builder *b, const struct task *t, struct graph *g)
{
	uint32_t inputs = get(b, t->config, "input_layers"), at, n = 0;

	if (t->is_sequential) {
		add_arg(b, g, SPAN("input"));
		return 1;
	}
	for (; (at = nth_history(b, inputs, n)) != NONE; n++)
		add_arg(b, g, text(b, json_first(&b->k->doc, at)));
	return n;
}

/* The argument that an input layer is. */
static uint32_t arg_of(const struct builder *b, const struct graph *g, struct span name)
{
	for (uint32_t i = 0; i < g->n_args; i++)
		if (span_equal(g->nodes.at[i].name, name))
			return i;
	return NONE;
}

static enum tfprof_status build_functional(struct builder *b, const struct task *t, struct graph *g,
	struct tfprof_error *err)
{
	const struct json_doc *doc = &b->k->doc;
	uint32_t layers = get(b, t->config, "layers"), at = 0;
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
		struct span name = layer_name(b, i), full = join(b, t->prefix, name, "");
		uint32_t calls = get(b, i, "inbound_nodes"), arg = arg_of(b, g, name);
		uint32_t call = json_first(doc, calls), n = n_calls_of(b, i);

		for (uint32_t k = 0; k < n && !b->no_memory; k++) {
			struct op_node node = start_node(g, full);

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

/* The shape that goes into a Sequential without an input layer. */
static struct tensor sequential_input(const struct builder *b, const struct task *t, uint32_t first)
{
	struct tensor shape = input_shape(b, first);
	const struct json_doc *doc = &b->k->doc;
	uint32_t built = get(b, t->config, "build_input_shape");
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

static enum tfprof_status build_sequential(struct builder *b, const struct task *t, struct graph *g,
	struct tfprof_error *err)
{
	const struct json_doc *doc = &b->k->doc;
	uint32_t layers = get(b, t->config, "layers"), first;
	struct op_edge last = {0, 0};
	enum tfprof_status status = TFPROF_OK;

	/* Keras 2.0 has the layers themselves as the config. */
	if (layers == NONE && json_type_of(doc, t->config) == JSON_ARRAY)
		layers = t->config;
	first = nth_item(b, layers, 0);
	if (!t->function.n && first != NONE) {
		struct span name =
			span_equal(text(b, get(b, first, "class_name")), SPAN("InputLayer"))
			? layer_name(b, first)
			: SPAN("input");

		status = add_main_input(b, name, sequential_input(b, t, first), 0, err);
	}
	for (uint32_t i = first; i != NONE && status == TFPROF_OK && !b->no_memory;
		i = json_next(doc, layers, i)) {
		struct op_node node = start_node(g, join(b, t->prefix, layer_name(b, i), ""));

		if (!vec_push(&g->edges, last))
			return error_no_memory(err);
		add_layer(b, t, g, i, node, 0);
		last.node = (uint32_t)g->nodes.n - 1;
	}
	if (!vec_push(&g->returns, last))
		b->no_memory = true;
	return status;
}

static enum tfprof_status build_model(struct builder *b, const struct task *t,
	struct tfprof_error *err)
{
	struct graph *g = t->function.n ? op_library_add_function(&b->m->library, t->function)
					: &b->m->library.main;
	enum tfprof_status status;

	if (!g || !strings_init(&b->names))
		return error_no_memory(err);
	b->first_node.n = b->n_calls.n = b->k->shapes.n = 0;
	g->n_args = add_args(b, t, g);
	status = t->is_sequential ? build_sequential(b, t, g, err) : build_functional(b, t, g, err);
	strings_clear(&b->names);
	return status == TFPROF_OK && b->no_memory ? error_no_memory(err) : status;
}

/* Limits models that call each other by the thousand. */
enum { MAX_MODELS = 10000 };

static enum tfprof_status build(struct model_file *m, uint32_t root, struct tfprof_error *err)
{
	struct builder b = {.m = m, .k = m->keras};
	struct span class_name = text(&b, get(&b, root, "class_name"));
	struct task first = {.config = get(&b, root, "config"),
		.is_sequential = span_equal(class_name, SPAN("Sequential"))};
	struct span name = text(&b, get(&b, first.config, "name"));
	enum tfprof_status status = vec_push(&b.tasks, first) ? TFPROF_OK : error_no_memory(err);

	for (size_t i = 0; status == TFPROF_OK && i < b.tasks.n && i < MAX_MODELS; i++) {
		struct task t = b.tasks.at[i];

		status = build_model(&b, &t, err);
	}
	buf_printf(&m->title, "model \"%.*s\", %zu layers", ERROR_SPAN(name), b.n_layers);
	vec_clear(&b.tasks);
	vec_clear(&b.first_node);
	vec_clear(&b.n_calls);
	return status;
}

/* ---- files
 * --------------------------------------------------------------------------------------------------
 */

static enum tfprof_status read_config(struct model_file *m, const char *name, struct span config,
	struct tfprof_error *err)
{
	struct model_keras *k = m->keras;
	size_t at;
	const char *problem = json_read(&k->doc, config, &at);

	if (problem)
		return error_set(err, TFPROF_FORMAT,
			"%s: its configuration is no JSON: %s at byte %zu", name, problem, at);
	if (json_type_of(&k->doc, json_get(&k->doc, json_get(&k->doc, 0, "config"), "layers")) !=
			JSON_ARRAY &&
		json_type_of(&k->doc, json_get(&k->doc, 0, "config")) != JSON_ARRAY) {
		buf_text(&m->notes,
			"note         the file has no graph of layers (a subclassed model): count "
			"the SavedModel of model.export()\n");
		keras_weights_as_parameters(m);
		m->is_of_layers = true;
		return TFPROF_OK;
	}
	m->is_of_layers = true;
	return build(m, 0, err);
}

static enum tfprof_status read_weights(struct model_file *m, struct span bytes,
	struct tfprof_error *err)
{
	enum tfprof_status status = hdf5_read(&m->keras->weights, bytes, err);

	if (status == TFPROF_OK && !keras_weights_add_up(m->keras, &m->stored_parameters))
		status = error_no_memory(err);
	return status;
}

static void put_version(struct model_file *m, struct span version)
{
	if (version.n)
		buf_printf(&m->title, "%.*s ", ERROR_SPAN(version));
}

static enum tfprof_status make_keras(struct model_file *m, struct tfprof_error *err)
{
	m->keras = mem_zero(sizeof(*m->keras));
	return m->keras ? TFPROF_OK : error_no_memory(err);
}

enum tfprof_status model_read_keras_h5(struct model_file *m, const char *name,
	const struct model_file_options *options, struct tfprof_error *err)
{
	enum tfprof_status status = make_keras(m, err);

	if (status == TFPROF_OK) {
		status = read_weights(m, m->source.bytes, err);
		if (status != TFPROF_OK)
			return error_prefix(err, status, name);
	}
	if (status != TFPROF_OK)
		return status;
	put_version(m, m->keras->weights.keras_version);
	if (m->keras->weights.model_config.n)
		return read_config(m, name, m->keras->weights.model_config, err);
	m->is_of_layers = true;
	buf_text(&m->title, "weights");
	buf_text(&m->notes,
		"note         the file has weights only: parameters are all there is to count\n");
	keras_weights_as_parameters(m);
	return TFPROF_OK;
}

enum tfprof_status model_read_keras(struct model_file *m, const char *name,
	const struct model_file_options *options, struct tfprof_error *err)
{
	struct span config, weights, metadata;
	struct buf room = {0};
	struct json_doc doc = {0};
	size_t at;
	enum tfprof_status status = make_keras(m, err);

	if (status == TFPROF_OK)
		status = zip_get(m->source.bytes, "config.json", &m->keras->config_room, &config,
			err);
	if (status == TFPROF_UNSUPPORTED)
		return error_set(err, TFPROF_FORMAT,
			"%s: a zip archive, but no Keras model: it has no "
			"config.json",
			name);
	if (status == TFPROF_OK &&
		zip_get(m->source.bytes, "metadata.json", &room, &metadata, err) == TFPROF_OK &&
		!json_read(&doc, metadata, &at))
		put_version(m, json_text_of(&doc, json_get(&doc, 0, "keras_version")));
	json_doc_clear(&doc);
	buf_clear(&room);
	if (status == TFPROF_OK) {
		status = zip_get(m->source.bytes, "model.weights.h5", &m->keras->weights_room,
			&weights, err);
		if (status == TFPROF_OK)
			status = read_weights(m, weights, err);
		else if (status == TFPROF_UNSUPPORTED)
			status = TFPROF_OK;
	}
	if (status != TFPROF_OK)
		return error_prefix(err, status, name);
	return read_config(m, name, config, err);
}
