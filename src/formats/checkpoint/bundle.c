/* V2 checkpoints: the index.
 *
 *     ""              BundleHeaderProto: number of shards, byte order
 *     tensor name     BundleEntryProto: type, shape, shard, offset, size, crc,
 *                     or the slices it was saved in
 *     slice key       BundleEntryProto of one slice
 */
#include "formats/checkpoint/impl.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/sort.h"
#include "formats/checkpoint/mapping.h"
#include "proto/decoder.h"

struct entry {
	struct span key;
	uint32_t dtype;
	struct tensor_shape shape;
	uint32_t shard, crc;
	uint64_t offset, size;
	struct span message;
	bool has_slices;
	bool is_slice;
};

struct index {
	struct checkpoint *ckpt;
	const char *path;
	uint32_t n_shards;
	VEC(struct entry) entries; /* in byte order of keys */
};

static enum tfprof_status read_header(struct index *x, struct span message,
	struct tfprof_error *err)
{
	struct wire_reader r = wire_reader(message);
	struct decoder d = {0};
	struct wire_field f;

	while (decoder_next(&d, &r, &f))
		switch (f.tag) {
		case WIRE_VARINT(BUNDLE_HEADER_NUM_SHARDS): x->n_shards = (uint32_t)f.value; break;
		case WIRE_VARINT(BUNDLE_HEADER_ENDIANNESS):
			x->ckpt->swap_bytes = f.value == 1;
			break;
		case WIRE_LEN(SAVED_TENSOR_SLICES_META):
			return error_set(err, TFPROF_FORMAT,
				"%.400s: not a V2 index: it looks like a V1 checkpoint", x->path);
		case WIRE_LEN(BUNDLE_HEADER_VERSION):
			if (checkpoint_is_newer(f.bytes))
				return error_set(err, TFPROF_UNSUPPORTED,
					"%.400s: requires a newer reader", x->path);
			break;
		}
	if (d.failed || !x->n_shards || x->n_shards > INT32_MAX)
		return error_set(err, TFPROF_FORMAT, "%.400s: its header is malformed", x->path);
	return TFPROF_OK;
}

static enum tfprof_status read_entry(struct index *x, struct span key, struct span message,
	struct tfprof_error *err)
{
	struct wire_reader r = wire_reader(message);
	struct span shape = {"", 0};
	struct entry e = {.message = message};
	struct decoder d = {0};
	enum tfprof_status status;
	struct wire_field f;

	e.key = arena_copy(&x->ckpt->arena, key);
	if (!e.key.at)
		return error_no_memory(err);
	while (decoder_next(&d, &r, &f))
		switch (f.tag) {
		case WIRE_VARINT(BUNDLE_ENTRY_DTYPE): e.dtype = (uint32_t)f.value; break;
		case WIRE_LEN(BUNDLE_ENTRY_SHAPE): shape = f.bytes; break;
		case WIRE_VARINT(BUNDLE_ENTRY_SHARD_ID): e.shard = (uint32_t)f.value; break;
		case WIRE_VARINT(BUNDLE_ENTRY_OFFSET): e.offset = f.value; break;
		case WIRE_VARINT(BUNDLE_ENTRY_SIZE): e.size = f.value; break;
		case WIRE_I32(BUNDLE_ENTRY_CRC32C): e.crc = (uint32_t)f.value; break;
		case WIRE_LEN(BUNDLE_ENTRY_SLICES): e.has_slices = true; break;
		}
	if (d.failed || e.shard >= x->n_shards)
		return checkpoint_tensor_error(err, TFPROF_FORMAT, x->path, key,
			"its entry is malformed");
	e.shape = shape_read(&d, shape, &x->ckpt->arena);
	status = checkpoint_shape_status(&d, x->path, key, err);
	if (status != TFPROF_OK)
		return status;
	return vec_push(&x->entries, e) ? TFPROF_OK : error_no_memory(err);
}

static enum tfprof_status read_entries(struct index *x, const struct table *table,
	struct tfprof_error *err)
{
	enum tfprof_status status;
	struct table_cursor c;

