/* A stream returns a schema, then batches:
 *
 *     batch  struct array ── children[k] ── column k
 *     INT64  validity, numbers (shared)
 *     BOOL   validity, bits
 *     TEXT   validity, offsets, bytes (shared)
 *     TEXTS  validity, offsets ── child: a TEXT column of the items
 *
 * Readers may rely on valid UTF-8, so invalid text is copied with U+FFFD in place of
 * invalid sequences. */
#include "write/arrow.h"

#include <errno.h>
#include <stdatomic.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "query/table.h"

enum { BATCH_ROWS = 65536, MAX_BUFFERS = 3 };

/* An exported column: the caller's, or with its text made valid. */
struct source {
	struct tfprof_column column;
	char *bytes; /* NULL: the column's */
	int64_t *offsets;
};

/* The exported data, kept alive by the stream and by each array that shares it. */
struct hold {
	atomic_size_t n_users;
	struct arrow_table table;
	struct source *sources;
	size_t n_sources, n_rows;
};

struct stream {
	struct hold *hold;
	size_t next_row;
	int failed;
};

/* ---- valid text ------------------------------------------------------------- */

static size_t n_items(const struct tfprof_column *c)
{
	return c->type == TFPROF_COLUMN_TEXTS ? (size_t)c->lists[c->n_rows] : c->n_rows;
}

static bool is_valid(struct span text)
{
	const unsigned char *at = (const unsigned char *)text.at, *end = at + text.n;

	while (at < end) {
		uint64_t word;
		int length;

		if (end - at >= 8 && (memcpy(&word, at, 8), !(word & 0x8080808080808080))) {
			at += 8;
			continue;
		}
		length = utf8_sequence(at, (size_t)(end - at));
		if (length < 0)
			return false;
		at += length;
	}
	return true;
}

/* Copies an item, or only counts if `out` is NULL; returns the bytes of the copy. */
static size_t put_valid(char *out, struct span text)
{
	const unsigned char *at = (const unsigned char *)text.at, *end = at + text.n;
	size_t n = 0;

	while (at < end) {
		int length = utf8_sequence(at, (size_t)(end - at));
		const void *from = length > 0 ? (const void *)at : UTF8_REPLACEMENT;
		size_t n_from = length > 0 ? (size_t)length : strlen(UTF8_REPLACEMENT);

		if (out)
			memcpy(out + n, from, n_from);
		n += n_from;
		at += length > 0 ? length : -length;
	}
	return n;
}

static struct span item(const struct tfprof_column *c, size_t i)
{
	return (struct span){c->bytes + c->offsets[i], (size_t)(c->offsets[i + 1] - c->offsets[i])};
}

static bool make_valid(struct source *s)
{
	struct tfprof_column *c = &s->column;
	size_t n = n_items(c), bytes = 0;

	s->offsets = mem_array(n + 1, sizeof(*s->offsets));
	if (!s->offsets)
		return false;
	for (size_t i = 0; i < n; i++) {
		s->offsets[i] = (int64_t)bytes;
		bytes += put_valid(NULL, item(c, i));
	}
	s->offsets[n] = (int64_t)bytes;
	s->bytes = mem_alloc(bytes + 1);
	if (!s->bytes)
		return false;
	for (size_t i = 0; i < n; i++)
		put_valid(s->bytes + s->offsets[i], item(c, i));
	c->offsets = s->offsets;
	c->bytes = s->bytes;
	return true;
}

static bool has_text(const struct tfprof_column *c)
{
	return c->type == TFPROF_COLUMN_TEXT || c->type == TFPROF_COLUMN_TEXTS;
}

/* The text must be valid as a whole, and no item may end within a character. */
static bool init_source(struct source *s, const struct tfprof_column *column)
{
	size_t n;

	*s = (struct source){.column = *column};
	if (!has_text(column))
		return true;
	n = n_items(column);
	if (is_valid((struct span){column->bytes, (size_t)column->offsets[n]})) {
		size_t i = 0;

		while (i < n && (column->bytes[column->offsets[i]] & 0xc0) != 0x80)
			i++;
		if (i == n)
			return true;
	}
	return make_valid(s);
}

