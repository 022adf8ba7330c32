/* Reads TensorFlow checkpoints: the list of tensors, and their values.
 *
 *     V2:  PREFIX.index                 table: name → type, shape, location
 *          PREFIX.data-SSSSS-of-NNNNN   the values
 *     V1:  one table with everything, or shards PREFIX-SSSSS-of-NNNNN
 *
 *     struct checkpoint *ckpt;
 *     struct checkpoint_reader reader;
 *     struct checkpoint_values values;
 *     checkpoint_open(&ckpt, "model.ckpt", describe, err);
 *     t = checkpoint_find(ckpt, SPAN("layer/weights"));
 *     checkpoint_reader_open(&reader, ckpt, t, false, err);
 *     checkpoint_read(&reader, 0, 100, &values, err);  // the first 100 elements
 *     checkpoint_reader_close(&reader);
 *     checkpoint_free(ckpt);
 *
 * Opening reads the index (V1: the list of tensors) and maps the other files;
 * values are read from there on demand. An open checkpoint does not change, so any
 * number of threads may read it, each with its own reader.
 *
 * Checksums. Every table block is verified before it is used, and a stored tensor
 * (or slice) before its first value is returned, unless it is larger than
 * CHECKPOINT_HUGE bytes and the reader was not opened for all of it: one checksum
 * covers everything, so the first values cannot be verified without reading the
 * rest. */
#ifndef TFPROF_FORMATS_CHECKPOINT_CHECKPOINT_H
#define TFPROF_FORMATS_CHECKPOINT_CHECKPOINT_H

#include "base/arena.h"
#include "base/error.h"
#include "base/span.h"
#include "formats/checkpoint/dtype.h"
#include "formats/checkpoint/shape.h"
#include "formats/checkpoint/table.h"

#define CHECKPOINT_HUGE TABLE_HUGE_BLOCK

struct checkpoint;

struct checkpoint_tensor {
	struct span name;
	uint32_t dtype; /* TensorFlow's DataType; see dtype_get() */
	struct tensor_shape shape;
	size_t first_part, n_parts; /* internal */
};

/* What bytes that are not a checkpoint look like: "a zip archive". */
typedef const char *checkpoint_describe_fn(struct span bytes);

/* `path` is a V2 prefix or one of its files, a V1 file or the prefix of its
 * shards, or a directory with a `checkpoint` file that names the latest. */
enum tfprof_status checkpoint_open(struct checkpoint **ckpt, const char *path,
	checkpoint_describe_fn *describe, struct tfprof_error *err);
void checkpoint_free(struct checkpoint *ckpt);

/* The i-th file of the checkpoint; NULL past the end. */
const char *checkpoint_get_file(const struct checkpoint *ckpt, size_t i);

/* Fails if a file has changed since it was opened. Call before reading values. */
enum tfprof_status checkpoint_check(const struct checkpoint *ckpt, struct tfprof_error *err);

/* In byte order of names; a partitioned variable is one tensor. */
size_t checkpoint_get_n_tensors(const struct checkpoint *ckpt);
const struct checkpoint_tensor *checkpoint_get_tensor(const struct checkpoint *ckpt, size_t i);
/* NULL if there is no such tensor. */
const struct checkpoint_tensor *checkpoint_find(const struct checkpoint *ckpt, struct span name);

/* ---- values ---------------------------------------------------------- */

struct checkpoint_values {
	enum dtype_kind kind; /* selects the member of the union */
	size_t n;
	union {
		const void *any;
		const int64_t *integers;
		const uint64_t *naturals;
		const double *reals;
		const struct dtype_complex *complexes;
		const struct span *texts;
	};
};

/* Reads one tensor in row-major order. Continuing where the last read ended costs
 * only what is read. */
struct checkpoint_reader {
	const struct checkpoint *ckpt;
	const struct checkpoint_tensor *tensor;
	const struct dtype_info *type;
	bool whole; /* all of it will be read: verify it, whatever its size */

	struct part_reader *parts;
	void *values;
	size_t values_cap;          /* bytes */
	struct table_cursor cursor; /* V1: on the file `cursor_file` */
	size_t cursor_file;
	struct arena arena;
};

/* TFPROF_UNSUPPORTED if values of the type cannot be shown. Needs
 * checkpoint_reader_close() only on success. */
enum tfprof_status checkpoint_reader_open(struct checkpoint_reader *r,
	const struct checkpoint *ckpt, const struct checkpoint_tensor *tensor, bool whole,
	struct tfprof_error *err);
void checkpoint_reader_close(struct checkpoint_reader *r);

/* Reads `count` elements from `first`, or as many as there are. Values are valid until
 * the next read, the bytes of texts until the reader is closed. */
enum tfprof_status checkpoint_read(struct checkpoint_reader *r, uint64_t first, uint64_t count,
	struct checkpoint_values *values, struct tfprof_error *err);

/* ---- nested display -------------------------------------------------- */

/* A tensor as the brackets and values of a nested display: 2×3 is
 * OPEN OPEN V V V CLOSE OPEN V V V CLOSE CLOSE. A scalar is a vector of one. */
enum checkpoint_event {
	CHECKPOINT_END,
	CHECKPOINT_OPEN,
	CHECKPOINT_VALUE,
	CHECKPOINT_CLOSE,
};

struct checkpoint_walk {
	struct checkpoint_reader *reader;
	enum checkpoint_event event;
	struct checkpoint_values value; /* at CHECKPOINT_VALUE: n is 1 */

	int64_t *left;  /* per open bracket: items still to come */
	uint32_t depth; /* open brackets */
	bool done;
	uint64_t next; /* element */
	uint64_t chunk_first;
	size_t chunk_size;
	struct checkpoint_values chunk;
};

/* The reader must outlive the walk and not be read meanwhile. A walk may be abandoned
 * at any point; there is nothing to release. */
enum tfprof_status checkpoint_walk_begin(struct checkpoint_walk *w, struct checkpoint_reader *r,
	struct tfprof_error *err);
enum tfprof_status checkpoint_walk_next(struct checkpoint_walk *w, struct tfprof_error *err);

#endif
