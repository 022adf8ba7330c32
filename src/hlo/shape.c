#include "hlo/shape.h"

/* One line per type: its name in shapes, and bytes per element. */
#define TYPES(X)                             \
	X(PRED, "pred", 1)                   \
	X(S1, "s1", 1)                       \
	X(S2, "s2", 1)                       \
	X(S4, "s4", 1)                       \
	X(S8, "s8", 1)                       \
	X(S16, "s16", 2)                     \
	X(S32, "s32", 4)                     \
	X(S64, "s64", 8)                     \
	X(U1, "u1", 1)                       \
	X(U2, "u2", 1)                       \
	X(U4, "u4", 1)                       \
	X(U8, "u8", 1)                       \
	X(U16, "u16", 2)                     \
	X(U32, "u32", 4)                     \
	X(U64, "u64", 8)                     \
	X(F16, "f16", 2)                     \
	X(F32, "f32", 4)                     \
	X(BF16, "bf16", 2)                   \
	X(F64, "f64", 8)                     \
	X(F8E5M2, "f8e5m2", 1)               \
	X(F8E4M3, "f8e4m3", 1)               \
	X(F8E4M3FN, "f8e4m3fn", 1)           \
	X(F8E4M3B11FNUZ, "f8e4m3b11fnuz", 1) \
	X(F8E3M4, "f8e3m4", 1)               \
	X(F8E5M2FNUZ, "f8e5m2fnuz", 1)       \
	X(F8E4M3FNUZ, "f8e4m3fnuz", 1)       \
	X(F4E2M1FN, "f4e2m1fn", 1)           \
	X(F8E8M0FNU, "f8e8m0fnu", 1)         \
	X(C64, "c64", 8)                     \
	X(C128, "c128", 16)                  \
	X(OPAQUE_TYPE, "opaque", 0)          \
	X(TOKEN, "token", 0)

static unsigned bytes_of_type(unsigned type)
{
	switch (type) {
#define X(id, name, bytes) \
	case PRIMITIVE_TYPE_##id: return bytes;
		TYPES(X)
#undef X
	default: return 0;
	}
}

struct span hlo_type_name(unsigned type)
{
	switch (type) {
#define X(id, name, bytes) \
	case PRIMITIVE_TYPE_##id: return SPAN(name);
		TYPES(X)
#undef X
	default: return SPAN("");
	}
}

struct layout {
	uint64_t element_bits, space;
};

static void read_layout(struct decoder *d, struct span message, struct layout *layout)
{
	struct wire_reader r = wire_reader(message);
	struct wire_field f;

	while (decoder_next(d, &r, &f))
		switch (f.tag) {
		case WIRE_VARINT(LAYOUT_ELEMENT_SIZE_IN_BITS):
			layout->element_bits = f.value;
			break;
		case WIRE_VARINT(LAYOUT_MEMORY_SPACE): layout->space = f.value; break;
		}
}

static bool has_any(struct decoder *d, const struct wire_field *f)
{
	struct wire_reader packed = wire_reader(f->bytes);
	uint64_t flag;
	bool any = (f->tag & 7) == WIRE_T_VARINT && f->value;

	while (!any && decoder_next_packed(d, &packed, &flag))
		any = flag;
	return any;
}

static void add_dims(struct hlo_program *p, struct decoder *d, const struct wire_field *f)
{
	struct wire_reader packed = wire_reader(f->bytes);
	uint64_t dim;

	if ((f->tag & 7) == WIRE_T_VARINT) {
		decoder_alloc(d, vec_push(&p->dims, (int64_t)f->value));
		return;
	}
	while (!d->failed && decoder_next_packed(d, &packed, &dim))
		decoder_alloc(d, vec_push(&p->dims, (int64_t)dim));
}

/* Bytes of an array. Arrays of a dynamic size also hold that, four bytes per dimension. */
static void measure(struct hlo_program *p, struct hlo_value *v, const struct layout *layout)
{
	enum { BYTE = 8, MOST_BITS = 128 };

	v->elements = 1;
	for (uint32_t i = 0; i < v->n_dims; i++) {
		int64_t dim = p->dims.at[v->first_dim + i];

		p->n_damaged += dim < 0;
		v->elements = hlo_product(v->elements, dim < 0 ? 0 : dim);
	}
	v->bytes = hlo_product(v->elements, bytes_of_type(v->type));
	if (layout->element_bits && layout->element_bits <= MOST_BITS) {
		int64_t bits = hlo_product(v->elements, (int64_t)layout->element_bits);

		v->bytes = bits / BYTE + (bits % BYTE != 0);
	}
	if (v->is_dynamic)
		hlo_add(&v->bytes, (int64_t)v->n_dims * 4);
	if (!bytes_of_type(v->type))
		v->elements = 0;
	v->space = layout->space;
}

