#include "base/strings.h"

#include "base/parallel.h"

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

/* With room for the few that follow, so that these need not be moved. */
bool strings_append(struct strings *s, size_t n)
{
	if (n >= NONE - 1 - s->text.n || !vec_reserve(&s->text, n + n / 8))
		return false;
	s->text.n += n;
	return true;
}

/* ---- many at once ------------------------------------------------------------- */

/* Each part owns a range of places, and the texts that begin there. */
struct index_job {
	struct strings *strings;
	uint32_t *ids;
	const uint32_t *hashes;
	size_t n, parts;
	struct index_part {
		size_t added;
		VEC(size_t) beyond; /* texts whose places are taken up to the end */
		bool failed;
	} part[PARALLEL_MAX];
};

static uint64_t hash_of(const struct index_job *job, size_t i)
{
	return (uint64_t)job->hashes[i] << 32;
}

static bool index_text(struct index_job *job, struct index_part *part, size_t i, size_t end)
{
	struct strings *s = job->strings;
	struct probe probe = {s, s->text.at[job->ids[i]]};

	switch (hash_put_before(&s->index, end, hash_of(job, i), &job->ids[i], same_text, &probe)) {
	case HASH_ADDED: part->added++; return true;
	case HASH_KNOWN: return true;
	case HASH_BEYOND: break;
	}
	return vec_push(&part->beyond, i);
}

/* An index of many names is larger than the cache: without prefetching its slots, a
 * one-shot op view takes 5 % longer. */
static void index_part(void *context, size_t p)
{
	enum { AHEAD = 16 };
	struct index_job *job = context;
	struct index_part *part = &job->part[p];
	const struct hash_index *index = &job->strings->index;
	size_t begin = parallel_begin(index->places, job->parts, p);
	size_t end = parallel_begin(index->places, job->parts, p + 1);

	for (size_t i = 0; !part->failed && i < job->n; i++) {
		size_t place = hash_begin(index, hash_of(job, i));

		if (job->n - i > AHEAD)
			hash_prefetch(index, hash_of(job, i + AHEAD));
		if (place >= begin && place < end)
			part->failed = !index_text(job, part, i, end);
	}
}

/* Texts that did not fit into the range of their part. */
static bool index_beyond(struct index_job *job, const struct index_part *part)
{
	struct strings *s = job->strings;

	for (size_t k = 0; k < part->beyond.n; k++) {
		size_t i = part->beyond.at[k];
		uint32_t known = strings_find_hashed(s, s->text.at[job->ids[i]], hash_of(job, i));

		if (known != NONE)
			job->ids[i] = known;
		else if (!hash_add(&s->index, hash_of(job, i), job->ids[i]))
			return false;
	}
	return true;
}

bool strings_index(struct strings *s, uint32_t *ids, const uint32_t *hashes, size_t n)
{
	enum { LEAST_PART = 16384 };
	struct index_job job = {.strings = s,
		.ids = ids,
		.hashes = hashes,
		.n = n,
		.parts = parallel_parts(n, LEAST_PART)};
	bool ok = hash_reserve(&s->index, s->index.n + n);

	if (ok)
		parallel_run(job.parts, index_part, &job);
	for (size_t i = 0; i < job.parts; i++)
		s->index.n += job.part[i].added;
	for (size_t i = 0; i < job.parts; i++) {
		ok = ok && !job.part[i].failed && index_beyond(&job, &job.part[i]);
		vec_clear(&job.part[i].beyond);
	}
	return ok;
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
