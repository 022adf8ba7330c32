/* An immutable sorted table, similar to LevelDB's: the index of a V2 checkpoint, or a
 * whole V1 checkpoint.
 *
 *     file  = data block … data block, metaindex block, index block, footer
 *     block = content, type (0 plain, 1 snappy), masked CRC-32C of both
 *     content = entry … entry, offsets of the restarts, their number (32 bits each)
 *     entry = shared, not shared, value size (varints), rest of the key, value
 *     footer (48 bytes) = metaindex handle, index handle, padding, magic
 *     handle = offset, size of the content (varints)
 *
 * An entry of the index block: key = at least every key of a data block, value = its
 * handle.
 *
 *     struct table table;
 *     struct table_cursor c;
 *     table_open(&table, path, bytes, err);
 *     table_begin(&c, &table, &arena);
 *     while ((status = table_next(&c, err)) == TFPROF_OK && c.more)
 *             c.key, c.value
 *     table_end(&c);
 *     table_close(&table);
 *
 * The checksum of every block is verified when it is opened. Errors name the file and
 * the block's offset. */
#ifndef TFPROF_FORMATS_CHECKPOINT_TABLE_H
#define TFPROF_FORMATS_CHECKPOINT_TABLE_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/span.h"

/* The checksum of a plain block larger than this is verified only on request
 * (`verify_huge`): it means reading the whole block, which is too slow for the first
 * values of a huge tensor. */
#define TABLE_HUGE_BLOCK ((size_t)64 << 20)

struct table_block {
	uint64_t offset;     /* in the file, for messages */
	struct span entries; /* decompressed, without the restarts */
};

struct table {
	const char *path; /* borrowed, like the bytes */
	struct span bytes;
	struct table_block index;
	struct arena arena; /* holds the index block if it was compressed */
};

/* Whether the bytes end like a table. */
bool table_has_magic(struct span bytes);

/* Reads the footer and the index block. Needs table_close() only on success. */
enum tfprof_status table_open(struct table *t, const char *path, struct span bytes,
	struct tfprof_error *err);
void table_close(struct table *t);

/* The key of an entry, built from the previous ones. */
struct table_key {
	struct buf text;
	bool any;
};

struct table_cursor {
	const struct table *table;
	struct arena *arena; /* decompressed blocks go here */
	bool verify_huge;    /* see TABLE_HUGE_BLOCK; may be set after table_begin */

	bool more;               /* false past the last entry */
	struct span key;         /* valid until the next call */
	struct span value;       /* aliases the file or the arena */
	struct table_block data; /* the block the entry is in */

	size_t index_at, data_at; /* the next entries in their blocks */
	uint64_t blocks_end;      /* where the data block and its trailer end */
	struct table_key index_key, data_key;
};

void table_begin(struct table_cursor *c, const struct table *t, struct arena *arena);
void table_end(struct table_cursor *c);

/* Moves to the next entry in key order. */
enum tfprof_status table_next(struct table_cursor *c, struct tfprof_error *err);

/* Moves to the first entry whose key is not less than `key`, wherever the cursor was.
 * Reads the index block and one or two data blocks. */
enum tfprof_status table_seek(struct table_cursor *c, struct span key, struct tfprof_error *err);

#endif
