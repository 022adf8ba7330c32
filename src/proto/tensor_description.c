#include "proto/tensor_description.h"

#include <inttypes.h>

#include "proto/fields.h"
#include "proto/schema.h"

void tensor_description_reset(struct tensor_description *t)
{
	struct buf dims = t->dims;

	dims.n = 0;
	dims.failed = false;
	*t = (struct tensor_description){.dims = dims};
}

void tensor_description_clear(struct tensor_description *t)
{
	buf_clear(&t->dims);
	*t = (struct tensor_description){0};
}

/* ---- text ------------------------------------------------------------- */

/* The name of a DataType; NULL for a number that has none. */
static const char *get_dtype_name(int32_t dtype)
{
	const struct schema_message *const *message = schema_messages;
	const struct schema_enum *types;

	while (strcmp((*message)->name, "TensorDescription") != 0)
		message++;
	types = (*message)->fields[0].of.enumeration; /* dtype = 1 */
	for (uint32_t i = 0; i < types->n_values; i++)
		if (types->values[i].number == dtype)
			return types->values[i].name;
	return NULL;
}

static void put_dtype(struct buf *out, int32_t dtype)
{
	const char *name = get_dtype_name(dtype);

	if (dtype && name)
		buf_printf(out, "dtype: %s\n", name);
	else if (dtype)
		buf_printf(out, "dtype: %" PRId32 "\n", dtype);
}

static void put_int(struct buf *out, const char *name, int64_t value)
{
	if (value)
		buf_printf(out, "%s: %" PRId64 "\n", name, value);
}

/* What is beyond ASCII stays as it is. */
static void put_string(struct buf *out, const char *name, struct span text)
{
	if (!text.n)
		return;
	buf_text(out, name);
	buf_text(out, ": \"");
	for (size_t i = 0; i < text.n; i++) {
		unsigned char c = (unsigned char)text.at[i];

		if (c == '"' || c == '\'' || c == '\\')
			buf_printf(out, "\\%c", c);
		else if (c == '\n')
			buf_text(out, "\\n");
		else if (c == '\r')
			buf_text(out, "\\r");
		else if (c == '\t')
			buf_text(out, "\\t");
		else if (c < ' ' || c == 0x7f)
			buf_printf(out, "\\%03o", c);
		else
			buf_char(out, (char)c);
	}
	buf_text(out, "\"\n");
}

void tensor_description_text(const struct tensor_description *t, struct buf *out)
{
	put_dtype(out, t->dtype);
	if (t->has_shape) {
		buf_text(out, "shape {\n");
		buf_span(out, buf_get(&t->dims));
		if (t->unknown_rank)
			buf_text(out, "  unknown_rank: true\n");
		buf_text(out, "}\n");
	}
	if (t->has_allocation) {
		buf_text(out, "allocation_description {\n");
		put_int(out, "  requested_bytes", t->requested_bytes);
		put_int(out, "  allocated_bytes", t->allocated_bytes);
		put_string(out, "  allocator_name", t->allocator_name);
		put_int(out, "  allocation_id", t->allocation_id);
		if (t->has_single_reference)
			buf_text(out, "  has_single_reference: true\n");
		if (t->ptr)
			buf_printf(out, "  ptr: %" PRIu64 "\n", t->ptr);
		buf_text(out, "}\n");
	}
}

/* ---- reading ---------------------------------------------------------- */

/* Dims only ever come to their text, so that is what is kept. */
static bool read_dim(struct tensor_description *t, struct span message, const char **bad)
{
	struct wire_reader r = wire_reader(message);
	struct span name = {0};
	struct wire_field f;
	int64_t size = 0;

	while (wire_next(&r, &f))
		switch (f.tag) {
		case WIRE_VARINT(TENSOR_SHAPE_DIM_SIZE): size = (int64_t)f.value; break;
		case WIRE_LEN(TENSOR_SHAPE_DIM_NAME): name = f.bytes; break;
		}
	buf_text(&t->dims, "  dim {\n");
	put_int(&t->dims, "    size", size);
	put_string(&t->dims, "    name", name);
	buf_text(&t->dims, "  }\n");
	*bad = r.bad;
	return !r.bad;
}

static bool read_shape(struct tensor_description *t, struct span message, const char **bad)
{
	struct wire_reader r = wire_reader(message);
	struct wire_field f;

	t->has_shape = true;
	while (wire_next(&r, &f))
		switch (f.tag) {
		case WIRE_LEN(TENSOR_SHAPE_DIM):
			if (!read_dim(t, f.bytes, bad))
				return false;
			break;
		case WIRE_VARINT(TENSOR_SHAPE_UNKNOWN_RANK): t->unknown_rank = f.value != 0; break;
		}
	*bad = r.bad;
	return !r.bad;
}

static bool read_allocation(struct tensor_description *t, struct span message, const char **bad)
{
	struct wire_reader r = wire_reader(message);
	struct wire_field f;

	t->has_allocation = true;
	while (wire_next(&r, &f))
		switch (f.tag) {
		case WIRE_VARINT(ALLOCATION_DESCRIPTION_REQUESTED_BYTES):
			t->requested_bytes = (int64_t)f.value;
			break;
		case WIRE_VARINT(ALLOCATION_DESCRIPTION_ALLOCATED_BYTES):
			t->allocated_bytes = (int64_t)f.value;
			break;
		case WIRE_LEN(ALLOCATION_DESCRIPTION_ALLOCATOR_NAME):
			t->allocator_name = f.bytes;
			break;
		case WIRE_VARINT(ALLOCATION_DESCRIPTION_ALLOCATION_ID):
			t->allocation_id = (int64_t)f.value;
			break;
		case WIRE_VARINT(ALLOCATION_DESCRIPTION_HAS_SINGLE_REFERENCE):
			t->has_single_reference = f.value != 0;
			break;
		case WIRE_VARINT(ALLOCATION_DESCRIPTION_PTR): t->ptr = f.value; break;
		}
	*bad = r.bad;
	return !r.bad;
}

bool tensor_description_read(struct tensor_description *t, struct span message, const char **bad)
{
	struct wire_reader r = wire_reader(message);
	struct wire_field f;

	while (wire_next(&r, &f))
		switch (f.tag) {
		case WIRE_VARINT(TENSOR_DESCRIPTION_DTYPE): t->dtype = (int32_t)f.value; break;
		case WIRE_LEN(TENSOR_DESCRIPTION_SHAPE):
			if (!read_shape(t, f.bytes, bad))
				return false;
			break;
		case WIRE_LEN(TENSOR_DESCRIPTION_ALLOCATION_DESCRIPTION):
			if (!read_allocation(t, f.bytes, bad))
				return false;
			break;
		}
	*bad = r.bad;
	return !r.bad;
}
