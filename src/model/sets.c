#include "model/sets.h"

#include "base/sort.h"

struct probe {
	const struct sets *sets;
	const uint32_t *strings;
	size_t n;
};

static bool same_set(const void *context, uint32_t id)
{
	const struct probe *p = context;
	const struct string_set *set = &p->sets->at.at[id];

	return set->n == p->n &&
		(!p->n || memcmp(set->at, p->strings, p->n * sizeof(*p->strings)) == 0);
}

/* The id of a sorted list, which is copied if it is new. */
static uint32_t intern(struct sets *s, const uint32_t *strings, size_t n)
{
	struct probe probe = {s, strings, n};
	uint64_t hash = hash_bytes(strings, n * sizeof(*strings));
	uint32_t id = hash_find(&s->index, hash, same_set, &probe), *list;

	if (id != NONE)
		return id;
	id = (uint32_t)s->at.n;
	if (s->at.n >= NONE - 1 || n > UINT32_MAX || !vec_reserve(&s->at, 1))
		return NONE;
	list = arena_array(&s->arena, n, sizeof(*list));
	if (!list || !hash_add(&s->index, hash, id))
		return NONE;
	if (n)
		memcpy(list, strings, n * sizeof(*list));
	s->at.at[s->at.n++] = (struct string_set){list, (uint32_t)n};
	return id;
}

bool sets_init(struct sets *s)
{
	const uint32_t none = 0;

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
	vec_clear(&s->scratch);
}

/* Begins a list of the first n strings of a set, with room for `more`. */
static bool begin_list(struct sets *s, const struct string_set *set, uint32_t n, size_t more)
{
	s->scratch.n = 0;
	if (!vec_reserve(&s->scratch, n + more))
		return false;
	if (n)
		memcpy(s->scratch.at, set->at, n * sizeof(*set->at));
	s->scratch.n = n;
	return true;
}

static uint32_t with(struct sets *s, const struct strings *strings, uint32_t id, uint32_t string)
{
	const struct string_set *set = &s->at.at[id];
	struct span text = strings_get(strings, string);
	uint32_t n = set->n, i = 0;

	while (i < n && set->at[i] != string &&
		span_compare(strings_get(strings, set->at[i]), text) < 0)
		i++;
	if (i < n && set->at[i] == string)
		return id;
	if (!begin_list(s, set, i, (size_t)n - i + 1))
		return NONE;
	s->scratch.at[i] = string;
	if (n > i)
		memcpy(s->scratch.at + i + 1, set->at + i, (n - i) * sizeof(*set->at));
	return intern(s, s->scratch.at, (size_t)n + 1);
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

/* Sorts the list by text, and drops repetitions. */
static bool normalize(struct sets *s, const struct strings *strings)
{
	uint32_t first[] = {0, (uint32_t)s->scratch.n}, *list = s->scratch.at;
	size_t n = 0;

	if (s->scratch.n >= NONE || !sort_text_groups(strings->text.at, list, first, 1))
		return false;
	for (size_t i = 0; i < s->scratch.n; i++)
		if (!n || list[n - 1] != list[i])
			list[n++] = list[i];
	s->scratch.n = n;
	return true;
}

uint32_t sets_with_all(struct sets *s, const struct strings *strings, uint32_t set,
	const uint32_t *more, size_t n)
{
	enum { FEW = 8 };
	const struct string_set *old = &s->at.at[set];

	if (n > FEW) {
		if (!begin_list(s, old, old->n, n))
			return NONE;
		memcpy(s->scratch.at + old->n, more, n * sizeof(*more));
		s->scratch.n += n;
		return normalize(s, strings) ? intern(s, s->scratch.at, s->scratch.n) : NONE;
	}
	for (size_t i = 0; set != NONE && i < n; i++)
		set = sets_with(s, strings, set, more[i]);
	return set;
}

uint32_t sets_without(struct sets *s, uint32_t set, uint32_t string)
{
	const struct string_set *old = &s->at.at[set];

	if (!begin_list(s, old, 0, old->n))
		return NONE;
	for (uint32_t i = 0; i < old->n; i++)
		if (old->at[i] != string)
			s->scratch.at[s->scratch.n++] = old->at[i];
	return intern(s, s->scratch.at, s->scratch.n);
}

uint32_t sets_add(struct sets *s, const struct string_set *set, const uint32_t *ids)
{
	if (!begin_list(s, set, 0, set->n))
		return NONE;
	for (uint32_t i = 0; i < set->n; i++)
		s->scratch.at[s->scratch.n++] = ids[set->at[i]];
	return intern(s, s->scratch.at, s->scratch.n);
}
