#include "model/sets.h"

struct probe {
	const struct sets *sets;
	const uint32_t *strings;
	size_t n;
};

static bool same_set(const void *context, uint32_t id)
{
	const struct probe *p = context;
	const struct string_set *set = &p->sets->at.at[id];

	return set->n == p->n && memcmp(set->at, p->strings, p->n * sizeof(*p->strings)) == 0;
}

/* The id of a sorted list that lives in the arena. */
static uint32_t intern(struct sets *s, const uint32_t *strings, size_t n)
{
	struct probe probe = {s, strings, n};
	uint64_t hash = hash_bytes(strings, n * sizeof(*strings));
	uint32_t id = hash_find(&s->index, hash, same_set, &probe);

	if (id != NONE)
		return id;
	id = (uint32_t)s->at.n;
	if (s->at.n >= NONE - 1 || !vec_reserve(&s->at, 1) || !hash_add(&s->index, hash, id))
		return NONE;
	s->at.at[s->at.n++] = (struct string_set){strings, (uint32_t)n};
	return id;
}

bool sets_init(struct sets *s)
{
	static const uint32_t none;

	*s = (struct sets){0};
	for (size_t i = 0; i < sizeof(s->memo) / sizeof(*s->memo); i++)
		s->memo[i].result = NONE;
	return intern(s, &none, 0) == 0;
}

void sets_clear(struct sets *s)
{
	vec_clear(&s->at);
	hash_clear(&s->index);
	arena_clear(&s->arena);
}

static uint32_t with(struct sets *s, const struct strings *strings, uint32_t id, uint32_t string)
{
	const struct string_set *set = &s->at.at[id];
	struct span text = strings_get(strings, string);
	uint32_t *list, n = set->n, i = 0;

	while (i < n && set->at[i] != string &&
		span_compare(strings_get(strings, set->at[i]), text) < 0)
		i++;
	if (i < n && set->at[i] == string)
		return id;
	list = arena_array(&s->arena, (size_t)n + 1, sizeof(*list));
	if (!list)
		return NONE;
	if (i)
		memcpy(list, set->at, i * sizeof(*list));
	list[i] = string;
	if (n > i)
		memcpy(list + i + 1, set->at + i, (n - i) * sizeof(*list));
	return intern(s, list, (size_t)n + 1);
}

uint32_t sets_with(struct sets *s, const struct strings *strings, uint32_t set, uint32_t string)
{
	struct set_memo *memo = &s->memo[(hash_mix(1, (uint64_t)set << 32 | string) >> 8) %
		(sizeof(s->memo) / sizeof(*s->memo))];

	if (memo->result != NONE && memo->set == set && memo->string == string)
		return memo->result;
	*memo = (struct set_memo){set, string, with(s, strings, set, string)};
	return memo->result;
}

uint32_t sets_add(struct sets *s, const struct string_set *set, const uint32_t *ids)
{
	uint32_t *list = arena_array(&s->arena, set->n, sizeof(*list));

	if (!list)
		return NONE;
	for (uint32_t i = 0; i < set->n; i++)
		list[i] = ids[set->at[i]];
	return intern(s, list, set->n);
}