	table_begin(&c, table, &x->ckpt->arena);
	while ((status = table_next(&c, err)) == TFPROF_OK && c.more) {
		if (!x->n_shards && c.key.n)
			status = error_set(err, TFPROF_FORMAT, "%.400s: it has no header", x->path);
		else if (!x->n_shards)
			status = read_header(x, c.value, err);
		else
			status = read_entry(x, c.key, c.value, err);
		if (status != TFPROF_OK)
			break;
	}
	table_end(&c);
	if (status == TFPROF_OK && !x->n_shards)
		status = error_set(err, TFPROF_FORMAT, "%.400s: it has no header", x->path);
	return status;
}

static struct entry *find_entry(struct index *x, struct span key)
{
	size_t low = 0;

	sort_search(low, x->entries.n, i, span_compare(x->entries.at[i].key, key) < 0);
	if (low == x->entries.n || !span_equal(x->entries.at[low].key, key))
		return NULL;
	return &x->entries.at[low];
}

/* `file` is the shard's number for now; open_shards makes it an index. */
static bool add_part(struct index *x, const struct entry *where, const struct extent *extents)
{
	struct part part = {
		.extents = extents,
		.n_elements = where->shape.n_elements,
		.file = where->shard,
		.crc = where->crc,
		.offset = where->offset,
		.size = where->size,
	};

	return vec_push(&x->ckpt->parts, part);
}

static bool slice_fits(const struct entry *slice, const struct entry *tensor,
	const struct extent *extents)
{
	if (slice->dtype != tensor->dtype || slice->shape.rank != tensor->shape.rank)
		return false;
	for (uint32_t i = 0; i < tensor->shape.rank; i++)
		if (slice->shape.dims[i] != extents[i].length)
			return false;
	return true;
}

static enum tfprof_status add_slice(struct index *x, const struct entry *tensor,
	struct span message, struct buf *key, struct tfprof_error *err)
{
	struct decoder d = {0};
	struct extent *extents = shape_read_slice(&d, message, &x->ckpt->arena, &tensor->shape);
	enum tfprof_status status = checkpoint_shape_status(&d, x->path, tensor->key, err);
	struct entry *slice;

	if (status != TFPROF_OK)
		return status;
	key->n = 0;
	shape_slice_key(key, tensor->key, tensor->shape.rank, extents);
	if (key->failed)
		return error_no_memory(err);
	shape_resolve(&tensor->shape, extents);
	slice = find_entry(x, buf_get(key));
	if (!slice)
		return checkpoint_tensor_error(err, TFPROF_FORMAT, x->path, tensor->key,
			"one of its slices is not in the index");
	if (!slice_fits(slice, tensor, extents))
		return checkpoint_tensor_error(err, TFPROF_FORMAT, x->path, tensor->key,
			"one of its slices has a different type or shape");
	slice->is_slice = true;
	return add_part(x, slice, extents) ? TFPROF_OK : error_no_memory(err);
}

static enum tfprof_status add_parts(struct index *x, const struct entry *tensor, struct buf *key,
	struct tfprof_error *err)
{
	struct wire_reader r = wire_reader(tensor->message);
	enum tfprof_status status = TFPROF_OK;
	struct decoder d = {0};
	struct extent *extents;
	struct wire_field f;

	if (!tensor->has_slices) {
		extents = checkpoint_whole(&x->ckpt->arena, &tensor->shape);
		return extents && add_part(x, tensor, extents) ? TFPROF_OK : error_no_memory(err);
	}
	while (status == TFPROF_OK && decoder_find(&d, &r, WIRE_LEN(BUNDLE_ENTRY_SLICES), &f))
		status = add_slice(x, tensor, f.bytes, key, err);
	return status;
}

