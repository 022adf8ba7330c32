/* V1 checkpoints: one table, or a table per shard.
 *
 *     ""            SavedTensorSlices.meta: name, shape, type and slices of
 *                   every tensor
 *     slice key     SavedTensorSlices.data: a slice's values as a TensorProto
 */
#include "formats/checkpoint/impl.h"

#include <stdlib.h>

#include "formats/checkpoint/mapping.h"
#include "proto/decoder.h"

/* A tensor as listed by one of the files. */
struct listed {
	struct checkpoint_tensor tensor;
	size_t file;
};

struct list {
	struct checkpoint *ckpt;
	VEC(struct listed) tensors;
};

static enum tfprof_status malformed_list(const char *path, struct tfprof_error *err)
{
	return error_set(err, TFPROF_FORMAT, "%.400s: its list of tensors is malformed", path);
}

static enum tfprof_status add_part(struct checkpoint *ckpt, const struct checkpoint_tensor *t,
	struct span message, size_t file, struct buf *key, struct tfprof_error *err)
{
	struct part part = {.file = file, .n_elements = 1};
	struct decoder d = {0};
	struct extent *extents = shape_read_slice(&d, message, &ckpt->arena, &t->shape);
	enum tfprof_status status =
		checkpoint_shape_status(&d, ckpt->files.at[file].path, t->name, err);

	if (status != TFPROF_OK)
		return status;
	key->n = 0;
	shape_slice_key(key, t->name, t->shape.rank, extents);
	part.key = arena_copy(&ckpt->arena, buf_get(key));
	if (key->failed || !part.key.at)
		return error_no_memory(err);
	shape_resolve(&t->shape, extents);
	part.extents = extents;
	for (uint32_t i = 0; i < t->shape.rank; i++)
		part.n_elements *= (uint64_t)extents[i].length;
	return vec_push(&ckpt->parts, part) ? TFPROF_OK : error_no_memory(err);
}

/* A SavedSliceMeta. */
static enum tfprof_status list_tensor(struct list *list, struct span message, size_t file,
	struct buf *key, struct tfprof_error *err)
{
	struct checkpoint *ckpt = list->ckpt;
	const char *path = ckpt->files.at[file].path;
	struct wire_reader r = wire_reader(message);
	struct listed found = {.file = file};
	struct span name = {"", 0}, shape = {"", 0};
	enum tfprof_status status;
	struct decoder d = {0};
	struct wire_field f;

	while (decoder_next(&d, &r, &f))
		switch (f.tag) {
		case WIRE_LEN(SAVED_SLICE_META_NAME): name = f.bytes; break;
		case WIRE_LEN(SAVED_SLICE_META_SHAPE): shape = f.bytes; break;
		case WIRE_VARINT(SAVED_SLICE_META_TYPE):
			found.tensor.dtype = (uint32_t)f.value;
			break;
		}
	if (d.failed)
		return malformed_list(path, err);
	found.tensor.shape = shape_read(&d, shape, &ckpt->arena);
	status = checkpoint_shape_status(&d, path, name, err);
	if (status != TFPROF_OK)
		return status;
	found.tensor.name = arena_copy(&ckpt->arena, name);
	if (!found.tensor.name.at)
		return error_no_memory(err);
	found.tensor.first_part = ckpt->parts.n;
	r = wire_reader(message);
	while (status == TFPROF_OK && decoder_find(&d, &r, WIRE_LEN(SAVED_SLICE_META_SLICE), &f))
		status = add_part(ckpt, &found.tensor, f.bytes, file, key, err);
	found.tensor.n_parts = ckpt->parts.n - found.tensor.first_part;
	if (status == TFPROF_OK && !vec_push(&list->tensors, found))
		status = error_no_memory(err);
	return status;
}

/* A SavedTensorSliceMeta. */
static enum tfprof_status list_tensors(struct list *list, struct span meta, size_t file,
	struct tfprof_error *err)
{
	const char *path = list->ckpt->files.at[file].path;
	struct wire_reader r = wire_reader(meta);
	enum tfprof_status status = TFPROF_OK;
	struct buf key = {0};
	struct decoder d = {0};
	struct wire_field f;

