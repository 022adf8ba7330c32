#include "proto/tensor_description.h"

#include <inttypes.h>

#include "proto/schema.h"
#include "proto/tensor_shape.h"

/* ---- text ------------------------------------------------------------- */

/* The name of a DataType; NULL if the number is unknown. */
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

/* Non-ASCII bytes are not escaped. */
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

void tensor_description_text(const struct tensor_description *t, struct span dims, struct buf *out)
{
	put_dtype(out, t->dtype);
	if (t->has_shape) {
		buf_text(out, "shape {\n");
		buf_span(out, dims);
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

static void read_shape(struct decoder *d, struct tensor_description *t, struct span message,
	struct buf *text)
{
	struct tensor_dims dims = tensor_dims(message);
	struct tensor_dim dim;

	dims.unknown_rank = t->unknown_rank;
	while (tensor_dims_next(d, &dims, &dim)) {
		buf_text(text, "  dim {\n");
		put_int(text, "    size", dim.size);
		put_string(text, "    name", dim.name);
		buf_text(text, "  }\n");
	}
	decoder_alloc(d, !text->failed);
	t->unknown_rank = dims.unknown_rank;
}

static void read_allocation(struct decoder *d, struct tensor_description *t, struct span message)
{
	struct wire_reader r = wire_reader(message);
	struct wire_field f;

	t->has_allocation = true;
	while (decoder_next(d, &r, &f))
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
}

static void read_description(struct decoder *d, struct tensor_description *t, struct span message,
	struct buf *dims)
{
	struct wire_reader r = wire_reader(message);
	struct wire_field f;

	while (decoder_next(d, &r, &f))
		switch (f.tag) {
		case WIRE_VARINT(TENSOR_DESCRIPTION_DTYPE): t->dtype = (int32_t)f.value; break;
		case WIRE_LEN(TENSOR_DESCRIPTION_SHAPE):
			t->has_shape = true;
			t->shape = f.bytes;
			if (dims)
				read_shape(d, t, f.bytes, dims);
			break;
		case WIRE_LEN(TENSOR_DESCRIPTION_ALLOCATION_DESCRIPTION):
			read_allocation(d, t, f.bytes);
			break;
		}
}

void node_output_read(struct decoder *d, struct span message, struct node_output *output,
	struct buf *dims)
{
	struct wire_reader r = wire_reader(message);
	struct wire_field f;

	*output = (struct node_output){0};
	while (decoder_next(d, &r, &f))
		switch (f.tag) {
		case WIRE_VARINT(NODE_OUTPUT_SLOT): output->slot = (int32_t)f.value; break;
		case WIRE_LEN(NODE_OUTPUT_TENSOR_DESCRIPTION):
			read_description(d, &output->tensor, f.bytes, dims);
			break;
		}
}
