/* TensorFlow Lite models: a FlatBuffer of subgraphs, each a graph to walk. The first is
 * the main one; others are functions of WHILE and IF.
 *
 *     subgraph ── tensors[]     shape, type, name; with a buffer: a constant
 *              ── operators[]   which, inputs, outputs, options
 */
#include <stdio.h>

#include "formats/flatbuffer.h"
#include "load/lite_list.h"
#include "load/model_file.h"

/* Slots of the schema's tables. */
enum {
	MODEL_OPERATOR_CODES = 1,
	MODEL_SUBGRAPHS = 2,
	MODEL_BUFFERS = 4,
	CODE_DEPRECATED = 0,
	CODE_CUSTOM = 1,
	CODE_BUILTIN = 3,
	GRAPH_TENSORS = 0,
	GRAPH_INPUTS = 1,
	GRAPH_OUTPUTS = 2,
	GRAPH_OPERATORS = 3,
	TENSOR_SHAPE_SLOT = 0,
	TENSOR_TYPE_SLOT = 1,
	TENSOR_BUFFER_SLOT = 2,
	TENSOR_NAME_SLOT = 3,
	TENSOR_SIGNATURE_SLOT = 7,
	OPERATOR_CODE = 0,
	OPERATOR_INPUTS = 1,
	OPERATOR_OUTPUTS = 2,
	OPERATOR_OPTIONS = 4,
	BUFFER_DATA = 0,
	BUFFER_OFFSET = 1,
	BUFFER_SIZE = 2,
	CUSTOM = 32,
};

enum lite_options { LITE_PLAIN, LITE_CONV, LITE_CONV_3D, LITE_DEPTHWISE, LITE_POOL };

static const struct {
	int code;
	const char *name, *rule;
	enum lite_options options;
} operators[] = {
#define X(code, name, rule, options) {code, #name, rule, LITE_##options},
	LITE_OPERATORS(X)
#undef X
};

static const struct {
	const char *name;
	unsigned slot;
	enum attr_id attr;
} plain_options[] = {
#define X(name, slot, attr) {#name, slot, A_##attr},
	LITE_OPTIONS(X)
#undef X
};

struct builder {
	struct model_file *m;
	struct fb_vector codes, buffers, subgraphs;
	struct graph *graph;
	struct fb_vector tensors;
	struct op_edge *producers; /* of each tensor; node NONE: none yet */
	uint32_t *parameters;      /* of each buffer, + 1: several tensors may share one */
	uint64_t n_items;          /* of lists that were read */
	bool no_memory;
};

/* Offsets may lead to one list many times: what is read stays within the size of the file, where
 * each item takes four bytes. */
static bool allow(struct builder *b, uint64_t n_items)
{
	b->n_items += n_items;
	return b->n_items <= b->m->source.bytes.n;
}

static bool add_attr(struct builder *b, struct op_attr attr)
{
	if (!vec_push(&b->graph->attrs, attr))
		b->no_memory = true;
	return !b->no_memory;
}

static void add_int(struct builder *b, enum attr_id id, int64_t number)
{
	add_attr(b, (struct op_attr){.id = (uint8_t)id, .kind = OP_INT, .number = number});
}

static void add_text(struct builder *b, enum attr_id id, struct span text)
{
	add_attr(b,
		(struct op_attr){.id = (uint8_t)id,
			.kind = OP_TEXT,
			.n = (uint32_t)text.n,
			.text = text.at});
}

static void add_ints(struct builder *b, enum attr_id id, enum op_attr_kind kind, const int64_t *at,
	uint32_t n)
{
	int64_t *kept = arena_array(&b->m->arena, n + 1, sizeof(*kept));

	if (!kept) {
		b->no_memory = true;
		return;
	}
	memcpy(kept, at, n * sizeof(*kept));
	add_attr(b,
		(struct op_attr){.id = (uint8_t)id, .kind = (uint8_t)kind, .n = n, .ints = kept});
}

