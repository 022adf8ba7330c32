#include "base/arena.h"

#include <stdint.h>

#include "base/mem.h"

enum { CHUNK_BYTES = 64 * 1024, ALIGN = 16 };

struct arena_chunk {
	struct arena_chunk *next;
	size_t size;
	_Alignas(ALIGN) char bytes[];
};

/* A spare chunk that is large enough, but not much too large. */
static struct arena_chunk *take_spare(struct arena *a, size_t size)
{
	for (struct arena_chunk **at = &a->spare; *at; at = &(*at)->next)
		if ((*at)->size >= size && (*at)->size / 2 <= size) {
			struct arena_chunk *chunk = *at;

			*at = chunk->next;
			return chunk;
		}
	return NULL;
}

static struct arena_chunk *chunk_new(struct arena *a, size_t size)
{
	struct arena_chunk *chunk = take_spare(a, size);

	if (chunk)
		return chunk;
	if (size > SIZE_MAX - sizeof(*chunk))
		return NULL;
	chunk = mem_alloc(sizeof(*chunk) + size);
	if (chunk)
		chunk->size = size;
	return chunk;
}

static size_t round_up(size_t n, size_t align)
{
	return (n + align - 1) & ~(align - 1);
}

static void *carve(struct arena *a, size_t size, size_t align)
{
	struct arena_chunk *chunk = a->chunk;
	size_t start = round_up(a->used, align);

	if (chunk && start <= chunk->size && chunk->size - start >= size) {
		a->used = start + size;
		return chunk->bytes + start;
	}
	if (size > CHUNK_BYTES / 4 && chunk) {
		/* Large blocks get their own chunk, behind the open one. */
		struct arena_chunk *own = chunk_new(a, size);

		if (!own)
			return NULL;
		own->next = chunk->next;
		chunk->next = own;
		return own->bytes;
	}
	chunk = chunk_new(a, size > CHUNK_BYTES ? size : CHUNK_BYTES);
	if (!chunk)
		return NULL;
	chunk->next = a->chunk;
	a->chunk = chunk;
	a->used = size;
	return chunk->bytes;
}

void *arena_alloc(struct arena *a, size_t size)
{
	return carve(a, size, ALIGN);
}

void *arena_array(struct arena *a, size_t n, size_t item_size)
{
	size_t size;

	if (__builtin_mul_overflow(n, item_size, &size))
		return NULL;
	return arena_alloc(a, size);
}

void *arena_zero(struct arena *a, size_t n, size_t item_size)
{
	void *block = arena_array(a, n, item_size);

	if (block)
		memset(block, 0, n * item_size);
	return block;
}

struct span arena_copy(struct arena *a, struct span s)
{
	char *copy = s.n == SIZE_MAX ? NULL : carve(a, s.n + 1, 1);

	if (!copy)
		return (struct span){0};
	if (s.n)
		memcpy(copy, s.at, s.n);
	copy[s.n] = '\0';
	return (struct span){copy, s.n};
}

static size_t count_bytes(const struct arena_chunk *chunk)
{
	size_t n = 0;

	for (; chunk; chunk = chunk->next)
		n += sizeof(*chunk) + chunk->size;
	return n;
}

size_t arena_count_bytes(const struct arena *a)
{
	return count_bytes(a->chunk) + count_bytes(a->spare);
}

static struct arena_chunk *last_of(struct arena_chunk *chunk)
{
	while (chunk->next)
		chunk = chunk->next;
	return chunk;
}

void arena_join(struct arena *a, struct arena *other)
{
	struct arena_chunk *spare = other->spare;

	if (!a->chunk) {
		a->chunk = other->chunk;
		a->used = other->used;
	} else if (other->chunk) {
		last_of(other->chunk)->next = a->chunk->next;
		a->chunk->next = other->chunk;
	}
	if (spare) {
		last_of(spare)->next = a->spare;
		a->spare = spare;
	}
	*other = (struct arena){0};
}

static void free_chunks(struct arena_chunk *chunk)
{
	struct arena_chunk *next;

	for (; chunk; chunk = next) {
		next = chunk->next;
		mem_free(chunk);
	}
}

void arena_clear(struct arena *a)
{
	free_chunks(a->chunk);
	free_chunks(a->spare);
	*a = (struct arena){0};
}

void arena_reset(struct arena *a, size_t most)
{
	struct arena_chunk *chunk = a->chunk, *next, *kept = NULL;
	size_t size = 0;

	/* A chunk that was not used this time is unlikely to be used next time. */
	free_chunks(a->spare);
	for (; chunk; chunk = next) {
		next = chunk->next;
		if (chunk->size > most - size) {
			mem_free(chunk);
			continue;
		}
		size += chunk->size;
		chunk->next = kept;
		kept = chunk;
	}
	*a = (struct arena){.spare = kept};
}
