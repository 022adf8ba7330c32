#include "count/constant.h"

#include "formats/checkpoint/dtype.h"

struct constant constant_of_message(struct decoder *d, struct span message)
{
	struct wire_reader r = wire_reader(message);
	struct wire_field f;
	struct constant c = {.tensor = tensor_make(0, NULL, 0), .content = message};

	while (decoder_next(d, &r, &f))
		switch (f.tag) {
		case WIRE_VARINT(TENSOR_DTYPE): c.tensor.dtype = (int16_t)(f.value & 0xff); break;
		case WIRE_LEN(TENSOR_TENSOR_SHAPE):
			c.tensor = tensor_read(d, c.tensor.dtype, f.bytes);
			break;
		}
	return c;
}

/* Reads elements stored as they are in memory. */
static bool read_raw(struct tensor *t, struct span raw, union number *to)
{
	const struct dtype_info *type = dtype_get((uint32_t)t->dtype);
	size_t n = (size_t)tensor_elements(t);

	if (!type->size || raw.n != n * type->size)
		return false;
	switch (type->kind) {
	case DTYPE_INTEGER:
	case DTYPE_NATURAL:
	case DTYPE_REAL:
		if (dtype_is_real(t->dtype) != (type->kind == DTYPE_REAL))
			return false;
		dtype_decode(type, raw.at, false, n, to);
		return true;
	default: return false;
	}
}

static union number decode_bits(const struct tensor *t, uint32_t tag, uint64_t bits)
{
	union number x = {.i = (int64_t)bits};

	if (!dtype_is_real(t->dtype))
		return x;
	if (tag == TENSOR_FLOAT_VAL) {
		uint32_t word = (uint32_t)bits;
		float value;

		memcpy(&value, &word, sizeof(value));
		x.d = value;
	} else if (tag == TENSOR_DOUBLE_VAL) {
		memcpy(&x.d, &bits, sizeof(x.d));
	} else {
		x.d = dtype_real(dtype_get((uint32_t)t->dtype), (uint32_t)bits);
	}
	return x;
}

/* Reads the values of one field, packed or not. Returns how many there are now. */
static size_t read_field(struct decoder *d, const struct tensor *t, const struct wire_field *f,
	union number *to, size_t at, size_t n)
{
	uint32_t number = f->tag >> 3;
	size_t width = number == TENSOR_FLOAT_VAL ? 4 : number == TENSOR_DOUBLE_VAL ? 8 : 0;

	if ((f->tag & 7) != WIRE_T_LEN) {
		if (at < n)
			to[at++] = decode_bits(t, number, f->value);
	} else if (width) {
		for (size_t i = 0; i + width <= f->bytes.n && at < n; i += width) {
			uint64_t bits = 0;

			memcpy(&bits, f->bytes.at + i, width);
			to[at++] = decode_bits(t, number, bits);
		}
	} else {
		struct wire_reader r = wire_reader(f->bytes);
		uint64_t bits;

		while (at < n && decoder_next_packed(d, &r, &bits))
			to[at++] = decode_bits(t, number, bits);
	}
	return at;
}

static bool read_message(struct tensor *t, struct span message, union number *to)
{
	struct decoder d = {0};
	struct wire_reader r = wire_reader(message);
	struct wire_field f;
	size_t n = (size_t)tensor_elements(t), at = 0;

	while (decoder_next(&d, &r, &f))
		switch (f.tag >> 3) {
		case TENSOR_TENSOR_CONTENT:
			if (f.tag == WIRE_LEN(TENSOR_TENSOR_CONTENT) && f.bytes.n)
				return read_raw(t, f.bytes, to);
			break;
		case TENSOR_FLOAT_VAL:
		case TENSOR_DOUBLE_VAL:
		case TENSOR_INT_VAL:
		case TENSOR_INT64_VAL:
		case TENSOR_BOOL_VAL:
		case TENSOR_HALF_VAL:
		case TENSOR_UINT32_VAL:
		case TENSOR_UINT64_VAL: at = read_field(&d, t, &f, to, at, n); break;
		}
	if (d.failed || !dtype_get((uint32_t)t->dtype)->size)
		return false;
	/* The last value is repeated; without any, all are 0. */
	for (; at < n; at++)
		to[at] = at ? to[at - 1] : (union number){0};
	return true;
}

void constant_read(const struct constant *c, struct eval *e)
{
	int64_t n = tensor_elements(&c->tensor);
	union number *to;

	/* A larger real tensor is a weight, not a value to compute shapes with. */
	if (n > 64 && dtype_is_real(c->tensor.dtype))
		return;
	to = n >= 0 ? eval_values(e, e->out) : NULL;
	if (to &&
		!(c->is_raw ? read_raw(e->out, c->content, to)
			    : read_message(e->out, c->content, to)))
		e->out->values = NULL;
}