/* ---- tensors -------------------------------------------------------------------- */
static int dtype_of(int64_t type)
{
	static const int dtypes[] = {DT_FLOAT, DT_HALF, DT_INT32, DT_UINT8, DT_INT64, DT_STRING,
		DT_BOOL, DT_INT16, DT_COMPLEX64, DT_INT8, DT_DOUBLE, DT_COMPLEX128, DT_UINT64,
		DT_RESOURCE, DT_VARIANT, DT_UINT32, DT_UINT16, DT_INT4, DT_BFLOAT16};

	return type >= 0 && type < (int64_t)(sizeof(dtypes) / sizeof(*dtypes)) ? dtypes[type] : 0;
}

/* With -1 for dimensions that the signature leaves open, where the shape itself has 1. */
static struct tensor tensor_of(struct fb_table t)
{
	struct fb_vector shape = fb_vector(t, TENSOR_SHAPE_SLOT, 4);
	struct fb_vector signature = fb_vector(t, TENSOR_SIGNATURE_SLOT, 4);
	int64_t dims[TENSOR_MAX_RANK];

	if (shape.n > TENSOR_MAX_RANK)
		return tensor_unknown(dtype_of(fb_int(t, TENSOR_TYPE_SLOT, 1, 0)));
	for (uint32_t i = 0; i < shape.n; i++)
		dims[i] = signature.n == shape.n && fb_int32(signature, i) < 0 ? -1
									       : fb_int32(shape, i);
	return tensor_make(dtype_of(fb_int(t, TENSOR_TYPE_SLOT, 1, 0)), dims, shape.n);
}

/* The first of the names that an optimized operator has. */
static struct span name_of(struct fb_table t)
{
	return span_before(fb_bytes(t, TENSOR_NAME_SLOT), ';');
}

/* The constant in a tensor's buffer; large models keep it behind the FlatBuffer. */
static struct span content_of(const struct builder *b, struct fb_table t, int64_t *size)
{
	struct fb_table buffer = fb_item(b->buffers, (uint32_t)fb_int(t, TENSOR_BUFFER_SLOT, 4, 0));
	struct span data = fb_bytes(buffer, BUFFER_DATA), all = b->m->source.bytes;
	uint64_t offset = (uint64_t)fb_int(buffer, BUFFER_OFFSET, 8, 0);
	uint64_t n = (uint64_t)fb_int(buffer, BUFFER_SIZE, 8, 0);

	*size = (int64_t)data.n;
	if (offset > 1 && n && offset <= all.n && n <= all.n - offset) {
		data = (struct span){all.at + offset, (size_t)n};
		*size = (int64_t)n;
	}
	return data;
}

static uint32_t push_node(struct builder *b, struct op_node node, struct span type,
	const struct op_rule *rule)
{
	if (!op_library_add_node(&b->m->library, b->graph, node, type, rule))
		b->no_memory = true;
	return (uint32_t)b->graph->nodes.n - 1;
}

static uint32_t push_constant(struct builder *b, struct span name, const struct constant *c)
{
	struct op_node node = graph_start_node(b->graph, name);
	struct constant *kept = arena_alloc(&b->m->arena, sizeof(*kept));

	if (!kept) {
		b->no_memory = true;
		return 0;
	}
	*kept = *c;
	add_attr(b, (struct op_attr){.id = A_value, .kind = OP_TENSOR, .constant = kept});
	return push_node(b, node, SPAN("Const"), op_find_rule(SPAN("Const")));
}

/* Numbers other than indices may be weights, possibly quantized. Whether int32 are biases
 * depends on their reader. */
static bool may_be_weight(int dtype)
{
	return dtype_is_real(dtype) || dtype == DT_INT8 || dtype == DT_UINT8 || dtype == DT_INT16 ||
		dtype == DT_INT4;
}

static uint32_t parameter_of(struct builder *b, struct fb_table t, const struct tensor *tensor)
{
	struct parameter p = {.name = name_of(t),
		.tensor = *tensor,
		.is_counted = true,
		.is_trainable = true};
	int64_t buffer = fb_int(t, TENSOR_BUFFER_SLOT, 4, 0);

	if (buffer < 0 || buffer >= b->buffers.n)
		return 0;
	if (!b->parameters[buffer]) {
		if (!vec_push(&b->m->parameters, p))
			b->no_memory = true;
		b->parameters[buffer] = (uint32_t)b->m->parameters.n;
	}
	return b->parameters[buffer];
}

