/* The file, whose format is that of https://arrow.apache.org/docs/format/Columnar.html:
 *
 *     "ARROW1\0\0"
 *     schema message
 *     batch message, body      one per batch of the stream
 *     …
 *     end of stream
 *     footer: the schema again, and where the batches are
 *     length of the footer, "ARROW1"
 *
 * A message is 0xffffffff, its length, a flatbuffer, and zeros up to a multiple of 8. The
 * flatbuffers have a handful of tables, so they are laid out here, from back to front as
 * usual: an object is written before what refers to it, and a position is counted from the end. */
#include "write/arrow_file.h"

#include <errno.h>

#include "base/vec.h"
#include "write/arrow.h"

/* ---- flatbuffers ----------------------------------------------------------------- */

/* The bytes so far, in reverse: `n` is the position of what was written last. */
struct flat {
	struct buf reversed;
};

typedef uint32_t flat_ref;

static void put_bytes(struct flat *f, const void *bytes, size_t n)
{
	const char *at = bytes;

	while (n)
		buf_char(&f->reversed, at[--n]);
}

/* So that, with `more` bytes in front, the position is a multiple of `size`. Without memory the
 * position stays where it is. */
static void align(struct flat *f, size_t size, size_t more)
{
	while (!f->reversed.failed && (f->reversed.n + more) % size)
		buf_char(&f->reversed, 0);
}

static void put_number(struct flat *f, uint64_t value, size_t size)
{
	char bytes[8];

	for (size_t i = 0; i < size; i++)
		bytes[i] = (char)(value >> 8 * i);
	align(f, size, size);
	put_bytes(f, bytes, size);
}

static flat_ref here(const struct flat *f)
{
	return (flat_ref)f->reversed.n;
}

static void put_ref(struct flat *f, flat_ref to)
{
	align(f, 4, 4);
	put_number(f, here(f) + 4 - to, 4);
}

static flat_ref put_text(struct flat *f, const char *text)
{
	size_t n = strlen(text);

	align(f, 4, n + 1);
	put_bytes(f, text, n + 1);
	put_number(f, n, 4);
	return here(f);
}

static flat_ref put_refs(struct flat *f, const flat_ref *refs, size_t n)
{
	align(f, 4, 4 * n);
	for (size_t i = n; i-- > 0;)
		put_ref(f, refs[i]);
	put_number(f, n, 4);
	return here(f);
}

/* A field of a table: a number of some bytes, or a reference (size 0); value 0 is absent
 * unless it is a number that is `given`. */
struct flat_field {
	size_t size;
	uint64_t value;
	bool given;
};

enum { MAX_FIELDS = 8 };

static flat_ref put_table(struct flat *f, const struct flat_field *fields, size_t n)
{
	flat_ref places[MAX_FIELDS] = {0}, table;
	size_t end;

	align(f, 8, 0);
	end = f->reversed.n;
	for (size_t i = n; i-- > 0;) {
		if (!fields[i].given)
			continue;
		if (fields[i].size)
			put_number(f, fields[i].value, fields[i].size);
		else
			put_ref(f, (flat_ref)fields[i].value);
		places[i] = here(f);
	}
	/* The table begins with the distance to its list of fields, which precedes it. */
	align(f, 4, 4);
	table = here(f) + 4;
	put_number(f, 4 + 2 * n, 4);
	for (size_t i = n; i-- > 0;)
		put_number(f, places[i] ? table - places[i] : 0, 2);
	put_number(f, table - end, 2);
	put_number(f, 4 + 2 * n, 2);
	return table;
}

#define NUMBER(size, value)                   \
	{                                     \
		size, (uint64_t)(value), true \
	}
#define REF(ref)             \
	{                    \
		0, ref, true \
	}
#define ABSENT              \
	{                   \
		0, 0, false \
	}

/* ---- the schema ------------------------------------------------------------------ */

enum { VERSION_V5 = 4, HEADER_SCHEMA = 1, HEADER_BATCH = 3 };
enum { TYPE_INT = 2, TYPE_FLOAT = 3, TYPE_TEXT = 5, TYPE_BOOL = 6, TYPE_LIST = 12 };

static flat_ref put_type(struct flat *f, const char *format, int *type)
{
	struct flat_field integer[] = {NUMBER(4, 64), NUMBER(1, 1)}; /* bits, signed */
	struct flat_field real[] = {NUMBER(2, 2)};                   /* double */

	switch (format[0]) {
	case 'l': *type = TYPE_INT; return put_table(f, integer, 2);
	case 'g': *type = TYPE_FLOAT; return put_table(f, real, 1);
	case 'b': *type = TYPE_BOOL; return put_table(f, NULL, 0);
	case 'u': *type = TYPE_TEXT; return put_table(f, NULL, 0);
	default: *type = TYPE_LIST; return put_table(f, NULL, 0);
	}
}

