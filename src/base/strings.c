#include "base/strings.h"

#include "base/parallel.h"
#include "base/prefetch.h"

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

struct hash_job {
	const struct strings *strings;
	const uint32_t *ids;
	uint64_t *hashes;
	size_t n, parts;
};

static void hash_part(void *context, size_t part)
{
	enum { AHEAD = 12 };
	struct hash_job *job = context;
	const struct span *texts = job->strings->text.at;
	size_t end = parallel_begin(job->n, job->parts, part + 1);

	for (size_t i = parallel_begin(job->n, job->parts, part); i < end; i++) {
		if (end - i > AHEAD)
			prefetch_bytes(texts[job->ids[i + AHEAD]].at, texts[job->ids[i + AHEAD]].n);
		job->hashes[i] = strings_hash(texts[job->ids[i]]);
	}
}

/* A pool of a million names is larger than any cache: each look-up would wait
 * for memory. So hashes are made first, all at once, and slots asked for some
 * texts ahead. */
bool strings_index(struct strings *s, uint32_t *ids, size_t n)
{
	enum { AHEAD = 16, LEAST_PART = 16384 };
	struct hash_job job = {s, ids, mem_array(n, sizeof(*job.hashes)), n,
		parallel_parts(n, LEAST_PART)};
	bool fine = job.hashes && hash_reserve(&s->index, s->index.n + n);

	if (fine)
		parallel_run(job.parts, hash_part, &job);
	for (size_t i = 0; fine && i < n; i++) {
		struct probe probe = {s, s->text.at[ids[i]]};
		uint32_t known = hash_find(&s->index, job.hashes[i], same_text, &probe);

		if (n - i > AHEAD)
			hash_prefetch(&s->index, job.hashes[i + AHEAD]);
		if (known != NONE)
			ids[i] = known;
		else
			fine = hash_add(&s->index, job.hashes[i], ids[i]);
	}
	mem_free(job.hashes);
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