/* ---- schema ------------------------------------------------------------------- */

struct schema_column {
	struct ArrowSchema schema, item;
	struct ArrowSchema *child[1];
	char name[];
};

static const char *format_of(enum tfprof_column_type type)
{
	switch (type) {
	case TFPROF_COLUMN_TEXT: return "u";
	case TFPROF_COLUMN_TEXTS: return "+l";
	case TFPROF_COLUMN_BOOL: return "b";
	case TFPROF_COLUMN_DOUBLE: return "g";
	default: return "l";
	}
}

static void release_item(struct ArrowSchema *schema)
{
	schema->release = NULL;
}

static void release_schema(struct ArrowSchema *schema)
{
	for (int64_t i = 0; i < schema->n_children; i++)
		if (schema->children[i] && schema->children[i]->release)
			schema->children[i]->release(schema->children[i]);
	/* That of a column is in the block that is freed. */
	schema->release = NULL;
	mem_free(schema->private_data);
}

/* A reader may move a column out and keep it, so each has its own block and name. */
static struct ArrowSchema *make_column_schema(const struct tfprof_column *c)
{
	size_t n = strlen(c->name) + 1;
	struct schema_column *block = mem_zero(sizeof(*block) + n);

	if (!block)
		return NULL;
	memcpy(block->name, c->name, n);
	block->schema = (struct ArrowSchema){.format = format_of(c->type),
		.name = block->name,
		.flags = ARROW_FLAG_NULLABLE,
		.release = release_schema,
		.private_data = block};
	if (c->type == TFPROF_COLUMN_TEXTS) {
		block->item = (struct ArrowSchema){.format = "u",
			.name = "item",
			.flags = ARROW_FLAG_NULLABLE,
			.release = release_item};
		block->child[0] = &block->item;
		block->schema.children = block->child;
		block->schema.n_children = 1;
	}
	return &block->schema;
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
	struct stream *s = stream->private_data;
	size_t n = s->hold->n_sources;
	struct ArrowSchema **children = mem_zero_array(n + 1, sizeof(*children));

	s->failed = children ? 0 : ENOMEM;
	if (!children)
		return ENOMEM;
	*out = (struct ArrowSchema){.format = "+s",
		.name = "",
		.children = children,
		.release = release_schema,
		.private_data = children};
	for (size_t i = 0; i < n; i++) {
		children[i] = make_column_schema(&s->hold->sources[i].column);
		out->n_children++;
		if (!children[i]) {
			release_schema(out);
			return s->failed = ENOMEM;
		}
	}
	return 0;
}

/* ---- arrays ------------------------------------------------------------------- */

static void hold_release(struct hold *hold)
{
	if (atomic_fetch_sub(&hold->n_users, 1) > 1)
		return;
	for (size_t i = 0; hold->sources && i < hold->n_sources; i++) {
		mem_free(hold->sources[i].bytes);
		mem_free(hold->sources[i].offsets);
	}
	mem_free(hold->sources);
	vec_clear(&hold->table.columns);
	hold->table.release(hold->table.owner);
	mem_free(hold);
}

/* An array of a column, with its own buffers. A reader may move it out of the batch
 * and keep it longer. */
struct array_block {
	const void *buffers[MAX_BUFFERS];
	void *own[MAX_BUFFERS];
	struct ArrowArray item, *child[1];
	struct hold *hold;
};

static void release_array(struct ArrowArray *array)
{
	struct array_block *block = array->private_data;

	for (int64_t i = 0; i < array->n_children; i++)
		if (array->children[i]->release)
			array->children[i]->release(array->children[i]);
	for (size_t i = 0; i < MAX_BUFFERS; i++)
		mem_free(block->own[i]);
	if (block->hold)
		hold_release(block->hold);
	mem_free(block);
	array->release = NULL;
}

static struct array_block *init_array(struct ArrowArray *array, struct hold *hold, size_t n)
{
	struct array_block *block = mem_zero(sizeof(*block));