static flat_ref put_field(struct flat *f, const struct ArrowSchema *s)
{
	flat_ref child = s->n_children ? put_field(f, s->children[0]) : 0;
	flat_ref children = put_refs(f, &child, (size_t)s->n_children);
	flat_ref name = put_text(f, s->name);
	int type;
	flat_ref details = put_type(f, s->format, &type);
	struct flat_field fields[] = {REF(name), NUMBER(1, 1), NUMBER(1, type), REF(details),
		ABSENT, REF(children)};

	return put_table(f, fields, sizeof(fields) / sizeof(*fields));
}

/* 0 on allocation failure. */
static flat_ref put_schema(struct flat *f, const struct ArrowSchema *s)
{
	flat_ref *refs = mem_zero_array((size_t)s->n_children + 1, sizeof(*refs)), list;

	if (!refs)
		return 0;
	for (int64_t i = 0; i < s->n_children; i++)
		refs[i] = put_field(f, s->children[i]);
	list = put_refs(f, refs, (size_t)s->n_children);
	mem_free(refs);
	return put_table(f, (struct flat_field[]){NUMBER(2, 0), REF(list)}, 2);
}

/* ---- messages -------------------------------------------------------------------- */

struct block {
	uint64_t offset, header_bytes, body_bytes;
};

struct file {
	struct sink *out;
	uint64_t n_written;
	VEC(struct block) blocks;
	bool failed; /* to allocate */
};

static void put(struct file *file, const void *bytes, size_t n)
{
	sink_put(file->out, bytes, n);
	file->n_written += n;
}

static void put_u32(struct file *file, uint32_t value)
{
	unsigned char bytes[4] = {(unsigned char)value, (unsigned char)(value >> 8),
		(unsigned char)(value >> 16), (unsigned char)(value >> 24)};

	put(file, bytes, sizeof(bytes));
}

static void pad(struct file *file)
{
	static const char zeros[8];

	put(file, zeros, (8 - file->n_written % 8) % 8);
}

/* Writes the flatbuffer whose root is the last table, and clears it. */
static void put_flat(struct file *file, struct flat *f, flat_ref root)
{
	struct buf *b = &f->reversed;

	align(f, 8, 4);
	put_ref(f, root);
	file->failed |= b->failed;
	for (size_t i = 0, k = b->n; i + 1 < k; i++) {
		char c = b->at[i];

		b->at[i] = b->at[--k];
		b->at[k] = c;
	}
	put(file, buf_get(b).at, b->n);
	buf_clear(b);
}

/* Returns how many bytes the header takes. */
static uint64_t put_message(struct file *file, struct flat *f, int type, flat_ref header,
	uint64_t body_bytes)
{
	struct flat_field fields[] = {NUMBER(2, VERSION_V5), NUMBER(1, type), REF(header),
		NUMBER(8, body_bytes)};
	uint64_t start = file->n_written;
	flat_ref root = put_table(f, fields, 4);

	put_u32(file, UINT32_MAX);
	put_u32(file, (uint32_t)((f->reversed.n + 4 + 7) / 8 * 8));
	put_flat(file, f, root);
	return file->n_written - start;
}

/* ---- batches --------------------------------------------------------------------- */

/* What a batch consists of: its arrays in depth-first order, and their buffers. */
struct body {
	VEC(const struct ArrowArray *) nodes;
	VEC(struct span) buffers;
	bool ok;
};

static size_t buffer_bytes(const struct ArrowArray *a, const char *format, int64_t i)
{
	size_t n = (size_t)a->length;
	bool has_offsets = format[0] == 'u' || format[0] == '+';

	if (!a->buffers[i])
		return 0;
	if (i == 0 || format[0] == 'b')
		return (n + 7) / 8;
	if (i == 2)
		return (size_t)((const int32_t *)a->buffers[1])[n];
	return has_offsets ? (n + 1) * sizeof(int32_t) : n * sizeof(int64_t);
}

static void collect(struct body *body, const struct ArrowArray *a, const struct ArrowSchema *s)
{
	body->ok = body->ok && vec_push(&body->nodes, a);
	for (int64_t i = 0; body->ok && i < a->n_buffers; i++)
		body->ok = vec_push(&body->buffers,
			((struct span){a->buffers[i], buffer_bytes(a, s->format, i)}));
	for (int64_t i = 0; body->ok && i < a->n_children; i++)
		collect(body, a->children[i], s->children[i]);
}

static uint64_t padded(size_t n)
{
	return ((uint64_t)n + 7) / 8 * 8;
}

