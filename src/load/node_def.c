#include "load/node_def.h"

#include "base/strings.h"
#include "model/attrs.h"
#include "proto/tensor_shape.h"

/* A TensorShapeProto: rank 0 is [1], unknown rank is empty. */
static void read_shape(struct node_defs *b, struct decoder *d, struct span message)
{
	struct tensor_dims dims = tensor_dims(message);
	struct tensor_dim dim;
	struct node_shape shape = {.first = b->dims.n};

	while (tensor_dims_next(d, &dims, &dim))
		decoder_alloc(d, vec_push(&b->dims, dim.size));
	if (b->dims.n == shape.first && !dims.unknown_rank)
		decoder_alloc(d, vec_push(&b->dims, 1));
	shape.n = b->dims.n - shape.first;
	/* adding even 0 to NULL is undefined */
	shape.hash = shapes_hash(b->dims.n ? b->dims.at + shape.first : NULL, shape.n);
	decoder_alloc(d, vec_push(&b->shapes, shape));
}

static void read_output_shapes(struct node_defs *b, struct decoder *d, struct node_def *def,
	struct span list)
{
	struct wire_reader r = wire_reader(list);
	struct wire_field f;

	/* A later entry of the same key replaces an earlier one. */
	def->first_output = b->shapes.n;
	while (decoder_find(d, &r, WIRE_LEN(ATTR_VALUE_LIST_VALUE_SHAPE), &f))
		read_shape(b, d, f.bytes);
	def->n_outputs = (uint32_t)(b->shapes.n - def->first_output);
}

static void read_attr(struct node_defs *b, struct decoder *d, struct node_def *def,
	struct span message)
{
	struct map_entry attr = map_entry_read(d, message);
	struct wire_field value;

	if (span_equal(attr.text_key, SPAN("shape"))) {
		value = attr_value_read(d, attr.value);
		if (value.tag != WIRE_LEN(ATTR_VALUE_SHAPE))
			return;
		def->shape = b->shapes.n;
		read_shape(b, d, value.bytes);
	} else if (span_equal(attr.text_key, SPAN("_output_shapes"))) {
		value = attr_value_read(d, attr.value);
		if (value.tag == WIRE_LEN(ATTR_VALUE_LIST))
			read_output_shapes(b, d, def, value.bytes);
	}
}

/* "name", "name:2" or "^name" */
static struct node_input read_input(struct span text)
{
	struct node_input input = {0};
	const char *colon;

	if (text.n && text.at[0] == '^') {
		text.at++;
		text.n--;
	}
	colon = text.n ? memchr(text.at, ':', text.n) : NULL;
	if (colon) {
		int64_t output = 0;

		for (const char *c = colon + 1; c < text.at + text.n; c++) {
			if (*c < '0' || *c > '9' || output > INT32_MAX / 10) {
				output = 0;
				break;
			}
			output = output * 10 + (*c - '0');
		}
		input.output = (int32_t)output;
		text.n = (size_t)(colon - text.at);
	}
	input.source = text;
	input.hash = strings_hash(text);
	return input;
}

void node_defs_add(struct node_defs *b, struct span message)
{
	struct wire_reader r = wire_reader(message);
	struct wire_field f;
	struct node_def def = {.message = message,
		.name = {"", 0},
		.op = {"", 0},
		.shape = SIZE_MAX};
	size_t first_input = b->inputs.n;

	while (decoder_next(&b->decoder, &r, &f))
		switch (f.tag) {
		case WIRE_LEN(NODE_DEF_NAME): def.name = f.bytes; break;
		case WIRE_LEN(NODE_DEF_OP): def.op = f.bytes; break;
		case WIRE_LEN(NODE_DEF_INPUT):
			decoder_alloc(&b->decoder, vec_push(&b->inputs, read_input(f.bytes)));
			break;
		case WIRE_LEN(NODE_DEF_ATTR):
			if (!def.attrs.failed)
				read_attr(b, &def.attrs, &def, f.bytes);
			break;
		case WIRE_LEN(NODE_DEF_DEVICE): def.device = f.bytes; break;
		default: audit_field(schema_graph_def.fields[0].of.message, f.tag, &b->fields);
		}
	/* An allocation failure matters even if the node is not new. */
	decoder_alloc(&b->decoder, !def.attrs.failed || def.attrs.bad);
	if (b->decoder.failed)
		return;
	def.n_inputs = (uint32_t)(b->inputs.n - first_input);
	def.name_hash = strings_hash(def.name);
	def.op_hash = strings_hash(def.op);
	decoder_alloc(&b->decoder, vec_push(&b->defs, def));
}

void node_defs_read(struct node_defs *b, struct span piece)
{
	struct wire_reader r = wire_reader(piece);
	struct wire_field f;

	b->defs.n = b->inputs.n = b->shapes.n = b->dims.n = 0;
	b->decoder = (struct decoder){0};
	b->fields = (struct field_counts){0};
	while (!b->decoder.failed && decoder_find(&b->decoder, &r, WIRE_LEN(GRAPH_DEF_NODE), &f))
		node_defs_add(b, f.bytes);
}

void node_defs_clear(struct node_defs *b)
{
	vec_clear(&b->defs);
	vec_clear(&b->inputs);
	vec_clear(&b->shapes);
	vec_clear(&b->dims);
}
