#include "load/node_def.h"

#include "base/strings.h"
#include "proto/fields.h"

/* What a function says that could not go on: it is malformed at *bad, or, if
 * that is NULL, memory is out. */
static bool fail(const char **bad, const char *where)
{
	*bad = where;
	return false;
}

static bool read_dim(struct node_defs *b, struct span message, const char **bad)
{
	struct wire_reader r = wire_reader(message);
	struct wire_field f;
	int64_t size = 0;

	while (wire_next(&r, &f))
		if (f.tag == WIRE_VARINT(TENSOR_SHAPE_DIM_SIZE))
			size = (int64_t)f.value;
	if (r.bad)
		return fail(bad, r.bad);
	return vec_push(&b->dims, size) ? true : fail(bad, NULL);
}

/* A TensorShapeProto: rank 0 is [1], unknown rank is empty. */
static bool read_shape(struct node_defs *b, struct span message, const char **bad)
{
	struct wire_reader r = wire_reader(message);
	struct wire_field f;
	struct node_shape shape = {.first = b->dims.n};
	bool unknown_rank = false;

	while (wire_next(&r, &f))
		if (f.tag == WIRE_VARINT(TENSOR_SHAPE_UNKNOWN_RANK))
			unknown_rank = f.value != 0;
		else if (f.tag == WIRE_LEN(TENSOR_SHAPE_DIM) && !read_dim(b, f.bytes, bad))
			return false;
	if (r.bad)
		return fail(bad, r.bad);
	if (b->dims.n == shape.first && !unknown_rank && !vec_push(&b->dims, 1))
		return fail(bad, NULL);
	shape.n = b->dims.n - shape.first;
	shape.hash = shapes_hash(b->dims.at + shape.first, shape.n);
	return vec_push(&b->shapes, shape) ? true : fail(bad, NULL);
}

/* AttrValue.list { shape = 7 } */
static bool read_output_shapes(struct node_defs *b, struct node_def *def, struct span list,
	const char **bad)
{
	struct wire_reader r = wire_reader(list);
	struct wire_field f;

	/* A later entry of the same key replaces an earlier one. */
	def->first_output = b->shapes.n;
	while (wire_next(&r, &f))
		if (f.tag == WIRE_LEN(ATTR_VALUE_LIST_VALUE_SHAPE) && !read_shape(b, f.bytes, bad))
			return false;
	def->n_outputs = (uint32_t)(b->shapes.n - def->first_output);
	return r.bad ? fail(bad, r.bad) : true;
}

/* The member of AttrValue's oneof that counts is the last one. */
static bool read_attr_value(struct span value, struct wire_field *member, const char **bad)
{
	struct wire_reader r = wire_reader(value);
	struct wire_field f;

	member->tag = 0;
	while (wire_next(&r, &f))
		*member = f;
	return r.bad ? fail(bad, r.bad) : true;
}

static bool read_attr(struct node_defs *b, struct node_def *def, struct span entry,
	const char **bad)
{
	struct wire_reader r = wire_reader(entry);
	struct wire_field f, member;
	struct span key = {"", 0}, value = {"", 0};

	while (wire_next(&r, &f))
		if (f.tag == WIRE_LEN(MAP_KEY))
			key = f.bytes;
		else if (f.tag == WIRE_LEN(MAP_VALUE))
			value = f.bytes;
	if (r.bad)
		return fail(bad, r.bad);
	if (span_equal(key, SPAN("shape"))) {
		if (!read_attr_value(value, &member, bad))
			return false;
		if (member.tag == WIRE_LEN(ATTR_VALUE_SHAPE)) {
			def->shape = b->shapes.n;
			return read_shape(b, member.bytes, bad);
		}
	} else if (span_equal(key, SPAN("_output_shapes"))) {
		if (!read_attr_value(value, &member, bad))
			return false;
		if (member.tag == WIRE_LEN(ATTR_VALUE_LIST))
			return read_output_shapes(b, def, member.bytes, bad);
	}
	return true;
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

/* False if the message itself is malformed, or memory is out. */
static bool read_def(struct node_defs *b, struct span message, const char **bad)
{
	struct wire_reader r = wire_reader(message);
	struct wire_field f;
	struct node_def def = {.message = message,
		.name = {"", 0},
		.op = {"", 0},
		.shape = SIZE_MAX};
	size_t first_input = b->inputs.n;

	while (wire_next(&r, &f))
		switch (f.tag) {
		case WIRE_LEN(NODE_DEF_NAME): def.name = f.bytes; break;
		case WIRE_LEN(NODE_DEF_OP): def.op = f.bytes; break;
		case WIRE_LEN(NODE_DEF_INPUT):
			if (!vec_push(&b->inputs, read_input(f.bytes)))
				return fail(bad, NULL);
			break;
		case WIRE_LEN(NODE_DEF_ATTR):
			if (!def.is_damaged && !read_attr(b, &def, f.bytes, &def.bad)) {
				def.is_damaged = true;
				if (!def.bad)
					return fail(bad, NULL);
			}
			break;
		}
	if (r.bad)
		return fail(bad, r.bad);
	def.n_inputs = (uint32_t)(b->inputs.n - first_input);
	def.name_hash = strings_hash(def.name);
	def.op_hash = strings_hash(def.op);
	return vec_push(&b->defs, def) ? true : fail(bad, NULL);
}

void node_defs_read(struct node_defs *b, struct span piece)
{
	struct wire_reader r = wire_reader(piece);
	struct wire_field f;

	b->defs.n = b->inputs.n = b->shapes.n = b->dims.n = 0;
	b->failed = true;
	while (wire_next(&r, &f))
		if (f.tag == WIRE_LEN(GRAPH_DEF_NODE) && !read_def(b, f.bytes, &b->bad))
			return;
	b->bad = r.bad;
	b->failed = b->bad != NULL;
}

void node_defs_clear(struct node_defs *b)
{
	vec_clear(&b->defs);
	vec_clear(&b->inputs);
	vec_clear(&b->shapes);
	vec_clear(&b->dims);
}
