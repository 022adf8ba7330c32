/* Shapes, and boxes of a tensor that are stored on their own: the slices of a
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
	int64_t length; /* in a file, -1 means all */
};

/* A TensorShapeProto; dims go to the arena. Malformed too if a dimension or
 * the rank is unknown or the number of elements does not fit. */
struct tensor_shape shape_read(struct decoder *d, struct span message, struct arena *arena);

/* A TensorSliceProto of a tensor of this shape as the file has it, `rank`
 * extents in the arena; malformed too if they do not fit the shape. */
struct extent *shape_read_slice(struct decoder *d, struct span message, struct arena *arena,
	const struct tensor_shape *shape);

/* Makes lengths of all -1 real ones. */
void shape_resolve(const struct tensor_shape *shape, struct extent *slice);

/* The key a slice is stored under. */
void shape_slice_key(struct buf *key, struct span name, uint32_t rank, const struct extent *slice);

/* How a box lies in the tensor's row-major order: equally long runs, in the
 * same order in both. */
struct box {
	const struct tensor_shape *shape;
	const struct extent *extents; /* resolved */
	uint32_t outer;               /* dimensions that number the runs */
	uint64_t n_runs, run_length;  /* their product is the box's elements */
};

void box_init(struct box *box, const struct tensor_shape *shape, const struct extent *extents);
/* Where in the tensor a run starts. */
uint64_t box_run_start(const struct box *box, uint64_t run);
/* The first run that ends behind `element`; n_runs if none does. */
uint64_t box_find_run(const struct box *box, uint64_t element);

#endif
