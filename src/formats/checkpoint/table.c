#include "formats/checkpoint/table.h"

#include <inttypes.h>
#include <snappy-c.h>

#include "formats/checkpoint/crc32c.h"
#include "proto/wire.h"

#define FOOTER_SIZE 48
#define TRAILER_SIZE 5
#define MAGIC "\x57\xfb\x80\x8b\x24\x75\x47\xdb"

enum { TYPE_PLAIN, TYPE_SNAPPY };

struct handle {
	uint64_t offset, size;
};

static uint32_t load32(const char *at)
{
	uint32_t value;

	memcpy(&value, at, 4);
	return value;
}

static enum tfprof_status bad_block(const struct table *t, uint64_t offset,
	struct tfprof_error *err, const char *what)
{
	return error_set(err, TFPROF_FORMAT, "%.400s: block at byte %" PRIu64 ": %s", t->path,
		offset, what);
}

static bool read_handle(struct wire_reader *r, struct handle *h)
{
	return wire_varint(r, &h->offset) && wire_varint(r, &h->size);
}

/* Snappy expands 3 bytes to at most 64, so a larger length is not worth allocating
 * for. */
static enum tfprof_status uncompress(const struct table *t, const struct handle *h,
	struct span *content, struct arena *arena, struct tfprof_error *err)
{
	size_t n;
	char *to;

	if (snappy_uncompressed_length(content->at, content->n, &n) != SNAPPY_OK ||
		n / 64 > content->n / 3 + 1)
		return bad_block(t, h->offset, err, "its uncompressed length is invalid");
	to = arena_alloc(arena, n);
	if (!to)
		return error_no_memory(err);
	if (snappy_uncompress(content->at, content->n, to, &n) != SNAPPY_OK)
		return bad_block(t, h->offset, err, "snappy cannot uncompress it");
	*content = (struct span){to, n};
	return TFPROF_OK;
}

static enum tfprof_status read_block(const struct table *t, const struct handle *h,
	bool verify_huge, struct arena *arena, struct table_block *block, struct tfprof_error *err)
{
	uint64_t room = t->bytes.n - FOOTER_SIZE;
	enum tfprof_status status;
	struct span content;
	const char *trailer;
	uint64_t restarts;

	if (h->size > room || room - h->size < TRAILER_SIZE ||
		h->offset > room - h->size - TRAILER_SIZE)
		return error_set(err, TFPROF_FORMAT,
			"%.400s: block at byte %" PRIu64 ": its %" PRIu64 " bytes exceed the file",
			t->path, h->offset, h->size);
	content = (struct span){t->bytes.at + h->offset, (size_t)h->size};
	trailer = content.at + content.n;
	if (content.n <= TABLE_HUGE_BLOCK || verify_huge || *trailer != TYPE_PLAIN) {
		uint32_t crc = crc32c_extend(0, content.at, content.n + 1);

		if (!crc32c_matches(crc, load32(trailer + 1)))
			return bad_block(t, h->offset, err,
				"checksum mismatch, its bytes are corrupt");
	}
	if (*trailer == TYPE_SNAPPY) {
		status = uncompress(t, h, &content, arena, err);
		if (status != TFPROF_OK)
			return status;
	} else if (*trailer != TYPE_PLAIN) {
		return bad_block(t, h->offset, err, "its compression type is unknown");
	}
	if (content.n < 4)
		return bad_block(t, h->offset, err, "too short");
	restarts = load32(content.at + content.n - 4);
	if (restarts > (content.n - 4) / 4)
		return bad_block(t, h->offset, err, "more restarts than bytes");
	content.n -= 4 + 4 * (size_t)restarts;
	*block = (struct table_block){h->offset, content};
	return TFPROF_OK;
}

static enum tfprof_status bad_footer(const struct table *t, struct tfprof_error *err)
{
	return error_set(err, TFPROF_FORMAT,
		"%.400s: footer at byte %zu: it does not point to a block", t->path,
		t->bytes.n - FOOTER_SIZE);
}

bool table_has_magic(struct span bytes)
{
	return bytes.n >= FOOTER_SIZE && !memcmp(bytes.at + bytes.n - 8, MAGIC, 8);
}

enum tfprof_status table_open(struct table *t, const char *path, struct span bytes,
	struct tfprof_error *err)
{
	struct handle metaindex, index;
	enum tfprof_status status;
	struct table_block unused;
	struct wire_reader r;

	*t = (struct table){.path = path, .bytes = bytes};
	if (!table_has_magic(bytes))
		return error_set(err, TFPROF_FORMAT,
			"%.400s: not a table: its last 8 bytes are wrong", path);
	r = wire_reader((struct span){bytes.at + bytes.n - FOOTER_SIZE, FOOTER_SIZE - 8});
	if (!read_handle(&r, &metaindex) || !read_handle(&r, &index))
		return bad_footer(t, err);
	/* The metaindex is not used, but if it is damaged, so is the file. */
	status = read_block(t, &metaindex, true, &t->arena, &unused, err);
	if (status == TFPROF_OK)
		status = read_block(t, &index, true, &t->arena, &t->index, err);
	if (status == TFPROF_OK)
		return TFPROF_OK;
	table_close(t);
	/* These two blocks are right before the footer. If it says otherwise, the
	 * footer is damaged, not what it points to. */
	if (status == TFPROF_FORMAT &&
		(metaindex.offset + metaindex.size + TRAILER_SIZE != index.offset ||
			index.offset + index.size + TRAILER_SIZE != bytes.n - FOOTER_SIZE))
		return bad_footer(t, err);
	return status;
}

