#include "view/scope_list.h"

/* A scope is known by its name, but one of a long name by its parent and its last
 * component: a name may have as many prefixes as bytes, and reading each of them
 * from its beginning would take for ever. */
enum { SHORT_NAME = 256 };

struct scope_probe {
	const struct scope_list *list;
	const struct scope *scope;
	size_t from; /* bytes before this are those of its parent */
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

/* A long name is hashed by the number of its parent, not by the parent's hash: hashes
 * made of hashes come back to where they were after some ten thousand steps, and then
 * many scopes have the same. */
static uint64_t hash_of(const struct scope *scope)
{
	struct span last = scope_last_component(scope);

	if (scope->name.n <= SHORT_NAME)
		return (uint64_t)scope->hash << 32;
	return hash_mix(hash_bytes(last.at, last.n), scope->parent);
}

/* The parent of a long name must be known. */
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

/* The root is not looked up. */
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

/* Of a short name most scopes are known: the longest is looked for first. */
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

/* Of any name: beyond what is short, from parent to child. */
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
