/* The scopes of names: every prefix before a '/', once each, parents before their
 * children. Scope 0 is the root; its name is not a prefix. */
#ifndef TFPROF_VIEW_SCOPE_LIST_H
#define TFPROF_VIEW_SCOPE_LIST_H

#include "base/hash.h"
#include "base/span.h"
#include "base/vec.h"

struct scope {
	struct span name;
	size_t n_last;   /* length of its last component */
	uint32_t hash;   /* short names only: the half that an index keeps */
	uint32_t parent; /* scope; the root is its own parent */
};

struct scope_list {
	VEC(struct scope) at;
	struct hash_index index;
	VEC(struct scope) missing; /* prefixes still to be added, the shortest last */
};

/* Starts with the root alone; false on allocation failure. */
bool scope_list_init(struct scope_list *list, struct span root);
void scope_list_clear(struct scope_list *list);

/* Finds or adds the scope of this name and those above it; NONE on allocation
 * failure. */
uint32_t scope_list_make(struct scope_list *list, struct span name);

/* Finds a scope of another list in `list`; its parent must be given as numbered in
 * this list. NONE if there is none. */
uint32_t scope_list_find(const struct scope_list *list, const struct scope *scope);

/* The length up to the last '/'; SIZE_MAX if there is none. */
size_t scope_prefix_length(struct span name);

static inline struct span scope_last_component(const struct scope *scope)
{
	return (struct span){scope->name.at + scope->name.n - scope->n_last, scope->n_last};
}

#endif
