/* Hashing and an index from hash to a 32-bit id.
 *
 * The index stores no keys: it remembers where ids are, the caller says
 * whether an id is the one it looks for. So one table serves strings, shapes,
 * type sets and call stacks.
 *
 *     slot = { high half of the hash | id + 1 }, 0 = empty; linear probing
 */
#ifndef TFPROF_BASE_HASH_H
#define TFPROF_BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/prefetch.h"

#define NONE UINT32_MAX

static inline uint64_t hash_multiply(uint64_t a, uint64_t b)
{
	__uint128_t wide = (__uint128_t)a * b;

	return (uint64_t)wide ^ (uint64_t)(wide >> 64);
}

/* For numbers of our own making: the same in every process. */
static inline uint64_t hash_mix(uint64_t h, uint64_t word)
{
	return hash_multiply(h ^ word, 0x9e3779b97f4a7c15u);
}

/* Texts come from files that anybody may have made. If their hashes were predictable,
 * a file could hold names that all collide, and looking them up would take quadratic
 * time. So each process has its own seed: the address at which the system loaded it,
 * which needs no state. Only places in tables depend on it. */
extern const char hash_place;

static inline uint64_t hash_secret(void)
{
	return hash_multiply((uintptr_t)&hash_place, 0x9e3779b97f4a7c15u) | 1;
}

/* Sixteen bytes per step, because each multiplication waits for the one before it. */
static inline uint64_t hash_bytes(const void *bytes, size_t n)
{
	const char *p = bytes;
	const uint64_t secret = hash_secret();
	uint64_t h = n * 0xff51afd7ed558ccdu + secret, word, next;

	for (; n >= 16; n -= 16, p += 16) {
		memcpy(&word, p, 8);
		memcpy(&next, p + 8, 8);
		h = hash_multiply(h ^ word, next ^ secret);
	}
	if (n >= 8) {
		memcpy(&word, p, 8);
		h = hash_multiply(h ^ word, secret);
		n -= 8;
		p += 8;
	}
	if (n >= 4) {
		uint32_t head, tail;

		memcpy(&head, p, 4);
		memcpy(&tail, p + n - 4, 4);
		return hash_multiply(h ^ (head | (uint64_t)tail << 32), secret);
	}
	word = n ? (unsigned char)p[0] | (uint64_t)(unsigned char)p[n / 2] << 8 |
			(uint64_t)(unsigned char)p[n - 1] << 16
		 : 0;
	return hash_multiply(h ^ word, secret);
}

struct hash_index {
	uint64_t *slots;
	size_t places;
	size_t n;
};

/* Where a search begins: from the upper half of the hash, which is all that a slot
 * keeps. The number of places need not be a power of two, so a large table is no
 * larger than necessary. */
static inline size_t hash_begin(const struct hash_index *index, uint64_t hash)
{
	return (hash >> 32) * index->places >> 32;
}

/* Calls same(context, id) on candidates. NONE if no id is the same. */
typedef bool hash_same_fn(const void *context, uint32_t id);

uint32_t hash_find(const struct hash_index *index, uint64_t hash, hash_same_fn *same,
	const void *context);
/* Prefetches what a later search of this hash looks at first. */
PREFETCHES hash_prefetch(const struct hash_index *index, uint64_t hash)
{
	if (index->slots)
		prefetch_line(&index->slots[hash_begin(index, hash)]);
}
/* The id in the first slot of a search if it may be the one searched for, else NONE:
 * for prefetching what the search will compare. */
static inline uint32_t hash_peek(const struct hash_index *index, uint64_t hash)
{
	uint64_t slot = index->slots ? index->slots[hash_begin(index, hash)] : 0;

	return slot && slot >> 32 == hash >> 32 ? (uint32_t)slot - 1 : NONE;
}
/* Adds an id that is not in the index. False on allocation failure. */
bool hash_add(struct hash_index *index, uint64_t hash, uint32_t id);
/* Room for n ids in all, so that adding them never rehashes. */
bool hash_reserve(struct hash_index *index, size_t n);

/* Adding many in parallel, once there is room for all: each thread adds the hashes
 * that begin in its own range of places. */
enum hash_put {
	HASH_ADDED,  /* added; the caller adds their number to index->n */
	HASH_KNOWN,  /* *id is now the id that was there */
	HASH_BEYOND, /* neither: no free place before the end of the range */
};

enum hash_put hash_put_before(struct hash_index *index, size_t end, uint64_t hash, uint32_t *id,
	hash_same_fn *same, const void *context);
void hash_clear(struct hash_index *index);
/* Makes it empty, but keeps its memory unless that is large. */
void hash_reset(struct hash_index *index);

#endif