	while (status == TFPROF_OK && decoder_next(&d, &r, &f)) {
		if (f.tag == WIRE_LEN(SAVED_TENSOR_SLICE_META_TENSOR))
			status = list_tensor(list, f.bytes, file, &key, err);
		else if (f.tag == WIRE_LEN(SAVED_TENSOR_SLICE_META_VERSIONS) &&
			checkpoint_is_newer(f.bytes))
			status = error_set(err, TFPROF_UNSUPPORTED,
				"%.400s: requires a newer reader", path);
	}
	buf_clear(&key);
	if (status == TFPROF_OK && d.failed)
		status = malformed_list(path, err);
	return status;
}

/* Reads the first entry of a table, whose key is empty. */
static enum tfprof_status read_list(struct list *list, size_t file, struct tfprof_error *err)
{
	const char *path = list->ckpt->files.at[file].path;
	struct arena arena = {0};
	enum tfprof_status status;
	struct table_cursor c;
	struct wire_reader r;
	struct decoder d = {0};
	struct wire_field f;
	bool found = false;

	table_begin(&c, &list->ckpt->files.at[file].table, &arena);
	c.verify_huge = true;
	status = table_next(&c, err);
	if (status == TFPROF_OK && c.more && c.key.n == 0) {
		r = wire_reader(c.value);
		while (status == TFPROF_OK && decoder_next(&d, &r, &f)) {
			if (f.tag == WIRE_LEN(SAVED_TENSOR_SLICES_META)) {
				found = true;
				status = list_tensors(list, f.bytes, file, err);
			} else if (f.tag == WIRE_VARINT(BUNDLE_HEADER_NUM_SHARDS)) {
				status = error_set(err, TFPROF_FORMAT,
					"%.400s: not a V1 checkpoint: it looks like the index of a "
					"V2 one, whose name must end in .index",
					path);
			}
		}
		if (status == TFPROF_OK && d.failed)
			status = malformed_list(path, err);
	}
	if (status == TFPROF_OK && !found)
		status = error_set(err, TFPROF_FORMAT,
			"%.400s: not a checkpoint: a table without a list of tensors", path);
	table_end(&c);
	arena_clear(&arena);
	return status;
}

static enum tfprof_status open_table(struct list *list, const char *path, size_t n_tables,
	struct tfprof_error *err)
{
	struct checkpoint *ckpt = list->ckpt;
	struct checkpoint_file file = {.path = path};
	enum tfprof_status status = mapping_open(&file.map, path, err);
	size_t i = ckpt->files.n;

	if (status != TFPROF_OK) {
		if (n_tables > 1 && err) {
			char rest[sizeof(err->text)];

			memcpy(rest, err->text, sizeof(rest));
			error_set(err, status, "%s (shard %zu of %zu)", rest, i + 1, n_tables);
		}
		return status;
	}
	status = checkpoint_table_open(ckpt, &file.table, path, file.map.bytes, err);
	if (status == TFPROF_OK && !vec_push(&ckpt->files, file)) {
		table_close(&file.table);
		status = error_no_memory(err);
	}
	if (status != TFPROF_OK) {
		mapped_file_close(&file.map);
		return status;
	}
	return read_list(list, i, err);
}

static int by_name(const void *a, const void *b)
{
	const struct listed *x = a, *y = b;
	int c = span_compare(x->tensor.name, y->tensor.name);

	return c ? c : (x->file > y->file) - (x->file < y->file);
}

static bool same_shape(const struct tensor_shape *a, const struct tensor_shape *b)
{
	return a->rank == b->rank && !memcmp(a->dims, b->dims, a->rank * sizeof(*a->dims));
}

/* Merges the entries of a tensor: each shard lists it with the slices it has. */
static enum tfprof_status merge(struct list *list, struct tfprof_error *err)
{
	struct checkpoint *ckpt = list->ckpt;
	struct checkpoint_tensor *last = NULL;
	size_t n_parts = ckpt->parts.n;