	*array = (struct ArrowArray){0};
	if (!block)
		return NULL;
	*array = (struct ArrowArray){.length = (int64_t)n,
		.n_buffers = 2,
		.buffers = block->buffers,
		.release = release_array,
		.private_data = block};
	if (hold)
		atomic_fetch_add(&hold->n_users, 1);
	block->hold = hold;
	return block;
}

static void *own_buffer(struct array_block *block, size_t i, size_t n, size_t size)
{
	block->buffers[i] = block->own[i] = mem_zero_array(n + 1, size);
	return block->own[i];
}

static void set_bit(unsigned char *bits, size_t i)
{
	bits[i / 8] |= (unsigned char)(1u << i % 8);
}

static int make_bits(struct array_block *block, const int64_t *numbers, size_t n)
{
	unsigned char *bits = own_buffer(block, 1, n / 8 + 1, 1);

	for (size_t i = 0; bits && i < n; i++)
		if (numbers[i])
			set_bit(bits, i);
	return bits ? 0 : ENOMEM;
}

static int make_validity(struct ArrowArray *array, const struct tfprof_column *c, size_t first,
	size_t n)
{
	unsigned char *valid = own_buffer(array->private_data, 0, n / 8 + 1, 1);

	for (size_t i = 0; valid && i < n; i++) {
		if (table_is_null(c, first + i))
			array->null_count++;
		else
			set_bit(valid, i);
	}
	return valid ? 0 : ENOMEM;
}

/* 32-bit offsets, relative to the first. */
static int make_offsets(struct array_block *block, const int64_t *offsets, size_t n)
{
	int32_t *made = own_buffer(block, 1, n + 1, sizeof(*made));

	if (offsets[n] - offsets[0] > INT32_MAX)
		return EOVERFLOW;
	for (size_t i = 0; made && i <= n; i++)
		made[i] = (int32_t)(offsets[i] - offsets[0]);
	return made ? 0 : ENOMEM;
}

/* The texts of `n` items from `first`. */
static int make_texts(struct ArrowArray *array, struct hold *hold, const struct tfprof_column *c,
	size_t first, size_t n)
{
	struct array_block *block = init_array(array, hold, n);

	if (!block)
		return ENOMEM;
	array->n_buffers = 3;
	block->buffers[2] = c->bytes + c->offsets[first];
	return make_offsets(block, c->offsets + first, n);
}

static int make_lists(struct ArrowArray *array, struct hold *hold, const struct tfprof_column *c,
	size_t first, size_t n)
{
	struct array_block *block = init_array(array, hold, n);
	size_t first_item = (size_t)c->lists[first];
	int failed;

	if (!block)
		return ENOMEM;
	failed = make_texts(&block->item, hold, c, first_item,
		(size_t)c->lists[first + n] - first_item);
	if (block->item.release) {
		block->child[0] = &block->item;
		array->children = block->child;
		array->n_children = 1;
	}
	return failed ? failed : make_offsets(block, c->lists + first, n);
}

static int make_numbers(struct ArrowArray *array, struct hold *hold, const struct tfprof_column *c,
	size_t first, size_t n)
{
	struct array_block *block = init_array(array, hold, n);

	if (!block)
		return ENOMEM;
	if (c->type == TFPROF_COLUMN_BOOL)
		return make_bits(block, c->numbers + first, n);
	if (c->type == TFPROF_COLUMN_DOUBLE)
		block->buffers[1] = c->doubles + first;
	else
		block->buffers[1] = c->numbers + first;
	return 0;
}

static int make_array(struct ArrowArray *array, struct hold *hold, const struct tfprof_column *c,
	size_t first, size_t n)
{
	int failed;

	switch (c->type) {
	case TFPROF_COLUMN_TEXT: failed = make_texts(array, hold, c, first, n); break;
	case TFPROF_COLUMN_TEXTS: return make_lists(array, hold, c, first, n);
	default: failed = make_numbers(array, hold, c, first, n);
	}
	return failed || !c->is_nullable ? failed : make_validity(array, c, first, n);
}

