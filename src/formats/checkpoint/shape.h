/* Shapes, and boxes of a tensor that are stored separately: the slices of a
 * partitioned variable.
 *
 *     a 4×6 tensor:   . . . . . .      box: start 1, length 2 in the first
 *                     . . x x x .           start 2, length 3 in the second
 *                     . . x x x .      runs: x x x at elements 8 and 14
 *                     . . . . . .
 */
#ifndef TFPROF_FORMATS_CHECKPOINT_SHAPE_H
#define TFPROF_FORMATS_CHECKPOINT_SHAPE_H

#include "base/arena.h"
#include "base/buf.h"
#include "proto/decoder.h"

struct tensor_shape {
	uint32_t rank;
	const int64_t *dims;
	uint64_t n_elements;
};

struct extent {
	int64_t start;
	int64_t length; /* -1 in a file: all */
};

/* Decodes a TensorShapeProto; dims go to the arena. Also malformed if a dimension or
 * the rank is unknown or the number of elements overflows. */
struct tensor_shape shape_read(struct decoder *d, struct span message, struct arena *arena);

/* Decodes a TensorSliceProto of a tensor of this shape to `rank` extents in the arena,
 * unresolved. Also malformed if they do not fit the shape. */
struct extent *shape_read_slice(struct decoder *d, struct span message, struct arena *arena,
	const struct tensor_shape *shape);

/* Replaces lengths of -1 with the shape's. */
void shape_resolve(const struct tensor_shape *shape, struct extent *slice);

/* Appends the key of a slice in a table. */
void shape_slice_key(struct buf *key, struct span name, uint32_t rank, const struct extent *slice);

/* A box in the tensor's row-major order: runs of equal length, in the same order in
 * both. */
struct box {
	const struct tensor_shape *shape;
	const struct extent *extents; /* resolved */
	uint32_t outer;               /* dimensions that number the runs */
	uint64_t n_runs, run_length;  /* n_runs × run_length: elements of the box */
};

void box_init(struct box *box, const struct tensor_shape *shape, const struct extent *extents);
/* The element of the tensor at which a run starts. */
uint64_t box_run_start(const struct box *box, uint64_t run);
/* The first run that ends after `element`; n_runs if none does. */
uint64_t box_find_run(const struct box *box, uint64_t element);

#endif