static flat_ref put_batch_header(struct flat *f, const struct body *body, int64_t n_rows,
	uint64_t *body_bytes)
{
	flat_ref buffers, nodes;
	uint64_t end;

	*body_bytes = 0;
	for (size_t i = 0; i < body->buffers.n; i++)
		*body_bytes += padded(body->buffers.at[i].n);
	end = *body_bytes;
	align(f, 8, 0);
	for (size_t i = body->buffers.n; i-- > 0;) {
		end -= padded(body->buffers.at[i].n);
		put_number(f, body->buffers.at[i].n, 8);
		put_number(f, end, 8);
	}
	put_number(f, body->buffers.n, 4);
	buffers = here(f);
	align(f, 8, 0);
	for (size_t i = body->nodes.n; i-- > 0;) {
		put_number(f, (uint64_t)body->nodes.at[i]->null_count, 8);
		put_number(f, (uint64_t)body->nodes.at[i]->length, 8);
	}
	put_number(f, body->nodes.n, 4);
	nodes = here(f);
	return put_table(f, (struct flat_field[]){NUMBER(8, n_rows), REF(nodes), REF(buffers)}, 3);
}

static void put_batch(struct file *file, const struct ArrowArray *batch,
	const struct ArrowSchema *schema)
{
	struct body body = {.ok = true};
	struct flat f = {0};
	struct block block = {.offset = file->n_written};

	for (int64_t i = 0; body.ok && i < batch->n_children; i++)
		collect(&body, batch->children[i], schema->children[i]);
	if (body.ok) {
		flat_ref header = put_batch_header(&f, &body, batch->length, &block.body_bytes);

		block.header_bytes = put_message(file, &f, HEADER_BATCH, header, block.body_bytes);
		for (size_t i = 0; i < body.buffers.n; i++) {
			put(file, body.buffers.at[i].at, body.buffers.at[i].n);
			pad(file);
		}
	}
	if (!body.ok || !vec_push(&file->blocks, block))
		file->failed = true;
	vec_clear(&body.nodes);
	vec_clear(&body.buffers);
}

/* ---- the file -------------------------------------------------------------------- */

static void put_footer(struct file *file, const struct ArrowSchema *schema)
{
	struct flat f = {0};
	flat_ref root, head = put_schema(&f, schema), blocks, none;
	uint64_t start;

	put_u32(file, UINT32_MAX);
	put_u32(file, 0);
	align(&f, 8, 0);
	for (size_t i = file->blocks.n; i-- > 0;) {
		const struct block *b = &file->blocks.at[i];

		put_number(&f, b->body_bytes, 8);
		put_number(&f, b->header_bytes, 8); /* 32 bits, and 32 of padding */
		put_number(&f, b->offset, 8);
	}
	put_number(&f, file->blocks.n, 4);
	blocks = here(&f);
	none = put_refs(&f, NULL, 0);
	root = put_table(&f,
		(struct flat_field[]){NUMBER(2, VERSION_V5), REF(head), REF(none), REF(blocks)}, 4);
	start = file->n_written;
	put_flat(file, &f, root);
	put_u32(file, (uint32_t)(file->n_written - start));
	put(file, "ARROW1", 6);
}

static int put_batches(struct file *file, struct ArrowArrayStream *stream,
	const struct ArrowSchema *schema)
{
	int failed = 0;

	while (!failed && !file->failed && !sink_failed(file->out)) {
		struct ArrowArray batch = {0};

		failed = stream->get_next(stream, &batch);
		if (failed || !batch.release)
			break;
		put_batch(file, &batch, schema);
		batch.release(&batch);
	}
	return failed;
}

enum tfprof_status arrow_file_write(struct ArrowArrayStream *stream, struct sink *out,
	struct tfprof_error *err)
{
	struct file file = {.out = out};
	struct ArrowSchema schema = {0};
	struct flat f = {0};
	int failed = stream->get_schema(stream, &schema);

	if (!failed) {
		put(&file, "ARROW1\0\0", 8);
		put_message(&file, &f, HEADER_SCHEMA, put_schema(&f, &schema), 0);
		failed = put_batches(&file, stream, &schema);
		put_footer(&file, &schema);
		schema.release(&schema);
	}
	stream->release(stream);
	vec_clear(&file.blocks);
	if (failed == EOVERFLOW)
		return error_set(err, TFPROF_UNSUPPORTED, "the texts of a batch exceed 2 GB");
	return failed || file.failed ? error_no_memory(err) : TFPROF_OK;
}

static void keep(void *owner)
{
}

enum tfprof_status arrow_file_write_columns(const struct tfprof_column *const *columns, size_t n,
	struct sink *out, struct tfprof_error *err)
{
	struct arrow_table table = {.use = keep, .release = keep};
	struct ArrowArrayStream stream;
	enum tfprof_status status;

	for (size_t i = 0; i < n; i++)
		if (!vec_push(&table.columns, *columns[i])) {
			vec_clear(&table.columns);
			return error_no_memory(err);
		}
	status = arrow_export(&table, &stream, err);
	return status == TFPROF_OK ? arrow_file_write(&stream, out, err) : status;
}
