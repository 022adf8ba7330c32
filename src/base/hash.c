#include "base/hash.h"

#include "base/mem.h"

const char hash_place = 0;

/* A slot keeps the upper 32 bits of its hash: they filter candidates, and
 * place the slot again when the table grows. So tables stay below 2^32 slots. */
static uint64_t make_slot(uint64_t hash, uint32_t id)
{
	return (hash & ~(uint64_t)UINT32_MAX) | (id + 1);
}

static size_t next(const struct hash_index *index, size_t i)
{
	return i + 1 < index->places ? i + 1 : 0;
}

uint32_t hash_find(const struct hash_index *index, uint64_t hash, hash_same_fn *same,
	const void *context)
{
	if (!index->n)
		return NONE;
	for (size_t i = hash_begin(index, hash);; i = next(index, i)) {
		uint64_t slot = index->slots[i];

		if (!slot)
			return NONE;
		if (slot >> 32 == hash >> 32 && same(context, (uint32_t)slot - 1))
			return (uint32_t)slot - 1;
	}
}

static void put(struct hash_index *index, uint64_t slot)
{
	size_t i = hash_begin(index, slot);

	while (index->slots[i])
		i = next(index, i);
	index->slots[i] = slot;
}

/* Three quarters full at most: neighbours share cache lines, so a few more steps
 * cost less than fresh memory. */
static bool has_room(size_t places, size_t n)
{
	return n <= places / 4 * 3;
}

/* At least twice as many, so that adding one by one is amortized, and a few more than
 * asked for, because others often follow. */
static size_t enough_places(size_t places, size_t n)
{
	size_t least = places ? 2 * places : 64;

	if (least > UINT32_MAX)
		return UINT32_MAX;
	return has_room(least, n) ? least : ((n + n / 8) / 3 + 1) * 4;
}

bool hash_reserve(struct hash_index *index, size_t n)
{
	struct hash_index old = *index;

	if (has_room(old.places, n))
		return true;
	if (n > (size_t)1 << 31)
		return false;
	index->places = enough_places(old.places, n);
	index->slots = mem_array(index->places, sizeof(*index->slots));
	if (!index->slots) {
		*index = old;
		return false;
	}
	memset(index->slots, 0, index->places * sizeof(*index->slots));
	for (size_t i = 0; i < old.places; i++)
		if (old.slots[i])
			put(index, old.slots[i]);
	mem_free(old.slots);
	return true;
}

bool hash_add(struct hash_index *index, uint64_t hash, uint32_t id)
{
	if (!hash_reserve(index, index->n + 1))
		return false;
	put(index, make_slot(hash, id));
	index->n++;
	return true;
}

enum hash_put hash_put_before(struct hash_index *index, size_t end, uint64_t hash, uint32_t *id,
	hash_same_fn *same, const void *context)
{
	for (size_t i = hash_begin(index, hash); i < end; i++) {
		uint64_t slot = index->slots[i];

		if (!slot) {
			index->slots[i] = make_slot(hash, *id);
			return HASH_ADDED;
		}
		if (slot >> 32 == hash >> 32 && same(context, (uint32_t)slot - 1)) {
			*id = (uint32_t)slot - 1;
			return HASH_KNOWN;
		}
	}
	return HASH_BEYOND;
}

void hash_clear(struct hash_index *index)
{
	mem_free(index->slots);
	*index = (struct hash_index){0};
}

void hash_reset(struct hash_index *index)
{
	enum { MOST_PLACES = 8192 };

	if (index->places > MOST_PLACES) {
		hash_clear(index);
		return;
	}
	if (index->n)
		memset(index->slots, 0, index->places * sizeof(*index->slots));
	index->n = 0;
}
