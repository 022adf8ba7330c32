/* Tables that TensorFlow wrote (tests/data/checkpoint), and small ones made
 * here whose checksums are right but nothing else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "formats/checkpoint/crc32c.h"
#include "formats/checkpoint/mapping.h"
#include "formats/checkpoint/table.h"
#include "proto/wire_write.h"

#define INDEX TEST_DATA "/checkpoint/single/model.ckpt.index"
#define SNAPPY_INDEX TEST_DATA "/checkpoint/snappy/model.ckpt.index"

/* ---- making them ----------------------------------------------------- */

static void put_fixed32(struct buf *b, uint32_t value)
{
	buf_put(b, &value, 4);
}

static void put_entry(struct buf *b, unsigned shared, const char *rest, const char *value)
{
	wire_put_varint(b, shared);
	wire_put_varint(b, strlen(rest));
	wire_put_varint(b, strlen(value));
	buf_text(b, rest);
	buf_text(b, value);
}

/* Adds a block with one restart to a file; `handle` gets where it is. */
static void put_block(struct buf *file, const struct buf *entries, char type, struct buf *handle)
{
	size_t start = file->n;

	handle->n = 0;
	buf_span(file, buf_get(entries));
	put_fixed32(file, 0);
	put_fixed32(file, 1);
	wire_put_varint(handle, start);
	wire_put_varint(handle, file->n - start);
	buf_char(file, type);
	put_fixed32(file, crc32c_mask(crc32c_extend(0, file->at + start, file->n - start)));
}

static void put_index_entry(struct buf *index, const char *key, const struct buf *handle)
{
	wire_put_varint(index, 0);
	wire_put_varint(index, strlen(key));
	wire_put_varint(index, handle->n);
	buf_text(index, key);
	buf_span(index, buf_get(handle));
}

static void put_end(struct buf *file, const struct buf *index)
{
	struct buf empty = {0}, metaindex = {0}, handle = {0};
	size_t start;

	put_block(file, &empty, 0, &metaindex);
	put_block(file, index, 0, &handle);
	start = file->n;
	buf_span(file, buf_get(&metaindex));
	buf_span(file, buf_get(&handle));
	buf_fill(file, 0, start + 40 - file->n);
	buf_put(file, "\x57\xfb\x80\x8b\x24\x75\x47\xdb", 8);
	buf_clear(&metaindex);
	buf_clear(&handle);
}

/* A table of one data block. */
static void make(struct buf *file, const struct buf *entries, char type)
{
	struct buf index = {0}, handle = {0};

	put_block(file, entries, type, &handle);
	put_index_entry(&index, "zzz", &handle);
	put_end(file, &index);
	buf_clear(&index);
	buf_clear(&handle);
}

/* Walks all of a table; the status that ends it, and how many entries came. */
static enum tfprof_status walk(struct span bytes, size_t *n, struct tfprof_error *err)
{
	struct arena arena = {0};
	struct table_cursor c;
	struct table t;
	enum tfprof_status status = table_open(&t, "file", bytes, err);

	*n = 0;
	if (status != TFPROF_OK)
		return status;
	table_begin(&c, &t, &arena);
	while ((status = table_next(&c, err)) == TFPROF_OK && c.more)
		++*n;
	table_end(&c);
	table_close(&t);
	arena_clear(&arena);
	return status;
}

static void expect_bad(struct buf *file, const char *text)
{
	struct tfprof_error err = {0};
	size_t n;

	assert_int_equal(walk(buf_get(file), &n, &err), TFPROF_FORMAT);
	assert_string_equal(err.text, text);
	buf_clear(file);
}

/* ---- real ones ------------------------------------------------------- */