/* Adds the value itself, without elements of a tuple. */
static void add_value(struct hlo_program *p, struct decoder *d, struct span message)
{
	struct hlo_value v = {.first_dim = (uint32_t)p->dims.n, .end = (uint32_t)p->values.n + 1};
	struct wire_reader r = wire_reader(message);
	struct layout layout = {0};
	struct wire_field f;

	while (!d->failed && decoder_next(d, &r, &f))
		switch (f.tag) {
		case WIRE_VARINT(SHAPE_ELEMENT_TYPE):
			v.type = f.value < UINT16_MAX ? (uint16_t)f.value : 0;
			break;
		case WIRE_VARINT(SHAPE_DIMENSIONS):
		case WIRE_LEN(SHAPE_DIMENSIONS): add_dims(p, d, &f); break;
		case WIRE_LEN(SHAPE_LAYOUT): read_layout(d, f.bytes, &layout); break;
		case WIRE_VARINT(SHAPE_IS_DYNAMIC_DIMENSION):
		case WIRE_LEN(SHAPE_IS_DYNAMIC_DIMENSION): v.is_dynamic |= has_any(d, &f); break;
		}
	decoder_alloc(d, p->dims.n < NONE - 1 && p->values.n < NONE - 1);
	if (d->failed)
		return;
	v.n_dims = (uint32_t)p->dims.n - v.first_dim;
	if (v.type != PRIMITIVE_TYPE_TUPLE)
		measure(p, &v, &layout);
	decoder_alloc(d, vec_push(&p->values, v));
}

struct level {
	struct wire_reader elements;
	uint32_t value;
};

/* Ends a tuple: its elements are all there. */
static void close_tuple(struct hlo_program *p, struct decoder *d, uint32_t tuple)
{
	struct hlo_value *v = &p->values.at[tuple];

	v->end = (uint32_t)p->values.n;
	v->first_element = (uint32_t)p->elements.n;
	for (uint32_t i = tuple + 1; i < v->end; i = p->values.at[i].end) {
		if (!decoder_alloc(d, vec_push(&p->elements, i)))
			return;
		v->n_elements++;
		hlo_add(&v->elements, p->values.at[i].elements);
		hlo_add(&v->bytes, p->values.at[i].bytes);
	}
}

void hlo_shape_add(struct hlo_program *p, struct decoder *d, struct span message)
{
	struct level levels[HLO_DEEPEST];
	size_t depth = 0;
	struct wire_field f;

	add_value(p, d, message);
	if (!d->failed && p->values.at[p->values.n - 1].type == PRIMITIVE_TYPE_TUPLE)
		levels[depth++] = (struct level){wire_reader(message), (uint32_t)p->values.n - 1};
	while (depth && !d->failed) {
		struct level *level = &levels[depth - 1];

		if (!decoder_find(d, &level->elements, WIRE_LEN(SHAPE_TUPLE_SHAPES), &f)) {
			close_tuple(p, d, level->value);
			depth--;
			continue;
		}
		add_value(p, d, f.bytes);
		if (d->failed || p->values.at[p->values.n - 1].type != PRIMITIVE_TYPE_TUPLE)
			continue;
		if (depth < HLO_DEEPEST)
			levels[depth++] =
				(struct level){wire_reader(f.bytes), (uint32_t)p->values.n - 1};
		else
			p->n_damaged++;
	}
}

/* ---- as text ------------------------------------------------------------- */

static void put_array(struct buf *b, const struct hlo_program *p, const struct hlo_value *v)
{
	buf_span(b, hlo_type_name(v->type));
	buf_char(b, '[');
	for (uint32_t i = 0; i < v->n_dims; i++)
		buf_printf(b, "%s%lld", i ? "," : "", (long long)p->dims.at[v->first_dim + i]);
	buf_char(b, ']');
}

void hlo_put_shape(struct buf *b, const struct hlo_program *p, uint32_t value)
{
	uint32_t open[HLO_DEEPEST + 1], end = p->values.at[value].end;
	size_t depth = 0;

	for (uint32_t i = value; i < end; i++) {
		const struct hlo_value *v = &p->values.at[i];

		if (i > value && b->n && b->at[b->n - 1] != '(')
			buf_char(b, ',');
		if (v->type != PRIMITIVE_TYPE_TUPLE) {
			put_array(b, p, v);
		} else {
			buf_char(b, '(');
			open[depth++] = v->end;
		}
		while (depth && open[depth - 1] == i + 1) {
			buf_char(b, ')');
			depth--;
		}
	}
}
