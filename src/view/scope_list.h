/* The scopes of names: every prefix before a '/', each once, parents before their
 * children. 0 is the root, which no prefix is the name of. */
#ifndef TFPROF_VIEW_SCOPE_LIST_H
#define TFPROF_VIEW_SCOPE_LIST_H

#include "base/hash.h"
#include "base/span.h"
#include "base/vec.h"

struct scope {
	struct span name;
	size_t n_last;   /* how long its last component is */
	uint32_t hash;   /* of a short name: the half that an index keeps */
	uint32_t parent; /* scope; that of 0 is 0 */
};

struct scope_list {
	VEC(struct scope) at;
	struct hash_index index;
	VEC(struct scope) missing; /* names that are to be scopes, the shortest last */
};

/* With nothing but the root; false when memory is out. */
bool scope_list_init(struct scope_list *list, struct span root);
void scope_list_clear(struct scope_list *list);

/* The scope of this name, made with those above it if need be; NONE when memory
 * is out. */
uint32_t scope_list_make(struct scope_list *list, struct span name);

/* The scope that is the same as one of another list; its parent must be given as
 * this list knows it. NONE if there is none. */
uint32_t scope_list_find(const struct scope_list *list, const struct scope *scope);

/* The length of what is before the last '/'; SIZE_MAX if there is none. */
size_t scope_prefix_length(struct span name);

static inline struct span scope_last_component(const struct scope *scope)
{
	return (struct span){scope->name.at + scope->name.n - scope->n_last, scope->n_last};
}

#endif