static void test_walk(void **state)
{
	struct mapped_file file;
	struct table t;
	struct table_cursor c;
	struct arena arena = {0};
	struct buf last = {0};
	size_t n = 0;

	for (int snappy = 0; snappy < 2; snappy++, n = 0) {
		const char *path = snappy ? SNAPPY_INDEX : INDEX;

		assert_int_equal(mapping_open(&file, path, NULL), TFPROF_OK);
		assert_true(table_has_magic(file.bytes));
		assert_int_equal(table_open(&t, path, file.bytes, NULL), TFPROF_OK);
		table_begin(&c, &t, &arena);
		while (table_next(&c, NULL) == TFPROF_OK && c.more) {
			if (n++ == 0)
				assert_int_equal(c.key.n, 0);
			else
				assert_true(span_compare(buf_get(&last), c.key) < 0);
			last.n = 0;
			buf_span(&last, c.key);
			assert_true(c.value.n > 0);
		}
		assert_int_equal(n, snappy ? 15 : 10);
		/* Past the end it stays there. */
		assert_int_equal(table_next(&c, NULL), TFPROF_OK);
		assert_false(c.more);
		table_end(&c);
		table_close(&t);
		mapped_file_close(&file);
	}
	buf_clear(&last);
	arena_clear(&arena);
}

/* Each key by itself, and what comes after it, in any order. */
static void test_seek(void **state)
{
	struct mapped_file file;
	struct span keys[32];
	struct arena arena = {0};
	struct table_cursor c;
	struct table t;
	size_t n = 0;

	assert_int_equal(mapping_open(&file, SNAPPY_INDEX, NULL), TFPROF_OK);
	assert_int_equal(table_open(&t, SNAPPY_INDEX, file.bytes, NULL), TFPROF_OK);
	table_begin(&c, &t, &arena);
	while (table_next(&c, NULL) == TFPROF_OK && c.more)
		keys[n++] = arena_copy(&arena, c.key);
	for (size_t i = 0; i < n; i++) {
		size_t k = i * 7 % n;
		char after[64];
		struct span next = {after, keys[k].n + 1};

		assert_int_equal(table_seek(&c, keys[k], NULL), TFPROF_OK);
		assert_true(c.more && span_equal(c.key, keys[k]));
		assert_int_equal(table_next(&c, NULL), TFPROF_OK);
		assert_true(k + 1 == n ? !c.more : span_equal(c.key, keys[k + 1]));
		memcpy(after, keys[k].at, keys[k].n);
		after[keys[k].n] = '\0';
		assert_int_equal(table_seek(&c, next, NULL), TFPROF_OK);
		assert_true(k + 1 == n ? !c.more : span_equal(c.key, keys[k + 1]));
	}
	table_end(&c);
	table_close(&t);
	mapped_file_close(&file);
	arena_clear(&arena);
}

static void test_out_of_memory(void **state)
{
	struct mapped_file file;
	struct tfprof_error err;
	enum tfprof_status status;
	size_t n, nth = 0;

	assert_int_equal(mapping_open(&file, SNAPPY_INDEX, NULL), TFPROF_OK);
	do {
		mem_fail_at(++nth);
		status = walk(file.bytes, &n, &err);
		mem_fail_at(0);
		assert_true(status == TFPROF_OK || status == TFPROF_NO_MEMORY);
	} while (status != TFPROF_OK);
	assert_true(nth > 3);
	mapped_file_close(&file);
}

/* ---- made-up ones ---------------------------------------------------- */

static void test_made_up(void **state)
{
	struct buf file = {0}, entries = {0};
	struct tfprof_error err;
	size_t n;

	put_entry(&entries, 0, "", "header");
	put_entry(&entries, 0, "abc", "1");
	put_entry(&entries, 2, "d", "2");
	put_entry(&entries, 3, "e", "");
	make(&file, &entries, 0);
	assert_int_equal(walk(buf_get(&file), &n, &err), TFPROF_OK);
	assert_int_equal(n, 4);
	buf_clear(&file);
	buf_clear(&entries);
	/* An empty block is none to stop at. */
	make(&file, &entries, 0);
	assert_int_equal(walk(buf_get(&file), &n, &err), TFPROF_OK);
	assert_int_equal(n, 0);
	buf_clear(&file);
}