static void add_constant(struct builder *b, uint32_t i, struct fb_table t, bool is_bias)
{
	int64_t size;
	struct constant c = {.tensor = tensor_of(t), .is_raw = true};

	c.content = content_of(b, t, &size);
	if (!size)
		return;
	if ((may_be_weight(c.tensor.dtype) || is_bias) && c.tensor.rank > 0)
		c.tensor.parameter = parameter_of(b, t, &c.tensor);
	b->producers[i] = (struct op_edge){push_constant(b, name_of(t), &c), 0};
}

/* ---- operators ------------------------------------------------------------------ */

static void add_window(struct builder *b, struct fb_table options, enum lite_options kind)
{
	unsigned dilation = kind == LITE_DEPTHWISE ? 5 : 4, activation = kind == LITE_CONV ? 3 : 4;
	int64_t strides[5] = {1, fb_int(options, 2, 4, 1), fb_int(options, 1, 4, 1), 1};
	int64_t dilations[5] = {1, fb_int(options, dilation + 1, 4, 1),
		fb_int(options, dilation, 4, 1), 1};
	int64_t sizes[4] = {1, fb_int(options, 4, 4, 1), fb_int(options, 3, 4, 1), 1};
	uint32_t n = 4;

	if (kind == LITE_CONV_3D) {
		const int64_t s[5] = {1, fb_int(options, 1, 4, 1), fb_int(options, 3, 4, 1),
			fb_int(options, 2, 4, 1), 1};
		const int64_t d[5] = {1, fb_int(options, 5, 4, 1), fb_int(options, 7, 4, 1),
			fb_int(options, 6, 4, 1), 1};

		memcpy(strides, s, sizeof(strides));
		memcpy(dilations, d, sizeof(dilations));
		n = 5;
	}
	add_text(b, A_padding, fb_int(options, 0, 1, 0) ? SPAN("VALID") : SPAN("SAME"));
	add_ints(b, A_strides, OP_INTS, strides, n);
	if (kind == LITE_POOL) {
		add_ints(b, A_ksize, OP_INTS, sizes, 4);
		return;
	}
	add_ints(b, A_dilations, OP_INTS, dilations, n);
	add_int(b, A_fused_activation, fb_int(options, activation, 1, 0));
	add_int(b, A_output_first, kind != LITE_CONV_3D);
}

/* Where operators that multiply by weights have their bias; -1: they have none. */
static int bias_of(const char *name)
{
	static const struct {
		const char *name;
		int at;
	} biases[] = {{"CONV_2D", 2}, {"DEPTHWISE_CONV_2D", 2}, {"CONV_3D", 2},
		{"FULLY_CONNECTED", 2}, {"TRANSPOSE_CONV", 3}, {"CONV_3D_TRANSPOSE", 3},
		{"SVDF", 3}};

	for (size_t i = 0; i < sizeof(biases) / sizeof(*biases); i++)
		if (strcmp(biases[i].name, name) == 0)
			return biases[i].at;
	return -1;
}

/* A bias and an activation that are part of the operator. */
static void add_fused(struct builder *b, const struct op_node *node, const char *name,
	struct fb_vector inputs)
{
	static const struct span fused[] = {{"Activation", 10}, {"BiasAdd", 7}};
	int bias = bias_of(name);
	bool has_bias =
		bias > 0 && (uint32_t)bias < inputs.n && fb_int32(inputs, (uint32_t)bias) >= 0;
	bool is_activated = false;

	for (size_t i = node->first_attr; i < b->graph->attrs.n; i++)
		is_activated |= b->graph->attrs.at[i].id == A_fused_activation &&
			b->graph->attrs.at[i].number;
	if (has_bias || is_activated)
		add_attr(b,
			(struct op_attr){.id = A_fused_ops,
				.kind = OP_TEXTS,
				.n = (uint32_t)has_bias + is_activated,
				.texts = fused + !is_activated});
}

