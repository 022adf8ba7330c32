#include "load/xplane/hlo_shape.h"

#include "base/clamped.h"

static unsigned bytes_of_type(unsigned type)
{
	switch (type) {
	case PRIMITIVE_TYPE_PRED:
	case PRIMITIVE_TYPE_S8:
	case PRIMITIVE_TYPE_U8:
	case PRIMITIVE_TYPE_F8E5M2:
	case PRIMITIVE_TYPE_F8E4M3:
	case PRIMITIVE_TYPE_F8E4M3FN:
	case PRIMITIVE_TYPE_F8E4M3B11FNUZ:
	case PRIMITIVE_TYPE_F8E3M4:
	case PRIMITIVE_TYPE_F8E5M2FNUZ:
	case PRIMITIVE_TYPE_F8E4M3FNUZ:
	case PRIMITIVE_TYPE_F8E8M0FNU: return 1;
	case PRIMITIVE_TYPE_S16:
	case PRIMITIVE_TYPE_U16:
	case PRIMITIVE_TYPE_F16:
	case PRIMITIVE_TYPE_BF16: return 2;
	case PRIMITIVE_TYPE_S32:
	case PRIMITIVE_TYPE_U32:
	case PRIMITIVE_TYPE_F32: return 4;
	case PRIMITIVE_TYPE_S64:
	case PRIMITIVE_TYPE_U64:
	case PRIMITIVE_TYPE_F64:
	case PRIMITIVE_TYPE_C64: return 8;
	case PRIMITIVE_TYPE_C128: return 16;
	default: return 0;
	}
}

void hlo_read_ids(struct decoder *d, struct span message, uint32_t field, hlo_ids *ids)
{
	struct wire_reader r = wire_reader(message), packed;
	struct wire_field f;
	uint64_t id;

	ids->n = 0;
	while (decoder_next(d, &r, &f)) {
		if (f.tag == WIRE_VARINT(field))
			decoder_alloc(d, vec_push(ids, f.value));
		if (f.tag != WIRE_LEN(field))
			continue;
		packed = wire_reader(f.bytes);
		while (!d->failed && decoder_next_packed(d, &packed, &id))
			decoder_alloc(d, vec_push(ids, id));
	}
}

struct span hlo_get_shape(struct decoder *d, const struct hlo_instruction *i)
{
	struct wire_reader r = wire_reader(i->message);
	struct span shape = {"", 0};
	struct wire_field f;

	while (decoder_find(d, &r, WIRE_LEN(HLO_INSTRUCTION_SHAPE), &f))
		shape = f.bytes;
	return shape;
}

static void read_array(struct decoder *d, struct span message, struct hlo_shape *shape)
{
	struct wire_reader r = wire_reader(message), packed;
	struct wire_field f;
	uint64_t dim;

	shape->type = 0;
	shape->dims.n = 0;
	while (decoder_next(d, &r, &f))
		switch (f.tag) {
		case WIRE_VARINT(SHAPE_ELEMENT_TYPE): shape->type = (unsigned)f.value; break;
		case WIRE_VARINT(SHAPE_DIMENSIONS):
			decoder_alloc(d, vec_push(&shape->dims, (int64_t)f.value));
			break;
		case WIRE_LEN(SHAPE_DIMENSIONS):
			packed = wire_reader(f.bytes);
			while (!d->failed && decoder_next_packed(d, &packed, &dim))
				decoder_alloc(d, vec_push(&shape->dims, (int64_t)dim));
			break;
		}
}

/* Tuples may hold tuples: their elements are kept on a stack. */
void hlo_shape_read(struct decoder *d, struct span message, hlo_shape_fn *fn, void *context)
{
	VEC(struct span) waiting = {0};
	struct hlo_shape shape = {0};
	size_t i = 0, first;
	bool go_on = decoder_alloc(d, vec_push(&waiting, message));

	while (go_on && !d->failed && waiting.n) {
		struct span one = waiting.at[--waiting.n];
		struct wire_reader r = wire_reader(one);
		struct wire_field f;

		read_array(d, one, &shape);
		if (shape.type != PRIMITIVE_TYPE_TUPLE) {
			go_on = fn(context, i++, &shape);
			continue;
		}
		/* The last one pushed is read first, so they are reversed. */
		first = waiting.n;
		while (!d->failed && decoder_find(d, &r, WIRE_LEN(SHAPE_TUPLE_SHAPES), &f))
			decoder_alloc(d, vec_push(&waiting, f.bytes));
		for (size_t a = first, b = waiting.n; a + 1 < b; a++) {
			struct span swap = waiting.at[a];

			waiting.at[a] = waiting.at[--b];
			waiting.at[b] = swap;
		}
	}
	vec_clear(&waiting);
	vec_clear(&shape.dims);
}

static bool add_bytes(void *context, size_t i, const struct hlo_shape *shape)
{
	int64_t *sum = context, bytes = bytes_of_type(shape->type);

	for (size_t k = 0; k < shape->dims.n; k++)
		if (__builtin_mul_overflow(bytes, shape->dims.at[k], &bytes) || bytes < 0)
			bytes = INT64_MAX;
	add_clamped(sum, bytes);
	return true;
}

int64_t hlo_shape_bytes(struct decoder *d, struct span message)
{
	int64_t bytes = 0;

	hlo_shape_read(d, message, add_bytes, &bytes);
	return bytes;
}
