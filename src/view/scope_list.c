#include "view/scope_list.h"

/* A scope is identified by its name or, if that is long, by its parent and its last
 * component: a name may have as many prefixes as bytes, and comparing each of them
 * from its start would take quadratic time. */
enum { SHORT_NAME = 256 };

struct scope_probe {
	const struct scope_list *list;
	const struct scope *scope;
	size_t from; /* bytes before this belong to the parent */
};

static bool same_scope(const void *context, uint32_t id)
{
	const struct scope_probe *p = context;
	const struct scope *a = &p->list->at.at[id], *b = p->scope;

	return a->name.n == b->name.n && (!p->from || a->parent == b->parent) &&
		(b->name.n == p->from ||
			memcmp(a->name.at + p->from, b->name.at + p->from, b->name.n - p->from) ==
				0);
}

size_t scope_prefix_length(struct span name)
{
	const char *slash = name.n ? memrchr(name.at, '/', name.n) : NULL;

	return slash ? (size_t)(slash - name.at) : SIZE_MAX;
}

/* A long name is hashed with the number of its parent, not the parent's hash: chained
 * hashes cycle after some ten thousand steps, and then many scopes collide. */
static uint64_t hash_of(const struct scope *scope)
{
	struct span last = scope_last_component(scope);

	if (scope->name.n <= SHORT_NAME)
		return (uint64_t)scope->hash << 32;
	return hash_mix(hash_bytes(last.at, last.n), scope->parent);
}

/* A long name needs its parent. */
uint32_t scope_list_find(const struct scope_list *list, const struct scope *scope)
{
	struct scope_probe probe = {list, scope, 0};

	if (scope->name.n > SHORT_NAME)
		probe.from = scope->name.n - scope->n_last;
	return hash_find(&list->index, hash_of(scope), same_scope, &probe);
}

static uint32_t add_scope(struct scope_list *list, struct scope scope)
{
	if (list->at.n >= NONE - 1 ||
		!hash_add(&list->index, hash_of(&scope), (uint32_t)list->at.n) ||
		!vec_push(&list->at, scope))
		return NONE;
	return (uint32_t)list->at.n - 1;
}

/* The root is added without an entry in the index: it is never looked up. */
bool scope_list_init(struct scope_list *list, struct span root)
{
	*list = (struct scope_list){0};
	return vec_push(&list->at, (struct scope){.name = root});
}

void scope_list_clear(struct scope_list *list)
{
	vec_clear(&list->at);
	hash_clear(&list->index);
	vec_clear(&list->missing);
}

/* Most prefixes of a short name are known, so the longest is looked up first. */
static uint32_t make_short(struct scope_list *list, struct span name)
{
	uint32_t scope = 0;

	list->missing.n = 0;
	while (name.n != SIZE_MAX) {
		struct scope wanted = {.name = name, .hash = hash_bytes(name.at, name.n) >> 32};

		scope = scope_list_find(list, &wanted);
		if (scope != NONE)
			break;
		scope = 0;
		name.n = scope_prefix_length(name);
		wanted.n_last = wanted.name.n - (name.n + 1); /* SIZE_MAX + 1 is 0 */
		if (!vec_push(&list->missing, wanted))
			return NONE;
	}
	while (list->missing.n && scope != NONE) {
		struct scope fresh = list->missing.at[--list->missing.n];

		fresh.parent = scope;
		scope = add_scope(list, fresh);
	}
	return scope;
}

/* Beyond the short prefix, goes from parent to child. */
uint32_t scope_list_make(struct scope_list *list, struct span name)
{
	struct scope wanted = {.name = name};
	size_t end = name.n;
	uint32_t scope;

	if (name.n > SHORT_NAME)
		end = scope_prefix_length((struct span){name.at, SHORT_NAME + 1});
	scope = end == SIZE_MAX ? 0 : make_short(list, (struct span){name.at, end});
	while (end != name.n && scope != NONE) {
		size_t from = end == SIZE_MAX ? 0 : end + 1;
		const char *slash = memchr(name.at + from, '/', name.n - from);

		end = slash ? (size_t)(slash - name.at) : name.n;
		wanted.name.n = end;
		wanted.n_last = end - from;
		wanted.parent = scope;
		scope = scope_list_find(list, &wanted);
		if (scope == NONE)
			scope = add_scope(list, wanted);
	}
	return scope;
}
