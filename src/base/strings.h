/* The string pool: equal text has one 32-bit id, so comparing is comparing
 * ids. Id 0 is always the empty string.
 *
 *     id → { text, length }      text aliases the input it came from, or
 *     hash → id                  the pool's own arena
 */
#ifndef TFPROF_BASE_STRINGS_H
#define TFPROF_BASE_STRINGS_H

#include "base/arena.h"
#include "base/hash.h"
#include "base/vec.h"

struct strings {
	VEC(struct span) text;
	struct hash_index index;
	struct arena arena;
};

bool strings_init(struct strings *s);
void strings_clear(struct strings *s);

/* Room for n more texts, so that adding them moves nothing. */
bool strings_reserve(struct strings *s, size_t n);

/* The id of a text, added if it is new. `strings_alias` keeps pointing at the caller's
 * bytes, which must outlive the pool; `strings_add` copies them. NONE on allocation
 * failure, or after 4 billion ids. */
uint32_t strings_alias(struct strings *s, struct span text);
uint32_t strings_add(struct strings *s, struct span text);
uint32_t strings_find(const struct strings *s, struct span text);

/* The same with a hash computed earlier. A pool of a million names is larger than any
 * cache, so loops that look up many texts hash a few texts ahead and prefetch: first
 * the slot, then, once that is there, the text it leads to. */
static inline uint64_t strings_hash(struct span text)
{
	return hash_bytes(text.at, text.n);
}

PREFETCHES strings_prefetch(const struct strings *s, uint64_t hash)
{
	hash_prefetch(&s->index, hash);
}

PREFETCHES strings_prefetch_text(const struct strings *s, uint64_t hash)
{
	uint32_t id = hash_peek(&s->index, hash);

	if (id != NONE)
		prefetch_line(s->text.at[id].at);
}

uint32_t strings_find_hashed(const struct strings *s, struct span text, uint64_t hash);
uint32_t strings_alias_hashed(struct strings *s, struct span text, uint64_t hash);

/* Appends n ids for texts that the caller fills in; they alias bytes that outlive the
 * pool. They are found only after strings_index(). False on allocation failure. */
bool strings_append(struct strings *s, size_t n);

/* The half of a hash that finds a place, for storing many. */
static inline uint32_t strings_short_hash(struct span text)
{
	return strings_hash(text) >> 32;
}

/* Makes appended texts findable, by their short hashes; replaces those of `ids` whose
 * text already had an id. False on allocation failure. */
bool strings_index(struct strings *s, uint32_t *ids, const uint32_t *hashes, size_t n);

static inline struct span strings_get(const struct strings *s, uint32_t id)
{
	return s->text.at[id];
}

#endif
