/* What the files of this folder share of an open checkpoint. */
#ifndef TFPROF_FORMATS_CHECKPOINT_IMPL_H
#define TFPROF_FORMATS_CHECKPOINT_IMPL_H

#include "base/mapped_file.h"
#include "base/vec.h"
#include "formats/checkpoint/checkpoint.h"

/* A box of a tensor that is stored in one place: all of it, or a slice. */
struct part {
	const struct extent *extents; /* resolved; as many as the tensor's rank */
	uint64_t n_elements;
	size_t file; /* index into the checkpoint's files */
	/* V2: where in the file. */
	uint32_t crc; /* masked */
	uint64_t offset, size;
	/* V1: under which key of the table. */
	struct span key;
};

/* A data shard (V2) or a table (V1). */
struct checkpoint_file {
	const char *path;
	struct mapped_file map;
	struct tfprof_error *missing; /* why it could not be opened, or NULL */
	struct table table;           /* V1 */
};

struct checkpoint {
	const char *path;
	checkpoint_describe_fn *describe;
	const char *index_path; /* V2 */
	bool is_v1;
	bool swap_bytes; /* written by a big-endian machine */
	VEC(struct checkpoint_tensor) tensors;
	VEC(struct part) parts;
	VEC(struct checkpoint_file) files;
	struct arena arena; /* names, shapes, slices, paths */
};

/* Fill a checkpoint that is zero but for its path. What they leave behind when
 * they fail is released with checkpoint_free(). */
enum tfprof_status bundle_open(struct checkpoint *ckpt, struct tfprof_error *err);
enum tfprof_status saved_slices_open(struct checkpoint *ckpt, const char *const *paths,
	size_t n_paths, struct tfprof_error *err);

/* Opens a table, or says what the file is if it is none. */
enum tfprof_status checkpoint_table_open(const struct checkpoint *ckpt, struct table *t,
	const char *path, struct span bytes, struct tfprof_error *err);

/* Writes "PATH: tensor 'NAME': " and the rest into err. */
enum tfprof_status checkpoint_tensor_error(struct tfprof_error *err, enum tfprof_status status,
	const char *path, struct span name, const char *what);
/* How decoding the shape of a tensor, or a slice of it, went. */
enum tfprof_status checkpoint_shape_status(const struct decoder *d, const char *path,
	struct span name, struct tfprof_error *err);

/* True if a VersionDef says that this reader is too old. */
bool checkpoint_is_newer(struct span version);

/* Adds the whole tensor as one part. NULL when memory is out. */
struct extent *checkpoint_whole(struct arena *arena, const struct tensor_shape *shape);

/* V1: which field of a TensorProto holds the values of a type; 0: none. */
uint32_t saved_slices_field(uint32_t dtype);

/* V1: the TensorProto of a part. `c` is a cursor over the part's file. */
enum tfprof_status saved_slices_find(const struct checkpoint *ckpt, const struct part *part,
	struct span name, struct table_cursor *c, struct span *tensor, struct tfprof_error *err);

#endif