static void test_bad_entries(void **state)
{
	struct buf file = {0}, entries = {0};

	put_entry(&entries, 0, "b", "1");
	put_entry(&entries, 0, "a", "2");
	make(&file, &entries, 0);
	expect_bad(&file, "file: block at byte 0: its keys are not in order");
	entries.n = 0;
	put_entry(&entries, 0, "b", "1");
	put_entry(&entries, 0, "b", "2");
	make(&file, &entries, 0);
	expect_bad(&file, "file: block at byte 0: its keys are not in order");
	entries.n = 0;
	put_entry(&entries, 0, "b", "1");
	put_entry(&entries, 2, "c", "2");
	make(&file, &entries, 0);
	expect_bad(&file, "file: block at byte 0: an entry shares more than the previous key has");
	entries.n = 0;
	put_entry(&entries, 1, "b", "1");
	make(&file, &entries, 0);
	expect_bad(&file, "file: block at byte 0: an entry shares more than the previous key has");
	entries.n = 0;
	put_entry(&entries, 0, "b", "1");
	entries.n--;
	make(&file, &entries, 0);
	expect_bad(&file, "file: block at byte 0: an entry exceeds it");
	entries.n = 0;
	buf_put(&entries, "\xff\xff\xff", 3);
	make(&file, &entries, 0);
	expect_bad(&file, "file: block at byte 0: an entry exceeds it");
	buf_clear(&entries);
}

static void test_bad_blocks(void **state)
{
	struct buf file = {0}, entries = {0}, index = {0}, handle = {0};

	put_entry(&entries, 0, "b", "1");
	make(&file, &entries, 2);
	expect_bad(&file, "file: block at byte 0: its compression type is unknown");
	make(&file, &entries, 1);
	expect_bad(&file, "file: block at byte 0: snappy cannot uncompress it");

	/* Two entries of the index for one block. */
	put_block(&file, &entries, 0, &handle);
	put_index_entry(&index, "b", &handle);
	put_index_entry(&index, "c", &handle);
	put_end(&file, &index);
	expect_bad(&file, "file: block at byte 0: it overlaps the previous block");

	/* Keys that go back from one block to the next. */
	index.n = 0;
	put_block(&file, &entries, 0, &handle);
	put_index_entry(&index, "b", &handle);
	put_block(&file, &entries, 0, &handle);
	put_index_entry(&index, "c", &handle);
	put_end(&file, &index);
	expect_bad(&file, "file: block at byte 18: its keys are not in order");

	/* A handle that leads out of the file, and none at all. */
	index.n = handle.n = 0;
	wire_put_varint(&handle, 7);
	wire_put_varint(&handle, UINT64_MAX);
	put_index_entry(&index, "b", &handle);
	put_end(&file, &index);
	expect_bad(&file, "file: block at byte 7: its 18446744073709551615 bytes exceed the file");
	index.n = handle.n = 0;
	put_index_entry(&index, "b", &handle);
	put_end(&file, &index);
	expect_bad(&file, "file: block at byte 13: an entry has no block handle");
	buf_clear(&entries);
	buf_clear(&index);
	buf_clear(&handle);
}

static void test_restarts(void **state)
{
	struct buf file = {0}, handle = {0}, index = {0};
	uint32_t crc;

	put_fixed32(&file, 3);
	buf_char(&file, 0);
	crc = crc32c_mask(crc32c_extend(0, file.at, file.n));
	put_fixed32(&file, crc);
	wire_put_varint(&handle, 0);
	wire_put_varint(&handle, 4);
	put_index_entry(&index, "b", &handle);
	put_end(&file, &index);
	expect_bad(&file, "file: block at byte 0: more restarts than bytes");
	buf_clear(&handle);
	buf_clear(&index);
}

static void test_no_table(void **state)
{
	struct buf file = {0};

	buf_fill(&file, 0, 47);
	expect_bad(&file, "file: not a table: its last 8 bytes are wrong");
	buf_fill(&file, '\xff', 40);
	buf_put(&file, "\x57\xfb\x80\x8b\x24\x75\x47\xdb", 8);
	expect_bad(&file, "file: footer at byte 0: it does not point to a block");
	buf_fill(&file, 0, 40);
	buf_put(&file, "\x57\xfb\x80\x8b\x24\x75\x47\xdb", 8);
	expect_bad(&file, "file: footer at byte 0: it does not point to a block");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_walk),
		cmocka_unit_test(test_seek),
		cmocka_unit_test(test_out_of_memory),
		cmocka_unit_test(test_made_up),
		cmocka_unit_test(test_bad_entries),
		cmocka_unit_test(test_bad_blocks),
		cmocka_unit_test(test_restarts),
		cmocka_unit_test(test_no_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
