#include "write/ranking.h"

#include "base/mem.h"

/* The number of levels an id is on; each level has half as many ids as the one below.
 * A hash is as good as a random number here, and reproducible. */
static uint32_t levels_of(uint32_t id)
{
	uint64_t bits = hash_mix(id + 1, 0x5851f42d4c957f2du) | (uint64_t)1 << (RANKING_LEVELS - 1);

	return (uint32_t)__builtin_ctzll(bits) + 1;
}

void ranking_reset(struct ranking *r)
{
	for (int level = 0; level < RANKING_LEVELS; level++)
		r->head[level] = NONE;
	memset(r->bytes, 0, r->n * sizeof(*r->bytes));
}

bool ranking_init(struct ranking *r, size_t n)
{
	size_t n_links = 0;

	*r = (struct ranking){.n = n};
	for (size_t id = 0; id < n; id++)
		n_links += levels_of((uint32_t)id);
	r->bytes = mem_array(n, sizeof(*r->bytes));
	r->first_link = mem_array(n, sizeof(*r->first_link));
	r->links = mem_array(n_links, sizeof(*r->links));
	if (!r->bytes || !r->first_link || !r->links || n_links > UINT32_MAX)
		return false;
	n_links = 0;
	for (size_t id = 0; id < n; id++) {
		r->first_link[id] = (uint32_t)n_links;
		n_links += levels_of((uint32_t)id);
	}
	ranking_reset(r);
	return true;
}

void ranking_clear(struct ranking *r)
{
	mem_free(r->bytes);
	mem_free(r->first_link);
	mem_free(r->links);
	*r = (struct ranking){0};
}

/* The link from `id`, or from the head if NONE, on a level. */
static uint32_t *link_of(struct ranking *r, uint32_t id, int level)
{
	return id == NONE ? &r->head[level] : &r->links[r->first_link[id] + (uint32_t)level];
}

static bool ranks_before(const struct ranking *r, uint32_t a, int64_t bytes, uint32_t id)
{
	return r->bytes[a] != bytes ? r->bytes[a] > bytes : a < id;
}

/* The last id on each level that ranks before (bytes, id); NONE is the head. */
static void find(struct ranking *r, int64_t bytes, uint32_t id, uint32_t *before)
{
	uint32_t at = NONE;

	for (int level = RANKING_LEVELS - 1; level >= 0; level--) {
		uint32_t next;

		while ((next = *link_of(r, at, level)) != NONE && ranks_before(r, next, bytes, id))
			at = next;
		before[level] = at;
	}
}

void ranking_set(struct ranking *r, uint32_t id, int64_t bytes)
{
	uint32_t before[RANKING_LEVELS];
	int n_levels = (int)levels_of(id);

	if (r->bytes[id] > 0) {
		find(r, r->bytes[id], id, before);
		for (int level = 0; level < n_levels; level++)
			*link_of(r, before[level], level) = *link_of(r, id, level);
	}
	r->bytes[id] = bytes;
	if (bytes <= 0)
		return;
	find(r, bytes, id, before);
	for (int level = 0; level < n_levels; level++) {
		*link_of(r, id, level) = *link_of(r, before[level], level);
		*link_of(r, before[level], level) = id;
	}
}

uint32_t ranking_at_most(const struct ranking *r, int64_t bytes)
{
	uint32_t before[RANKING_LEVELS];

	/* Neither function writes to the ranking. */
	find((struct ranking *)(uintptr_t)r, bytes, 0, before);
	return *link_of((struct ranking *)(uintptr_t)r, before[0], 0);
}

uint32_t ranking_next(const struct ranking *r, uint32_t id)
{
	return r->links[r->first_link[id]];
}
