/* Attributes of NodeDefs. */
#include "count/constant.h"
#include "load/op_graph.h"
#include "model/attrs.h"
#include "proto/tensor_shape.h"

static bool is_quantized(int dtype)
{
	return dtype == DT_QINT8 || dtype == DT_QUINT8 || dtype == DT_QINT32 || dtype == DT_INT8 ||
		dtype == DT_UINT8;
}

/* A constant of a real type may be a weight; the walk decides. */
static void read_constant(struct op_node_reader *r, struct span message, struct op_attr *attr)
{
	struct op_library *l = r->library;
	struct constant *c = arena_alloc(&r->graph->arena, sizeof(*c));

	if (!decoder_alloc(r->decoder, c != NULL))
		return;
	*c = constant_of_message(r->decoder, message);
	if (l->parameters && (dtype_is_real(c->tensor.dtype) || is_quantized(c->tensor.dtype))) {
		struct parameter p = {.tensor = c->tensor,
			.is_trainable = true,
			.is_constant = true};

		decoder_alloc(r->decoder, vec_push(l->parameters, p));
		c->tensor.parameter = (uint32_t)l->parameters->n;
	}
	attr->kind = OP_TENSOR;
	attr->constant = c;
}

static void keep_ints(struct op_node_reader *r, struct op_attr *attr, const int64_t *at, size_t n)
{
	int64_t *kept = arena_array(&r->graph->arena, n + 1, sizeof(*kept));

	if (!decoder_alloc(r->decoder, kept != NULL))
		return;
	memcpy(kept, at, n * sizeof(*kept));
	attr->n = (uint32_t)n;
	attr->ints = kept;
}

static void read_shape(struct op_node_reader *r, struct span message, struct op_attr *attr)
{
	struct tensor_dims dims = tensor_dims(message);
	struct tensor_dim dim;
	int64_t at[TENSOR_MAX_RANK];
	size_t n = 0;

	while (tensor_dims_next(r->decoder, &dims, &dim)) {
		if (n < TENSOR_MAX_RANK)
			at[n] = dim.size;
		n++;
	}
	attr->kind = OP_SHAPE;
	attr->n = OP_UNKNOWN_RANK;
	if (!dims.unknown_rank && n <= TENSOR_MAX_RANK)
		keep_ints(r, attr, at, n);
}

static struct span read_function_name(struct op_node_reader *r, struct span message)
{
	struct wire_reader in = wire_reader(message);
	struct wire_field f;
	struct span name = {"", 0};

	while (decoder_find(r->decoder, &in, WIRE_LEN(NAME_ATTR_LIST_NAME), &f))
		name = f.bytes;
	return name;
}

/* Lists of numbers (up to what any rule reads), of functions and of texts. */
static bool read_list(struct op_node_reader *r, struct span message, struct op_attr *attr)
{
	enum { MOST = 64 };
	struct wire_reader in = wire_reader(message), packed;
	struct wire_field f;
	int64_t ints[MOST];
	struct span texts[MOST];
	size_t n_ints = 0, n_texts = 0;
	uint64_t value;

	while (decoder_next(r->decoder, &in, &f))
		switch (f.tag) {
		case WIRE_VARINT(ATTR_VALUE_LIST_VALUE_I):
			if (n_ints < MOST)
				ints[n_ints++] = (int64_t)f.value;
			break;
		case WIRE_LEN(ATTR_VALUE_LIST_VALUE_I):
			packed = wire_reader(f.bytes);
			while (n_ints < MOST && decoder_next_packed(r->decoder, &packed, &value))
				ints[n_ints++] = (int64_t)value;
			break;
		case WIRE_LEN(ATTR_VALUE_LIST_VALUE_FUNC):
			if (n_texts < MOST)
				texts[n_texts++] = read_function_name(r, f.bytes);
			break;
		case WIRE_LEN(ATTR_VALUE_LIST_VALUE_S):
			if (n_texts < MOST)
				texts[n_texts++] = f.bytes;
			break;
		}
	if (n_texts) {
		struct span *kept = arena_array(&r->graph->arena, n_texts, sizeof(*kept));

		if (!decoder_alloc(r->decoder, kept != NULL))
			return false;
		memcpy(kept, texts, n_texts * sizeof(*kept));
		attr->kind = OP_TEXTS;
		attr->n = (uint32_t)n_texts;
		attr->texts = kept;
		return true;
	}
	attr->kind = OP_INTS;
	keep_ints(r, attr, ints, n_ints);
	return true;
}

static void set_bytes(struct op_attr *attr, enum op_attr_kind kind, struct span text)
{
	attr->kind = (uint8_t)kind;
	attr->n = text.n > UINT32_MAX ? 0 : (uint32_t)text.n;
	attr->text = text.at;
}

void op_attr_read(struct op_node_reader *r, struct span message)
{
	struct map_entry entry = map_entry_read(r->decoder, message);
	struct op_attr attr = {.id = (uint8_t)op_library_find_attr(r->library, entry.text_key)};
	struct wire_field value;
	uint32_t word;
	float real;

	if (attr.id == N_ATTRS)
		return;
	/* Nearly all nodes have it, but few need it. */
	if (attr.id == A__output_shapes) {
		set_bytes(&attr, OP_SHAPES, entry.value);
		decoder_alloc(r->decoder, vec_push(&r->graph->attrs, attr));
		return;
	}
	value = attr_value_read(r->decoder, entry.value);
	switch (value.tag) {
	case WIRE_VARINT(ATTR_VALUE_I):
	case WIRE_VARINT(ATTR_VALUE_B):
	case WIRE_VARINT(ATTR_VALUE_TYPE):
		attr.kind = OP_INT;
		attr.number = (int64_t)value.value;
		break;
	case WIRE_I32(ATTR_VALUE_F):
		word = (uint32_t)value.value;
		memcpy(&real, &word, sizeof(real));
		attr.kind = OP_REAL;
		attr.real = (double)real;
		break;
	case WIRE_LEN(ATTR_VALUE_S): set_bytes(&attr, OP_TEXT, value.bytes); break;
	case WIRE_LEN(ATTR_VALUE_FUNC):
		set_bytes(&attr, OP_TEXT, read_function_name(r, value.bytes));
		break;
	case WIRE_LEN(ATTR_VALUE_SHAPE): read_shape(r, value.bytes, &attr); break;
	case WIRE_LEN(ATTR_VALUE_TENSOR): read_constant(r, value.bytes, &attr); break;
	case WIRE_LEN(ATTR_VALUE_LIST):
		if (!read_list(r, value.bytes, &attr))
			return;
		break;
	default: return;
	}
	decoder_alloc(r->decoder, vec_push(&r->graph->attrs, attr));
}
