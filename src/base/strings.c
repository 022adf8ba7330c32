#include "base/strings.h"

struct probe {
	const struct strings *strings;
	struct span text;
};

static bool same_text(const void *context, uint32_t id)
{
	const struct probe *probe = context;

	return span_equal(probe->strings->text.at[id], probe->text);
}

bool strings_init(struct strings *s)
{
	*s = (struct strings){0};
	return strings_alias(s, SPAN("")) == 0;
}

void strings_clear(struct strings *s)
{
	vec_clear(&s->text);
	hash_clear(&s->index);
	arena_clear(&s->arena);
}

uint32_t strings_find_hashed(const struct strings *s, struct span text, uint64_t hash)
{
	struct probe probe = {s, text};

	return hash_find(&s->index, hash, same_text, &probe);
}

uint32_t strings_find(const struct strings *s, struct span text)
{
	return strings_find_hashed(s, text, strings_hash(text));
}

bool strings_reserve(struct strings *s, size_t n)
{
	return vec_reserve(&s->text, n) && hash_reserve(&s->index, s->index.n + n);
}

static uint32_t add(struct strings *s, struct span text, uint64_t hash, bool copy)
{
	uint32_t id = strings_find_hashed(s, text, hash);

	if (id != NONE)
		return id;
	if (s->text.n >= NONE - 1)
		return NONE;
	if (copy) {
		text = arena_copy(&s->arena, text);
		if (!text.at)
			return NONE;
	}
	id = (uint32_t)s->text.n;
	if (!vec_reserve(&s->text, 1) || !hash_add(&s->index, hash, id))
		return NONE;
	s->text.at[s->text.n++] = text;
	return id;
}

bool strings_append(struct strings *s, size_t n)
{
	if (n >= NONE - 1 - s->text.n || !vec_reserve(&s->text, n))
		return false;
	s->text.n += n;
	return true;
}

/* A pool of a million names is larger than any cache: each look-up would wait
 * for memory, so slots are asked for some texts ahead. */
bool strings_index(struct strings *s, uint32_t *ids, const uint32_t *hashes, size_t n)
{
	enum { AHEAD = 16 };
	bool fine = hash_reserve(&s->index, s->index.n + n);

	for (size_t i = 0; fine && i < n; i++) {
		struct probe probe = {s, s->text.at[ids[i]]};
		uint64_t hash = (uint64_t)hashes[i] << 32;
		uint32_t known = hash_find(&s->index, hash, same_text, &probe);

		if (n - i > AHEAD)
			hash_prefetch(&s->index, (uint64_t)hashes[i + AHEAD] << 32);
		if (known != NONE)
			ids[i] = known;
		else
			fine = hash_add(&s->index, hash, ids[i]);
	}
	return fine;
}

uint32_t strings_alias_hashed(struct strings *s, struct span text, uint64_t hash)
{
	return add(s, text, hash, false);
}

uint32_t strings_alias(struct strings *s, struct span text)
{
	return add(s, text, strings_hash(text), false);
}

uint32_t strings_add(struct strings *s, struct span text)
{
	return add(s, text, strings_hash(text), true);
}
