#include "model/attr_text.h"

#include <inttypes.h>
#include <string.h>

#include "model/attrs.h"
#include "proto/schema.h"
#include "proto/tensor_shape.h"

enum { MAX_ITEMS = 16, MAX_TEXT = 200 };

static const struct schema_field *find_field(const struct schema_message *m, uint32_t number)
{
	for (uint32_t i = 0; i < m->n_fields; i++)
		if (m->fields[i].number == number)
			return &m->fields[i];
	return NULL;
}

/* The data types, as the schema of a graph has them: node, attr, value, type. */
static const struct schema_enum *data_types(void)
{
	static const uint32_t path[] = {GRAPH_DEF_NODE, NODE_DEF_ATTR, 2};
	const struct schema_message *m = &schema_graph_def;
	const struct schema_field *f;

	for (size_t i = 0; i < sizeof(path) / sizeof(*path); i++) {
		f = find_field(m, path[i]);
		if (!f || f->kind != SCHEMA_MESSAGE)
			return NULL;
		m = f->of.message;
	}
	f = find_field(m, ATTR_VALUE_TYPE);
	return f && f->kind == SCHEMA_ENUM ? f->of.enumeration : NULL;
}

/* DT_FLOAT is "float". */
static void put_type(struct buf *b, int64_t number)
{
	const struct schema_enum *types = data_types();

	for (uint32_t i = 0; types && i < types->n_values; i++) {
		const struct schema_value *v = &types->values[i];

		if (v->number != number || v->name_n <= 3)
			continue;
		for (uint32_t k = 3; k < v->name_n; k++)
			buf_char(b,
				(char)(v->name[k] >= 'A' && v->name[k] <= 'Z'
						? v->name[k] - 'A' + 'a'
						: v->name[k]));
		return;
	}
	buf_printf(b, "type %" PRId64, number);
}

static void put_shape(struct buf *b, struct decoder *d, struct span message)
{
	struct tensor_dims dims = tensor_dims(message);
	struct tensor_dim dim;
	int n = 0;

	while (tensor_dims_next(d, &dims, &dim) && n < MAX_ITEMS) {
		if (n++)
			buf_char(b, 'x');
		if (dim.size < 0)
			buf_char(b, '?');
		else
			buf_int(b, dim.size);
	}
	if (!n)
		buf_text(b, dims.unknown_rank ? "unknown" : "scalar");
}

static void put_float(struct buf *b, uint64_t bits)
{
	uint32_t low = (uint32_t)bits;
	float value;

	memcpy(&value, &low, sizeof(value));
	buf_printf(b, "%g", (double)value);
}

/* A single value; of a list the numbers of the fields are the same. */
static void put_value(struct buf *b, struct decoder *d, const struct wire_field *f)
{
	switch (f->tag >> 3) {
	case ATTR_VALUE_S:
		buf_put(b, f->bytes.at, f->bytes.n < MAX_TEXT ? f->bytes.n : MAX_TEXT);
		break;
	case ATTR_VALUE_I: buf_int(b, (int64_t)f->value); break;
	case ATTR_VALUE_F: put_float(b, f->value); break;
	case ATTR_VALUE_B: buf_text(b, f->value ? "true" : "false"); break;
	case ATTR_VALUE_TYPE: put_type(b, (int64_t)f->value); break;
	case ATTR_VALUE_SHAPE: put_shape(b, d, f->bytes); break;
	case ATTR_VALUE_TENSOR: buf_text(b, "(tensor)"); break;
	default: buf_text(b, "(function)");
	}
}

static bool is_packed(const struct wire_field *f)
{
	switch (f->tag) {
	case WIRE_LEN(ATTR_VALUE_LIST_VALUE_I):
	case WIRE_LEN(ATTR_VALUE_LIST_VALUE_B):
	case WIRE_LEN(ATTR_VALUE_LIST_VALUE_TYPE): return true;
	default: return false;
	}
}

/* Numbers mostly come packed; floats, as anything else that is long, are cut short. */
static int put_packed(struct buf *b, struct decoder *d, const struct wire_field *f, int n)
{
	struct wire_reader r = wire_reader(f->bytes);
	struct wire_field item = {.tag = f->tag};

	for (; n < MAX_ITEMS && decoder_next_packed(d, &r, &item.value); n++) {
		if (n)
			buf_text(b, ", ");
		put_value(b, d, &item);
	}
	return n;
}

static void put_list(struct buf *b, struct decoder *d, struct span message)
{
	struct wire_reader r = wire_reader(message);
	struct wire_field f;
	int n = 0;

	buf_char(b, '[');
	while (n < MAX_ITEMS && decoder_next(d, &r, &f)) {
		if (is_packed(&f)) {
			n = put_packed(b, d, &f, n);
			continue;
		}
		if (f.tag == WIRE_LEN(ATTR_VALUE_LIST_VALUE_F))
			continue;
		if (n++)
			buf_text(b, ", ");
		put_value(b, d, &f);
	}
	buf_text(b, n == MAX_ITEMS ? ", …]" : "]");
}

void attr_put_text(struct buf *b, struct decoder *d, struct span attr_value)
{
	struct wire_field f = attr_value_read(d, attr_value);

	if (f.tag == WIRE_LEN(ATTR_VALUE_LIST))
		put_list(b, d, f.bytes);
	else if (f.tag)
		put_value(b, d, &f);
}