void table_close(struct table *t)
{
	arena_clear(&t->arena);
}

void table_begin(struct table_cursor *c, const struct table *t, struct arena *arena)
{
	*c = (struct table_cursor){.table = t, .arena = arena};
}

void table_end(struct table_cursor *c)
{
	buf_clear(&c->index_key.text);
	buf_clear(&c->data_key.text);
}

/* Reads one entry of a block; `key` has the previous one, maybe of the previous block.
 * Keys must ascend: seeking relies on it. */
static enum tfprof_status next_entry(const struct table *t, const struct table_block *block,
	size_t *at, struct table_key *key, struct span *value, struct tfprof_error *err)
{
	struct wire_reader r = wire_reader(block->entries);
	struct span old = buf_get(&key->text), rest;
	uint64_t shared, n_rest, size;

	r.at += *at;
	if (!wire_varint(&r, &shared) || !wire_varint(&r, &n_rest) || !wire_varint(&r, &size) ||
		n_rest > (uint64_t)(r.end - r.at) || size > (uint64_t)(r.end - r.at) - n_rest)
		return bad_block(t, block->offset, err, "an entry exceeds it");
	if (shared > (*at ? old.n : 0))
		return bad_block(t, block->offset, err,
			"an entry shares more than the previous key has");
	rest = (struct span){r.at, (size_t)n_rest};
	if (key->any &&
		span_compare((struct span){old.at + shared, old.n - (size_t)shared}, rest) >= 0)
		return bad_block(t, block->offset, err, "its keys are not in order");
	key->text.n = (size_t)shared;
	key->any = true;
	buf_span(&key->text, rest);
	if (key->text.failed)
		return error_no_memory(err);
	*value = (struct span){r.at + n_rest, (size_t)size};
	*at = (size_t)(value->at + value->n - block->entries.at);
	return TFPROF_OK;
}

/* Opens the data block of the next index entry, if any. Blocks must not overlap, so
 * the cost is bounded by the size of the file. */
static enum tfprof_status next_block(struct table_cursor *c, struct tfprof_error *err)
{
	const struct table *t = c->table;
	enum tfprof_status status;
	struct handle h;
	struct wire_reader r;
	struct span value;

	c->more = c->index_at < t->index.entries.n;
	if (!c->more)
		return TFPROF_OK;
	status = next_entry(t, &t->index, &c->index_at, &c->index_key, &value, err);
	if (status != TFPROF_OK)
		return status;
	r = wire_reader(value);
	if (!read_handle(&r, &h))
		return bad_block(t, t->index.offset, err, "an entry has no block handle");
	if (h.offset < c->blocks_end)
		return bad_block(t, h.offset, err, "it overlaps the previous block");
	/* Frequent seeks often return to the block that is open. */
	if (!c->data.entries.at || c->data.offset != h.offset) {
		status = read_block(t, &h, c->verify_huge, c->arena, &c->data, err);
		if (status != TFPROF_OK)
			return status;
	}
	c->data_at = 0;
	c->blocks_end = h.offset + h.size + TRAILER_SIZE;
	return TFPROF_OK;
}

enum tfprof_status table_next(struct table_cursor *c, struct tfprof_error *err)
{
	enum tfprof_status status;

	while (c->data_at >= c->data.entries.n) {
		status = next_block(c, err);
		if (status != TFPROF_OK || !c->more)
			return status;
	}
	status = next_entry(c->table, &c->data, &c->data_at, &c->data_key, &c->value, err);
	if (status != TFPROF_OK)
		return status;
	c->key = buf_get(&c->data_key.text);
	c->more = true;
	return TFPROF_OK;
}

static void rewind_cursor(struct table_cursor *c)
{
	c->index_at = 0;
	c->data_at = c->data.entries.n;
	c->blocks_end = 0;
	c->index_key.text.n = c->data_key.text.n = 0;
	c->index_key.any = c->data_key.any = false;
}

/* Moves the cursor before the index entry that covers `key`. */
static enum tfprof_status seek_block(struct table_cursor *c, struct span key,
	struct tfprof_error *err)
{
	const struct table *t = c->table;
	enum tfprof_status status = TFPROF_OK;
	struct table_key at_key = {0};
	struct span value;
	size_t at = 0;

	rewind_cursor(c);
	while (at < t->index.entries.n) {
		status = next_entry(t, &t->index, &at, &at_key, &value, err);
		if (status != TFPROF_OK || span_compare(buf_get(&at_key.text), key) >= 0)
			break;
		c->index_at = at;
		c->index_key.text.n = 0;
		c->index_key.any = true;
		buf_span(&c->index_key.text, buf_get(&at_key.text));
		if (c->index_key.text.failed) {
			status = error_no_memory(err);
			break;
		}
	}
	buf_clear(&at_key.text);
	return status;
}

enum tfprof_status table_seek(struct table_cursor *c, struct span key, struct tfprof_error *err)
{
	enum tfprof_status status = seek_block(c, key, err);

	while (status == TFPROF_OK) {
		status = table_next(c, err);
		if (status == TFPROF_OK && (!c->more || span_compare(c->key, key) >= 0))
			break;
	}
	return status;
}