static void add_plain(struct builder *b, const char *name, struct fb_table options)
{
	for (size_t i = 0; i < sizeof(plain_options) / sizeof(*plain_options); i++) {
		enum attr_id attr = plain_options[i].attr;
		int size = attr == A_keep_dims || attr == A_keep_num_dims || attr == A_adj_x ||
				attr == A_adj_y || attr == A_fused_activation
			? 1
			: 4;

		if (strcmp(plain_options[i].name, name) == 0)
			add_int(b, attr, fb_int(options, plain_options[i].slot, size, 0));
	}
}

/* The name of a subgraph's function. */
static struct span function_of(struct builder *b, int64_t subgraph)
{
	char name[32];
	int n = snprintf(name, sizeof(name), "subgraph %lld", (long long)subgraph);
	struct span kept = arena_copy(&b->m->arena, (struct span){name, (size_t)n});

	if (!kept.at)
		b->no_memory = true;
	return kept.at ? kept : (struct span){"", 0};
}

static void add_special(struct builder *b, const char *name, struct fb_table options,
	const struct tensor *out)
{
	struct fb_vector squeezed;
	int64_t axes[TENSOR_MAX_RANK];

	if (strcmp(name, "WHILE") == 0) {
		add_text(b, A_cond, function_of(b, fb_int(options, 0, 4, 0)));
		add_text(b, A_body, function_of(b, fb_int(options, 1, 4, 0)));
	} else if (strcmp(name, "IF") == 0) {
		add_text(b, A_then_branch, function_of(b, fb_int(options, 0, 4, 0)));
		add_text(b, A_else_branch, function_of(b, fb_int(options, 1, 4, 0)));
	} else if (strcmp(name, "SQUEEZE") == 0) {
		squeezed = fb_vector(options, 0, 4);
		for (uint32_t i = 0; i < squeezed.n && i < TENSOR_MAX_RANK; i++)
			axes[i] = fb_int32(squeezed, i);
		add_ints(b, A_squeeze_dims, OP_INTS, axes,
			squeezed.n < TENSOR_MAX_RANK ? squeezed.n : TENSOR_MAX_RANK);
	}
	add_int(b, A_DstT, out->dtype);
	add_int(b, A_dtype, out->dtype);
	add_int(b, A_out_type, out->dtype);
	add_int(b, A_output_type, out->dtype);
}

/* Adds the shape of the result in the file, if it is complete. */
static void add_out_shape(struct builder *b, struct tensor out)
{
	if (out.rank > 0 && out.dims[0] < 0)
		out.dims[0] = b->m->batch_size;
	if (tensor_is_known(&out))
		add_ints(b, A_out_shape, OP_SHAPE, out.dims, (uint32_t)out.rank);
}

static struct fb_table tensor_at(const struct builder *b, int32_t i)
{
	return i < 0 ? (struct fb_table){b->tensors.bytes, 0} : fb_item(b->tensors, (uint32_t)i);
}

/* Constants become nodes before the operator that reads them. */
static void add_constants(struct builder *b, struct fb_vector inputs, const char *rule,
	const char *name)
{
	/* Concatenation may join shapes. */
	bool products = bias_of(name) > 0 ||
		(strncmp(rule, "LITE_", 5) == 0 && strcmp(rule, "LITE_CONCAT") != 0);

	for (uint32_t i = 0; i < inputs.n; i++) {
		int32_t tensor = fb_int32(inputs, i);

		if (tensor >= 0 && (uint32_t)tensor < b->tensors.n &&
			b->producers[tensor].node == NONE)
			add_constant(b, (uint32_t)tensor, tensor_at(b, tensor), products && i >= 2);
	}
}

/* RESHAPE may have its shape as an option. */
static void add_shape_input(struct builder *b, struct fb_table options, struct op_edge *edge)
{
	struct fb_vector shape = fb_vector(options, 0, 4);
	struct constant c = {.is_raw = true};
	int64_t n = shape.n;

	c.tensor = tensor_make(DT_INT32, &n, 1);
	c.content = (struct span){shape.bytes.at + shape.first, 4 * (size_t)shape.n};
	*edge = (struct op_edge){push_constant(b, SPAN("shape"), &c), 0};
}

