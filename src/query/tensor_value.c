#include "query/tensor_value.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "proto/fields.h"
#include "proto/wire_write.h"

#define TEXT_LIMIT 10000
#define OMITTED "...omitted from display\n\n"
#define CHUNK ((uint64_t)1 << 16)

static double six_digits(double value)
{
	char text[32];

	snprintf(text, sizeof(text), "%g", value);
	return strtod(text, NULL);
}

/* ---- strings --------------------------------------------------------- */

static void put_escaped(struct buf *b, unsigned char c)
{
	switch (c) {
	case '\n': buf_text(b, "\\n"); break;
	case '\r': buf_text(b, "\\r"); break;
	case '\t': buf_text(b, "\\t"); break;
	default: buf_printf(b, "\\x%02x", c);
	}
}

/* Escapes what a terminal or a protobuf string cannot hold. */
static void put_string(struct buf *b, struct span s, bool escape_controls)
{
	while (s.n) {
		unsigned char c = (unsigned char)s.at[0];
		int length = utf8_sequence((const unsigned char *)s.at, s.n);
		size_t n = length > 0 ? (size_t)length : 1;

		if (length < 0 || (escape_controls && (c < ' ' || c == 127)))
			put_escaped(b, c);
		else
			buf_put(b, s.at, n);
		s = (struct span){s.at + n, s.n - n};
	}
}

/* ---- text ------------------------------------------------------------ */

static void put_value(struct buf *b, const struct checkpoint_values *v)
{
	struct span s;

	switch (v->kind) {
	case DTYPE_INTEGER: buf_int(b, *v->integers); break;
	case DTYPE_NATURAL: buf_printf(b, "%llu", (unsigned long long)*v->naturals); break;
	case DTYPE_REAL: buf_printf(b, "%.2f", six_digits(*v->reals)); break;
	case DTYPE_COMPLEX:
		buf_printf(b, "%.2f%+.2fj", six_digits(v->complexes->real),
			six_digits(v->complexes->imaginary));
		break;
	case DTYPE_TEXT:
		/* Only as much as can be shown. */
		s = *v->texts;
		s.n = s.n < TEXT_LIMIT ? s.n : TEXT_LIMIT;
		buf_char(b, '\'');
		put_string(b, s, true);
		buf_char(b, '\'');
		break;
	default: return;
	}
	buf_char(b, ' ');
}

static void truncate_buf(struct buf *b, size_t n)
{
	if (b->n > n) {
		b->n = n;
		b->at[n] = '\0';
	}
}

/* Beyond the limit, each closing bracket would only replace the one before, so the text ends
 * with one. */
static enum tfprof_status put_text(struct checkpoint_reader *r, struct buf *text,
	struct tfprof_error *err)
{
	size_t start = text->n;
	struct checkpoint_walk walk;
	enum tfprof_status status = checkpoint_walk_begin(&walk, r, err);

	while (status == TFPROF_OK && !text->failed) {
		status = checkpoint_walk_next(&walk, err);
		if (status != TFPROF_OK || walk.event == CHECKPOINT_END)
			break;
		if (text->n - start >= TEXT_LIMIT) {
			truncate_buf(text, start + TEXT_LIMIT);
			buf_text(text, "],\n");
			break;
		}
		if (walk.event == CHECKPOINT_OPEN)
			buf_char(text, '[');
		else if (walk.event == CHECKPOINT_CLOSE)
			buf_text(text, "],\n");
		else
			put_value(text, &walk.value);
	}
	if (status == TFPROF_OK && text->n - start >= TEXT_LIMIT)
		buf_text(text, OMITTED);
	return status;
}

/* ---- message --------------------------------------------------------- */

static void put_double(struct buf *b, double value)
{
	value = six_digits(value);
	buf_put(b, &value, sizeof(value));
}

static void put_values(struct buf *message, const struct checkpoint_values *v)
{
	size_t start;

	for (size_t i = 0; i < v->n; i++)
		switch (v->kind) {
		case DTYPE_INTEGER:
		case DTYPE_NATURAL: wire_put_varint(message, v->naturals[i]); break;
		case DTYPE_REAL: put_double(message, v->reals[i]); break;
		case DTYPE_COMPLEX:
			put_double(message, v->complexes[i].real);
			put_double(message, v->complexes[i].imaginary);
			break;
		case DTYPE_TEXT:
			start = wire_open(message, TFPROF_TENSOR_VALUE_STR);
			put_string(message, v->texts[i], false);
			wire_close(message, start);
			break;
		default: return;
		}
}

static enum tfprof_status put_message(struct checkpoint_reader *r, struct buf *message,
	struct tfprof_error *err)
{
	uint64_t n = r->tensor->shape.n_elements;
	enum dtype_kind kind = r->type->kind;
	enum tfprof_status status;
	struct checkpoint_values v;
	size_t start = 0;

	/* Numbers are packed into one field, omitted if empty. */
	if (n && kind != DTYPE_TEXT)
		start = wire_open(message,
			kind == DTYPE_REAL || kind == DTYPE_COMPLEX ? TFPROF_TENSOR_VALUE_DOUBLE
								    : TFPROF_TENSOR_VALUE_INT64);
	for (uint64_t i = 0; i < n; i += CHUNK) {
		status = checkpoint_read(r, i, CHUNK, &v, err);
		if (status != TFPROF_OK)
			return status;
		put_values(message, &v);
		if (message->failed)
			return error_no_memory(err);
	}
	if (start)
		wire_close(message, start);
	return TFPROF_OK;
}

enum tfprof_status tensor_value_put(const struct checkpoint *ckpt,
	const struct checkpoint_tensor *tensor, struct buf *text, struct buf *message,
	struct tfprof_error *err)
{
	size_t text_start = text ? text->n : 0, message_start = message ? message->n : 0;
	struct checkpoint_reader r;
	enum tfprof_status status;

	if (message)
		wire_put_nonzero(message, TFPROF_TENSOR_DTYPE, tensor->dtype);
	status = checkpoint_reader_open(&r, ckpt, tensor, message != NULL, err);
	if (status == TFPROF_UNSUPPORTED)
		return TFPROF_OK;
	if (status == TFPROF_OK) {
		if (text)
			status = put_text(&r, text, err);
		if (status == TFPROF_OK && message)
			status = put_message(&r, message, err);
		checkpoint_reader_close(&r);
	}
	if (status == TFPROF_OK && ((text && text->failed) || (message && message->failed)))
		status = error_no_memory(err);
	/* Do not leave part of a tensor. */
	if (status != TFPROF_OK && text)
		truncate_buf(text, text_start);
	if (status != TFPROF_OK && message)
		truncate_buf(message, message_start);
	return status;
}
