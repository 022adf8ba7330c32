/* An open checkpoint, shared by the files of this folder. */
#ifndef TFPROF_FORMATS_CHECKPOINT_IMPL_H
#define TFPROF_FORMATS_CHECKPOINT_IMPL_H

#include "base/mapped_file.h"
#include "base/vec.h"
#include "formats/checkpoint/checkpoint.h"

/* A box of a tensor that is stored in one piece: the whole tensor or a slice. */
struct part {
	const struct extent *extents; /* resolved; as many as the tensor's rank */
	uint64_t n_elements;
	size_t file; /* index into the checkpoint's files */
	/* V2: position in the file. */
	uint32_t crc; /* masked */
	uint64_t offset, size;
	/* V1: key in the table. */
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

/* Fill a checkpoint that is zero except for its path. On failure the caller releases
 * it with checkpoint_free(). */
enum tfprof_status bundle_open(struct checkpoint *ckpt, struct tfprof_error *err);
enum tfprof_status saved_slices_open(struct checkpoint *ckpt, const char *const *paths,
	size_t n_paths, struct tfprof_error *err);

/* Opens a table. If the file is something else, the error says what. */
enum tfprof_status checkpoint_table_open(const struct checkpoint *ckpt, struct table *t,
	const char *path, struct span bytes, struct tfprof_error *err);

/* Sets the error "PATH: tensor 'NAME': WHAT". */
enum tfprof_status checkpoint_tensor_error(struct tfprof_error *err, enum tfprof_status status,
	const char *path, struct span name, const char *what);
/* The status of decoding the shape of a tensor or a slice of it. */
enum tfprof_status checkpoint_shape_status(const struct decoder *d, const char *path,
	struct span name, struct tfprof_error *err);

/* Whether a VersionDef requires a newer reader than this one. */
bool checkpoint_is_newer(struct span version);

/* Extents of the whole tensor; NULL on allocation failure. */
struct extent *checkpoint_whole(struct arena *arena, const struct tensor_shape *shape);

/* V1: the field of TensorProto with the values of a type; 0 if there is none. */
uint32_t saved_slices_field(uint32_t dtype);

/* V1: the TensorProto of a part. `c` is a cursor over the part's file. */
enum tfprof_status saved_slices_find(const struct checkpoint *ckpt, const struct part *part,
	struct span name, struct table_cursor *c, struct span *tensor, struct tfprof_error *err);

#endif
