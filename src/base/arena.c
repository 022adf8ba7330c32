#include "base/arena.h"

#include <stdint.h>

#include "base/mem.h"

enum { CHUNK_BYTES = 64 * 1024, ALIGN = 16 };

struct arena_chunk {
	struct arena_chunk *next;
	size_t size;
	_Alignas(ALIGN) char bytes[];
};

static struct arena_chunk *chunk_new(size_t size)
{
	struct arena_chunk *chunk;

	if (size > SIZE_MAX - sizeof(*chunk))
		return NULL;
	chunk = mem_alloc(sizeof(*chunk) + size);
	if (chunk)
		chunk->size = size;
	return chunk;
}

void *arena_alloc(struct arena *a, size_t size)
{
	struct arena_chunk *chunk = a->chunk;
	void *block;

	if (size > SIZE_MAX - ALIGN)
		return NULL;
	size = (size + ALIGN - 1) & ~(size_t)(ALIGN - 1);
	if (chunk && chunk->size - a->used >= size) {
		block = chunk->bytes + a->used;
		a->used += size;
		return block;
	}
	if (size > CHUNK_BYTES / 4 && chunk) {
		/* Large blocks get a chunk of their own, behind the open one. */
		struct arena_chunk *own = chunk_new(size);

		if (!own)
			return NULL;
		own->next = chunk->next;
		chunk->next = own;
		return own->bytes;
	}
	chunk = chunk_new(size > CHUNK_BYTES ? size : CHUNK_BYTES);
	if (!chunk)
		return NULL;
	chunk->next = a->chunk;
	a->chunk = chunk;
	a->used = size;
	return chunk->bytes;
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
	char *copy = s.n == SIZE_MAX ? NULL : arena_alloc(a, s.n + 1);

	if (!copy)
		return (struct span){0};
	if (s.n)
		memcpy(copy, s.at, s.n);
	copy[s.n] = '\0';
	return (struct span){copy, s.n};
}

void arena_join(struct arena *a, struct arena *other)
{
	struct arena_chunk *last = other->chunk;

	if (!a->chunk) {
		*a = *other;
	} else if (last) {
		while (last->next)
			last = last->next;
		last->next = a->chunk->next;
		a->chunk->next = other->chunk;
	}
	*other = (struct arena){0};
}

void arena_clear(struct arena *a)
{
	struct arena_chunk *chunk = a->chunk, *next;

	for (; chunk; chunk = next) {
		next = chunk->next;
		mem_free(chunk);
	}
	*a = (struct arena){0};
}