	if (!vec_reserve(&ckpt->parts, n_parts) || !vec_reserve(&ckpt->tensors, list->tensors.n))
		return error_no_memory(err);
	if (list->tensors.n)
		qsort(list->tensors.at, list->tensors.n, sizeof(*list->tensors.at), by_name);
	for (size_t i = 0; i < list->tensors.n; i++) {
		const struct checkpoint_tensor *t = &list->tensors.at[i].tensor;

		if (last && span_equal(last->name, t->name)) {
			if (last->dtype != t->dtype || !same_shape(&last->shape, &t->shape))
				return checkpoint_tensor_error(err, TFPROF_FORMAT, ckpt->path,
					t->name, "its shards disagree about its type or shape");
		} else {
			last = &ckpt->tensors.at[ckpt->tensors.n++];
			*last = *t;
			last->first_part = ckpt->parts.n;
			last->n_parts = 0;
		}
		if (t->n_parts)
			memcpy(ckpt->parts.at + ckpt->parts.n, ckpt->parts.at + t->first_part,
				t->n_parts * sizeof(*ckpt->parts.at));
		ckpt->parts.n += t->n_parts;
		last->n_parts += t->n_parts;
	}
	return TFPROF_OK;
}

enum tfprof_status saved_slices_open(struct checkpoint *ckpt, const char *const *paths,
	size_t n_paths, struct tfprof_error *err)
{
	struct list list = {.ckpt = ckpt};
	enum tfprof_status status = TFPROF_OK;

	for (size_t i = 0; status == TFPROF_OK && i < n_paths; i++)
		status = open_table(&list, paths[i], n_paths, err);
	if (status == TFPROF_OK)
		status = merge(&list, err);
	vec_clear(&list.tensors);
	return status;
}

uint32_t saved_slices_field(uint32_t dtype)
{
	/* Field numbers of TensorProto by DataType. */
	static const unsigned char fields[] = {
		[DT_FLOAT] = TENSOR_FLOAT_VAL,
		[DT_DOUBLE] = TENSOR_DOUBLE_VAL,
		[DT_INT32] = TENSOR_INT_VAL,
		[DT_UINT8] = TENSOR_INT_VAL,
		[DT_INT16] = TENSOR_INT_VAL,
		[DT_INT8] = TENSOR_INT_VAL,
		[DT_STRING] = TENSOR_STRING_VAL,
		[DT_COMPLEX64] = TENSOR_SCOMPLEX_VAL,
		[DT_INT64] = TENSOR_INT64_VAL,
		[DT_BOOL] = TENSOR_BOOL_VAL,
		[DT_QINT8] = TENSOR_INT_VAL,
		[DT_QUINT8] = TENSOR_INT_VAL,
		[DT_QINT32] = TENSOR_INT_VAL,
		[DT_BFLOAT16] = TENSOR_HALF_VAL,
		[DT_QINT16] = TENSOR_INT_VAL,
		[DT_QUINT16] = TENSOR_INT_VAL,
		[DT_UINT16] = TENSOR_INT_VAL,
		[DT_COMPLEX128] = TENSOR_DCOMPLEX_VAL,
		[DT_HALF] = TENSOR_HALF_VAL,
		[DT_UINT32] = TENSOR_UINT32_VAL,
		[DT_UINT64] = TENSOR_UINT64_VAL,
	};

	return dtype < sizeof(fields) ? fields[dtype] : 0;
}

/* A nested message; `.at` is NULL if it is absent or the outer one is malformed. */
static struct span inner(struct span message, uint32_t tag)
{
	struct wire_reader r = wire_reader(message);
	struct decoder d = {0};
	struct span found = {NULL, 0};
	struct wire_field f;

	while (decoder_find(&d, &r, tag, &f))
		found = f.bytes;
	return d.failed ? (struct span){NULL, 0} : found;
}

enum tfprof_status saved_slices_find(const struct checkpoint *ckpt, const struct part *part,
	struct span name, struct table_cursor *c, struct span *tensor, struct tfprof_error *err)
{
	const char *path = ckpt->files.at[part->file].path;
	enum tfprof_status status = table_seek(c, part->key, err);
	struct span data;

	if (status != TFPROF_OK)
		return status;
	if (!c->more || !span_equal(c->key, part->key))
		return checkpoint_tensor_error(err, TFPROF_FORMAT, path, name,
			"it is listed but its values are missing");
	data = inner(c->value, WIRE_LEN(SAVED_TENSOR_SLICES_DATA));
	*tensor = data.at ? inner(data, WIRE_LEN(SAVED_SLICE_DATA)) : data;
	if (!tensor->at)
		return checkpoint_tensor_error(err, TFPROF_FORMAT, path, name,
			"its values are malformed");
	return TFPROF_OK;
}