static void add_operator(struct builder *b, struct fb_table op)
{
	struct fb_table code = fb_item(b->codes, (uint32_t)fb_int(op, OPERATOR_CODE, 4, 0));
	int64_t old = fb_int(code, CODE_DEPRECATED, 1, 0),
		number = fb_int(code, CODE_BUILTIN, 4, 0);
	struct fb_vector inputs = fb_vector(op, OPERATOR_INPUTS, 4);
	struct fb_vector outputs = fb_vector(op, OPERATOR_OUTPUTS, 4);
	struct fb_table options = fb_get(op, OPERATOR_OPTIONS);
	struct span type = SPAN("?"), rule_name = {"", 0};
	struct tensor out = tensor_of(tensor_at(b, outputs.n ? fb_int32(outputs, 0) : -1));
	const char *name = "", *rule = "";
	enum lite_options kind = LITE_PLAIN;
	struct op_edge shape = {NONE, 0};
	struct op_node node;
	uint32_t index;

	if (!allow(b, (uint64_t)inputs.n + outputs.n))
		return;
	number = old > number ? old : number;
	for (size_t i = 0; i < sizeof(operators) / sizeof(*operators); i++)
		if (operators[i].code == number) {
			name = operators[i].name;
			rule = operators[i].rule;
			kind = operators[i].options;
			type = span_of(name);
			rule_name = span_of(rule);
		}
	if (number == CUSTOM) {
		type = rule_name = fb_bytes(code, CODE_CUSTOM);
		/* TensorFlow's own operations, run by TensorFlow. */
		if (span_starts(type, SPAN("Flex")))
			rule_name = (struct span){type.at + 4, type.n - 4};
	} else if (!*name) {
		char text[32];
		int n = snprintf(text, sizeof(text), "operator %lld", (long long)number);

		type = arena_copy(&b->m->arena, (struct span){text, (size_t)n});
	}
	add_constants(b, inputs, rule, name);
	if (strcmp(name, "RESHAPE") == 0 && inputs.n < 2)
		add_shape_input(b, options, &shape);
	if (b->no_memory || !type.at) {
		b->no_memory = true;
		return;
	}
	node = graph_start_node(b->graph,
		name_of(tensor_at(b, outputs.n ? fb_int32(outputs, 0) : -1)));
	index = (uint32_t)b->graph->nodes.n;
	for (uint32_t i = 0; i < inputs.n; i++) {
		int32_t tensor = fb_int32(inputs, i);
		struct op_edge edge = {index, 0};

		if (tensor >= 0 && (uint32_t)tensor < b->tensors.n &&
			b->producers[tensor].node != NONE)
			edge = b->producers[tensor];
		if (!vec_push(&b->graph->edges, edge))
			b->no_memory = true;
	}
	if (shape.node != NONE && !vec_push(&b->graph->edges, shape))
		b->no_memory = true;
	if (kind != LITE_PLAIN)
		add_window(b, options, kind);
	add_plain(b, name, options);
	add_fused(b, &node, name, inputs);
	add_special(b, name, options, &out);
	add_out_shape(b, out);
	push_node(b, node, type, op_find_rule(rule_name));
	for (uint32_t i = 0; i < outputs.n; i++) {
		int32_t tensor = fb_int32(outputs, i);

		if (tensor >= 0 && (uint32_t)tensor < b->tensors.n)
			b->producers[tensor] = (struct op_edge){index, i};
	}
}

/* ---- subgraphs ------------------------------------------------------------------ */

static enum tfprof_status add_inputs(struct builder *b, struct fb_table subgraph, bool is_main,
	struct tfprof_error *err)
{
	struct fb_vector inputs = fb_vector(subgraph, GRAPH_INPUTS, 4);
	enum tfprof_status status = TFPROF_OK;

