/* From keys, numbers of 64 bits that anybody may have chosen, to places; of equal keys the last
 * counts. */
#ifndef TFPROF_LOAD_ANATOMY_KEYS_H
#define TFPROF_LOAD_ANATOMY_KEYS_H

#include "base/hash.h"
#include "base/vec.h"

struct key_place {
	uint64_t key;
	uint32_t place;
};

struct keys {
	VEC(struct key_place) at;
	struct hash_index index;
};

struct key_probe {
	const struct keys *k;
	uint64_t key;
};

static inline bool keys_is_same(const void *context, uint32_t i)
{
	const struct key_probe *probe = context;

	return probe->k->at.at[i].key == probe->key;
}

/* NULL: there is none. */
static inline struct key_place *keys_find(const struct keys *k, uint64_t key)
{
	struct key_probe probe = {k, key};
	uint32_t i = hash_find(&k->index, hash_bytes(&key, sizeof(key)), keys_is_same, &probe);

	return i == NONE ? NULL : &k->at.at[i];
}

/* False on allocation failure. */
static inline bool keys_set(struct keys *k, uint64_t key, uint32_t place)
{
	struct key_place *known = keys_find(k, key);

	if (known) {
		known->place = place;
		return true;
	}
	return k->at.n < NONE - 1 && vec_push(&k->at, ((struct key_place){key, place})) &&
		hash_add(&k->index, hash_bytes(&key, sizeof(key)), (uint32_t)k->at.n - 1);
}

static inline void keys_clear(struct keys *k)
{
	vec_clear(&k->at);
	hash_clear(&k->index);
}

#endif