/* ---- batches -------------------------------------------------------------------- */

struct batch_block {
	const void *no_validity[1];
	struct ArrowArray *columns;
	struct ArrowArray *pointers[];
};

static void release_batch(struct ArrowArray *array)
{
	struct batch_block *block = array->private_data;

	for (int64_t i = 0; i < array->n_children; i++)
		if (array->children[i]->release)
			array->children[i]->release(array->children[i]);
	mem_free(block->columns);
	mem_free(block);
	array->release = NULL;
}

static int make_batch(struct ArrowArray *out, struct hold *hold, size_t first, size_t n)
{
	size_t n_columns = hold->n_sources;
	struct batch_block *block = mem_zero(sizeof(*block) + n_columns * sizeof(out));
	int failed = 0;

	if (block)
		block->columns = mem_zero_array(n_columns + 1, sizeof(*block->columns));
	if (!block || !block->columns) {
		mem_free(block);
		return ENOMEM;
	}
	*out = (struct ArrowArray){.length = (int64_t)n,
		.n_buffers = 1,
		.n_children = (int64_t)n_columns,
		.buffers = block->no_validity,
		.children = block->pointers,
		.release = release_batch,
		.private_data = block};
	for (size_t i = 0; i < n_columns; i++) {
		block->pointers[i] = &block->columns[i];
		if (!failed)
			failed = make_array(&block->columns[i], hold, &hold->sources[i].column,
				first, n);
	}
	if (failed)
		release_batch(out);
	return failed;
}

/* Halves the rows of a batch while its text is too long for 32-bit offsets. */
static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
	struct stream *s = stream->private_data;
	size_t left = s->hold->n_rows - s->next_row, n = left < BATCH_ROWS ? left : BATCH_ROWS;

	*out = (struct ArrowArray){0};
	s->failed = 0;
	if (!left)
		return 0;
	for (;; n /= 2) {
		s->failed = make_batch(out, s->hold, s->next_row, n);
		if (s->failed != EOVERFLOW || n == 1)
			break;
	}
	if (!s->failed)
		s->next_row += n;
	return s->failed;
}

/* ---- the stream ------------------------------------------------------------------ */

static const char *get_last_error(struct ArrowArrayStream *stream)
{
	struct stream *s = stream->private_data;

	return s->failed == EOVERFLOW ? "a text of more than 2 GiB does not fit in a column"
		: s->failed           ? "out of memory"
				      : NULL;
}

static void release_stream(struct ArrowArrayStream *stream)
{
	struct stream *s = stream->private_data;

	hold_release(s->hold);
	mem_free(s);
	stream->release = NULL;
}

static bool init_sources(struct hold *hold)
{
	hold->sources = mem_zero_array(hold->n_sources + 1, sizeof(*hold->sources));
	if (!hold->sources)
		return false;
	for (size_t i = 0; i < hold->n_sources; i++)
		if (!init_source(&hold->sources[i], &hold->table.columns.at[i]))
			return false;
	return true;
}

enum tfprof_status arrow_export(struct arrow_table *table, struct ArrowArrayStream *stream,
	struct tfprof_error *err)
{
	struct hold *hold = mem_zero(sizeof(*hold));
	struct stream *s = mem_zero(sizeof(*s));

	if (!hold || !s) {
		vec_clear(&table->columns);
		mem_free(hold);
		mem_free(s);
		return error_no_memory(err);
	}
	atomic_init(&hold->n_users, 1);
	hold->table = *table;
	hold->n_sources = table->columns.n;
	hold->n_rows = table->columns.n ? table->columns.at[0].n_rows : 0;
	table->use(table->owner);
	if (!init_sources(hold)) {
		hold_release(hold);
		mem_free(s);
		return error_no_memory(err);
	}
	s->hold = hold;
	*stream =
		(struct ArrowArrayStream){get_schema, get_next, get_last_error, release_stream, s};
	return TFPROF_OK;
}
