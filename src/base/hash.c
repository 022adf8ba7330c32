#include "base/hash.h"

#include "base/mem.h"

const char hash_place = 0;

/* A slot keeps the upper 32 bits of its hash: they filter candidates, and
 * place the slot again when the table grows. So the place must come from
 * those bits alone: tables stay below 2^32 slots. */
static size_t place(const struct hash_index *index, uint64_t slot)
{
	return (slot >> 32) & index->mask;
}

uint32_t hash_find(const struct hash_index *index, uint64_t hash, hash_same_fn *same,
	const void *context)
{
	if (!index->n)
		return NONE;
	for (size_t i = place(index, hash);; i = (i + 1) & index->mask) {
		uint64_t slot = index->slots[i];

		if (!slot)
			return NONE;
		if (slot >> 32 == hash >> 32 && same(context, (uint32_t)slot - 1))
			return (uint32_t)slot - 1;
	}
}

static void put(struct hash_index *index, uint64_t slot)
{
	size_t i = place(index, slot);

	while (index->slots[i])
		i = (i + 1) & index->mask;
	index->slots[i] = slot;
}

/* Three quarters full at most: neighbours share cache lines, so a few more steps
 * cost less than fresh memory. */
bool hash_reserve(struct hash_index *index, size_t n)
{
	struct hash_index old = *index;
	size_t capacity = 64, size;

	if (old.slots && n <= (old.mask + 1) / 4 * 3)
		return true;
	if (n > (size_t)1 << 31)
		return false;
	while (capacity / 4 * 3 < n)
		capacity *= 2;
	if (__builtin_mul_overflow(capacity, sizeof(*index->slots), &size))
		return false;
	index->slots = mem_alloc(size);
	if (!index->slots) {
		*index = old;
		return false;
	}
	/* Written at once, not page by page as it is read in no order. */
	memset(index->slots, 0, size);
	index->mask = capacity - 1;
	for (size_t i = 0; old.slots && i <= old.mask; i++)
		if (old.slots[i])
			put(index, old.slots[i]);
	mem_free(old.slots);
	return true;
}

bool hash_add(struct hash_index *index, uint64_t hash, uint32_t id)
{
	if (!hash_reserve(index, index->n + 1))
		return false;
	put(index, (hash & ~(uint64_t)UINT32_MAX) | (id + 1));
	index->n++;
	return true;
}

void hash_clear(struct hash_index *index)
{
	mem_free(index->slots);
	*index = (struct hash_index){0};
}
