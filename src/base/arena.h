/* Memory that lives and dies together: blocks are carved off large chunks
 * and freed all at once. An arena is zero-initialized; blocks are aligned
 * for any type, texts not at all. */
#ifndef TFPROF_BASE_ARENA_H
#define TFPROF_BASE_ARENA_H

#include <stddef.h>

#include "base/span.h"

struct arena {
	struct arena_chunk *chunk; /* the newest; older ones are chained behind it */
	size_t used;
	struct arena_chunk
		*spare; /* left from the previous query: reused before new ones are made */
};

/* Uninitialized, or zeroed. NULL on allocation failure. */
void *arena_alloc(struct arena *a, size_t size);
void *arena_zero(struct arena *a, size_t n, size_t item_size);
void *arena_array(struct arena *a, size_t n, size_t item_size);

/* A copy that ends in a NUL, not aligned; `.at` is NULL on allocation failure. */
struct span arena_copy(struct arena *a, struct span s);

/* Bytes of all chunks, also of spare ones. */
size_t arena_count_bytes(const struct arena *a);

/* Takes over the memory of another arena, which is then empty. */
void arena_join(struct arena *a, struct arena *other);

void arena_clear(struct arena *a);

/* Empties the arena, but keeps up to `most` bytes for reuse. */
void arena_reset(struct arena *a, size_t most);

#endif
