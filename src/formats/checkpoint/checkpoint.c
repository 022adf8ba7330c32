#include "formats/checkpoint/checkpoint.h"

#include "formats/checkpoint/impl.h"
#include "formats/checkpoint/locate.h"
#include "proto/decoder.h"

/* Both formats are at version 1 and no longer change. */
#define READER_VERSION 1

enum tfprof_status checkpoint_open(struct checkpoint **opened, const char *path,
	checkpoint_describe_fn *describe, struct tfprof_error *err)
{
	struct checkpoint *ckpt = mem_zero(sizeof(*ckpt));
	enum tfprof_status status;
	struct location where;

	*opened = NULL;
	if (!ckpt)
		return error_no_memory(err);
	ckpt->describe = describe;
	status = locate(&where, path, &ckpt->arena, err);
	if (status == TFPROF_OK) {
		ckpt->path = where.path;
		ckpt->is_v1 = where.tables != NULL;
		status = ckpt->is_v1 ? saved_slices_open(ckpt, where.tables, where.n_tables, err)
				     : bundle_open(ckpt, err);
	}
	if (status != TFPROF_OK) {
		checkpoint_free(ckpt);
		return status;
	}
	*opened = ckpt;
	return TFPROF_OK;
}

void checkpoint_free(struct checkpoint *ckpt)
{
	if (!ckpt)
		return;
	for (size_t i = 0; i < ckpt->files.n; i++) {
		table_close(&ckpt->files.at[i].table);
		mapped_file_close(&ckpt->files.at[i].map);
	}
	vec_clear(&ckpt->tensors);
	vec_clear(&ckpt->parts);
	vec_clear(&ckpt->files);
	arena_clear(&ckpt->arena);
	mem_free(ckpt);
}

const char *checkpoint_get_file(const struct checkpoint *ckpt, size_t i)
{
	if (ckpt->index_path && i-- == 0)
		return ckpt->index_path;
	return i < ckpt->files.n ? ckpt->files.at[i].path : NULL;
}

enum tfprof_status checkpoint_check(const struct checkpoint *ckpt, struct tfprof_error *err)
{
	enum tfprof_status status = TFPROF_OK;

	for (size_t i = 0; status == TFPROF_OK && i < ckpt->files.n; i++)
		status = mapped_file_check(&ckpt->files.at[i].map, ckpt->files.at[i].path, err);
	return status;
}

size_t checkpoint_get_n_tensors(const struct checkpoint *ckpt)
{
	return ckpt->tensors.n;
}

const struct checkpoint_tensor *checkpoint_get_tensor(const struct checkpoint *ckpt, size_t i)
{
	return &ckpt->tensors.at[i];
}

const struct checkpoint_tensor *checkpoint_find(const struct checkpoint *ckpt, struct span name)
{
	size_t low = 0, high = ckpt->tensors.n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int c = span_compare(ckpt->tensors.at[middle].name, name);

		if (c == 0)
			return &ckpt->tensors.at[middle];
		if (c < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/* ---- shared by both formats ------------------------------------------ */

/* Only a table starts with an entry whose key is empty. */
static const char *looks_like(const struct checkpoint *ckpt, struct span bytes)
{
	if (bytes.n >= 2 && !memcmp(bytes.at, "\0\0", 2))
		return "a truncated checkpoint";
	return ckpt->describe(bytes);
}

enum tfprof_status checkpoint_table_open(const struct checkpoint *ckpt, struct table *t,
	const char *path, struct span bytes, struct tfprof_error *err)
{
	if (!table_has_magic(bytes))
		return error_set(err, TFPROF_FORMAT, "%.400s: not a checkpoint: it looks like %s",
			path, looks_like(ckpt, bytes));
	return table_open(t, path, bytes, err);
}

enum tfprof_status checkpoint_tensor_error(struct tfprof_error *err, enum tfprof_status status,
	const char *path, struct span name, const char *what)
{
	return error_set(err, status, "%.400s: tensor '%.*s': %s", path, ERROR_SPAN(name), what);
}

enum tfprof_status checkpoint_shape_status(const struct decoder *d, const char *path,
	struct span name, struct tfprof_error *err)
{
	if (!d->failed)
		return TFPROF_OK;
	if (!d->bad)
		return error_no_memory(err);
	return checkpoint_tensor_error(err, TFPROF_FORMAT, path, name,
		"its shape or a slice of it is invalid");
}

bool checkpoint_is_newer(struct span version)
{
	struct wire_reader r = wire_reader(version);
	struct decoder d = {0};
	struct wire_field f;
	bool newer = false;

	while (decoder_find(&d, &r, WIRE_VARINT(VERSION_DEF_MIN_CONSUMER), &f))
		newer = (int32_t)f.value > READER_VERSION;
	return newer;
}

struct extent *checkpoint_whole(struct arena *arena, const struct tensor_shape *shape)
{
	struct extent *extents = arena_array(arena, shape->rank, sizeof(*extents));

	for (uint32_t i = 0; extents && i < shape->rank; i++)
		extents[i] = (struct extent){0, shape->dims[i]};
	return extents;
}
