/* Interned tensor shapes. Id 0 is the empty shape, which means unknown.
 *
 *     id → { dims, number of dims, number of elements }
 */
#ifndef TFPROF_MODEL_SHAPES_H
#define TFPROF_MODEL_SHAPES_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/hash.h"
#include "base/vec.h"

struct shape {
	const int64_t *dims;
	uint32_t n;
	bool saturated;   /* the product does not fit in 64 bits */
	int64_t elements; /* 0 if a dimension is unknown or there is none */
};

/* Dimensions while they are being read. */
typedef VEC(int64_t) dims_vec;

struct shapes {
	VEC(struct shape) at;
	struct hash_index index;
	struct arena arena;
};

bool shapes_init(struct shapes *s);
void shapes_clear(struct shapes *s);

/* The id of these dimensions, NONE on allocation failure. */
uint32_t shapes_add(struct shapes *s, const int64_t *dims, size_t n);

/* The hash of dimensions, for shapes_add_hashed(). */
static inline uint64_t shapes_hash(const int64_t *dims, size_t n)
{
	return hash_bytes(dims, n * sizeof(*dims));
}

uint32_t shapes_add_hashed(struct shapes *s, const int64_t *dims, size_t n, uint64_t hash);

static inline const struct shape *shapes_get(const struct shapes *s, uint32_t id)
{
	return &s->at.at[id];
}

/* "2x6x6x3", or "" for the empty shape. */
void shape_put(struct buf *b, const struct shape *shape);

#endif