	for (uint32_t i = 0; i < inputs.n && status == TFPROF_OK && !b->no_memory; i++) {
		int32_t tensor = fb_int32(inputs, i);
		struct fb_table t = tensor_at(b, tensor);
		struct preset preset = {.node = (uint32_t)b->graph->nodes.n};

		push_node(b, graph_start_node(b->graph, name_of(t)), SPAN("_Arg"),
			op_find_rule(SPAN("_Arg")));
		if (tensor >= 0 && (uint32_t)tensor < b->tensors.n)
			b->producers[tensor] = (struct op_edge){preset.node, 0};
		if (!is_main)
			continue;
		status = model_file_add_input(b->m, name_of(t), tensor_of(t), &preset.tensor, err);
		if (status == TFPROF_OK && !vec_push(&b->m->presets, preset))
			b->no_memory = true;
	}
	b->graph->n_args = (uint32_t)b->graph->nodes.n;
	return status;
}

static enum tfprof_status build_subgraph(struct builder *b, uint32_t i, struct tfprof_error *err)
{
	struct fb_table subgraph = fb_item(b->subgraphs, i);
	struct fb_vector ops = fb_vector(subgraph, GRAPH_OPERATORS, 4);
	struct fb_vector outputs = fb_vector(subgraph, GRAPH_OUTPUTS, 4);
	enum tfprof_status status;

	b->graph = i ? op_library_add_function(&b->m->library, function_of(b, i))
		     : &b->m->library.main;
	b->tensors = fb_vector(subgraph, GRAPH_TENSORS, 4);
	if (!allow(b,
		    1 + (uint64_t)b->tensors.n + ops.n + outputs.n +
			    fb_vector(subgraph, GRAPH_INPUTS, 4).n))
		return TFPROF_OK;
	b->producers = mem_array((size_t)b->tensors.n + 1, sizeof(*b->producers));
	if (!b->graph || !b->producers) {
		mem_free(b->producers);
		return error_no_memory(err);
	}
	for (uint32_t k = 0; k < b->tensors.n; k++)
		b->producers[k] = (struct op_edge){NONE, 0};
	status = add_inputs(b, subgraph, i == 0, err);
	for (uint32_t k = 0; status == TFPROF_OK && !b->no_memory && allow(b, 0) && k < ops.n; k++)
		add_operator(b, fb_item(ops, k));
	for (uint32_t k = 0; status == TFPROF_OK && k < outputs.n; k++) {
		int32_t tensor = fb_int32(outputs, k);

		if (tensor >= 0 && (uint32_t)tensor < b->tensors.n &&
			b->producers[tensor].node != NONE &&
			!vec_push(&b->graph->returns, b->producers[tensor]))
			b->no_memory = true;
	}
	graph_check_edges(b->graph);
	mem_free(b->producers);
	return status == TFPROF_OK && b->no_memory ? error_no_memory(err) : status;
}

enum tfprof_status model_read_tflite(struct model_file *m, const char *name,
	const struct model_file_options *options, struct tfprof_error *err)
{
	struct fb_table model = fb_root(m->source.bytes);
	struct builder b = {.m = m,
		.codes = fb_vector(model, MODEL_OPERATOR_CODES, 4),
		.buffers = fb_vector(model, MODEL_BUFFERS, 4),
		.subgraphs = fb_vector(model, MODEL_SUBGRAPHS, 4)};
	enum tfprof_status status = TFPROF_OK;

	m->hides_training = m->runs_in_order = true;
	if (!b.subgraphs.n || !fb_item(b.subgraphs, 0).at)
		return error_set(err, TFPROF_FORMAT,
			"%s: a TensorFlow Lite model without a graph: damaged or cut short: "
			"copy it again",
			name);
	b.parameters = mem_zero_array((size_t)b.buffers.n + 1, sizeof(*b.parameters));
	if (!b.parameters)
		return error_no_memory(err);
	for (uint32_t i = b.subgraphs.n; status == TFPROF_OK && allow(&b, 0) && i-- > 0;)
		status = build_subgraph(&b, i, err);
	if (status == TFPROF_OK && !allow(&b, 0))
		status = error_set(err, TFPROF_FORMAT,
			"%s: a TensorFlow Lite model with more parts than it has room for: damaged",
			name);
	mem_free(b.parameters);
	buf_printf(&m->title, "%u subgraph%s", b.subgraphs.n, b.subgraphs.n == 1 ? "" : "s");
	return status;
}