/* Two passes, because slices must be known before they can be skipped. */
static enum tfprof_status add_tensors(struct index *x, struct tfprof_error *err)
{
	enum tfprof_status status = TFPROF_OK;
	struct buf key = {0};

	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; status == TFPROF_OK && i < x->entries.n; i++) {
			const struct entry *e = &x->entries.at[i];
			struct checkpoint_tensor t = {e->key, e->dtype, e->shape, x->ckpt->parts.n,
				0};

			if (e->has_slices ? pass : e->is_slice || !pass)
				continue;
			status = add_parts(x, e, &key, err);
			t.n_parts = x->ckpt->parts.n - t.first_part;
			if (status == TFPROF_OK && !vec_push(&x->ckpt->tensors, t))
				status = error_no_memory(err);
		}
	buf_clear(&key);
	return status;
}

static int by_name(const void *a, const void *b)
{
	const struct checkpoint_tensor *x = a, *y = b;

	return span_compare(x->name, y->name);
}

static int by_number(const void *a, const void *b)
{
	const size_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static enum tfprof_status open_shard(struct index *x, size_t shard, struct tfprof_error *err)
{
	struct checkpoint *ckpt = x->ckpt;
	size_t room = strlen(ckpt->path) + 40;
	struct checkpoint_file file = {0};
	struct tfprof_error missing;
	char *path = arena_alloc(&ckpt->arena, room);

	if (!path)
		return error_no_memory(err);
	snprintf(path, room, "%s.data-%05zu-of-%05u", ckpt->path, shard, x->n_shards);
	file.path = path;
	/* Tensors of other shards, and all shapes, can still be shown. */
	if (mapping_open(&file.map, path, &missing) != TFPROF_OK) {
		file.missing = arena_alloc(&ckpt->arena, sizeof(missing));
		if (!file.missing)
			return error_no_memory(err);
		*file.missing = missing;
	}
	if (!vec_push(&ckpt->files, file)) {
		mapped_file_close(&file.map);
		return error_no_memory(err);
	}
	return TFPROF_OK;
}

/* Opens the shards that contain tensors. */
static enum tfprof_status open_shards(struct index *x, struct tfprof_error *err)
{
	struct checkpoint *ckpt = x->ckpt;
	size_t *shards = mem_array(ckpt->parts.n, sizeof(*shards)), n = 0;
	enum tfprof_status status = TFPROF_OK;

	if (!shards)
		return error_no_memory(err);
	for (size_t i = 0; i < ckpt->parts.n; i++)
		shards[i] = ckpt->parts.at[i].file;
	qsort(shards, ckpt->parts.n, sizeof(*shards), by_number);
	for (size_t i = 0; status == TFPROF_OK && i < ckpt->parts.n; i++)
		if (i == 0 || shards[i] != shards[i - 1]) {
			status = open_shard(x, shards[i], err);
			shards[n++] = shards[i];
		}
	for (size_t i = 0; status == TFPROF_OK && i < ckpt->parts.n; i++) {
		size_t *file = &ckpt->parts.at[i].file, *found;

		found = bsearch(file, shards, n, sizeof(*shards), by_number);
		*file = (size_t)(found - shards);
	}
	mem_free(shards);
	return status;
}

enum tfprof_status bundle_open(struct checkpoint *ckpt, struct tfprof_error *err)
{
	size_t room = strlen(ckpt->path) + sizeof(".index");
	char *path = arena_alloc(&ckpt->arena, room);
	struct index x = {.ckpt = ckpt, .path = path};
	enum tfprof_status status;
	struct table table;
	struct mapped_file file;

	if (!path)
		return error_no_memory(err);
	snprintf(path, room, "%s.index", ckpt->path);
	ckpt->index_path = path;
	status = mapping_open(&file, path, err);
	if (status != TFPROF_OK)
		return status;
	status = checkpoint_table_open(ckpt, &table, path, file.bytes, err);
	if (status == TFPROF_OK) {
		status = read_entries(&x, &table, err);
		if (status == TFPROF_OK)
			status = add_tensors(&x, err);
		table_close(&table);
	}
	mapped_file_close(&file);
	vec_clear(&x.entries);
	if (status != TFPROF_OK)
		return status;
	/* Sliced tensors came first. */
	if (ckpt->tensors.n)
		qsort(ckpt->tensors.at, ckpt->tensors.n, sizeof(*ckpt->tensors.at), by_name);
	return open_shards(&x, err);
}
