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

static uint64_t hash_text(struct span text)
{
	return hash_bytes(text.at, text.n);
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

uint32_t strings_find(const struct strings *s, struct span text)
{
	struct probe probe = {s, text};

	return hash_find(&s->index, hash_text(text), same_text, &probe);
}

bool strings_reserve(struct strings *s, size_t n)
{
	return vec_reserve(&s->text, n);
}

static uint32_t add(struct strings *s, struct span text, bool copy)
{
	struct probe probe = {s, text};
	uint64_t hash = hash_text(text);
	uint32_t id = hash_find(&s->index, hash, same_text, &probe);

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

uint32_t strings_append(struct strings *s, struct span text)
{
	if (s->text.n >= NONE - 1 || !vec_push(&s->text, text))
		return NONE;
	return (uint32_t)s->text.n - 1;
}

/* A pool of a million names is larger than any cache: each look-up would wait
 * for memory. So hashes are made some texts ahead, and their slots asked for. */
bool strings_index(struct strings *s, uint32_t *ids, size_t n)
{
	enum { AHEAD = 16 };
	uint64_t hashes[AHEAD];

	if (!hash_reserve(&s->index, s->index.n + n))
		return false;
	for (size_t i = 0; i < n + AHEAD; i++) {
		uint64_t *hash = &hashes[i % AHEAD];

		if (i >= AHEAD) {
			uint32_t *id = &ids[i - AHEAD], known;
			struct probe probe = {s, s->text.at[*id]};

			known = hash_find(&s->index, *hash, same_text, &probe);
			if (known != NONE)
				*id = known;
			else if (!hash_add(&s->index, *hash, *id))
				return false;
		}
		if (i < n) {
			*hash = hash_text(s->text.at[ids[i]]);
			hash_prefetch(&s->index, *hash);
		}
	}
	return true;
}

uint32_t strings_alias(struct strings *s, struct span text)
{
	return add(s, text, false);
}

uint32_t strings_add(struct strings *s, struct span text)
{
	return add(s, text, true);
}
