/* Interned sets of strings, each in byte order of its texts. Nodes share few
 * distinct type sets, so a regex over types runs once per set, not per node.
 * Id 0 is the empty set.
 *
 *     id → { string ids, how many }
 */
#ifndef TFPROF_MODEL_SETS_H
#define TFPROF_MODEL_SETS_H

#include "base/strings.h"

struct string_set {
	const uint32_t *at;
	uint32_t n;
};

struct sets {
	VEC(struct string_set) at;
	struct hash_index index;
	struct arena arena;
	VEC(uint32_t) scratch; /* members of the set being made */
	/* (set, string) → set of the latest additions, so that repeating one is
	 * a look, not a search. */
	struct set_memo {
		uint32_t set, string, result;
	} memo[256];
};

bool sets_init(struct sets *s);
void sets_clear(struct sets *s);

/* The set with one more string. NONE on allocation failure. */
uint32_t sets_with(struct sets *s, const struct strings *strings, uint32_t set, uint32_t string);
/* With all of these, in any order, some maybe twice. However many they are, no more than
 * a few sets are made. */
uint32_t sets_with_all(struct sets *s, const struct strings *strings, uint32_t set,
	const uint32_t *more, size_t n);
/* Without a string, if it is there. */
uint32_t sets_without(struct sets *s, uint32_t set, uint32_t string);

/* The set of the same texts as one of another pool, whose string `i` is `ids[i]`
 * here. NONE on allocation failure. */
uint32_t sets_add(struct sets *s, const struct string_set *set, const uint32_t *ids);

static inline const struct string_set *sets_get(const struct sets *s, uint32_t id)
{
	return &s->at.at[id];
}

#endif
