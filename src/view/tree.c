#include "view/tree.h"

#include "base/sort.h"

void tree_clear(struct tree *t)
{
	arena_clear(&t->arena);
	*t = (struct tree){0};
}

bool sort_nodes_by_name(const struct model *m, uint32_t *nodes, size_t n)
{
	uint32_t *order = mem_array(n, sizeof(*order));
	struct span *names = mem_array(n, sizeof(*names));
	bool fine = order && names;

	for (size_t i = 0; fine && i < n; i++)
		names[i] = model_name(m, nodes[i]);
	fine = fine && sort_texts(names, order, n, SORT_BYTES);
	for (size_t i = 0; fine && i < n; i++)
		order[i] = nodes[order[i]];
	if (fine && n)
		memcpy(nodes, order, n * sizeof(*nodes));
	mem_free(order);
	mem_free(names);
	return fine;
}

bool gather_names(struct tree *t, struct span *names, const uint32_t *order, size_t n)
{
	enum { AHEAD = 12 };
	size_t total = 0;
	char *at;

	for (size_t i = 0; i < n; i++)
		if (__builtin_add_overflow(total, names[order[i]].n, &total))
			return false;
	at = arena_alloc(&t->arena, total);
	for (size_t i = 0; at && i < n; i++) {
		struct span *name = &names[order[i]];

		if (i + 2 * AHEAD < n) {
			__builtin_prefetch(&names[order[i + 2 * AHEAD]]);
			__builtin_prefetch(names[order[i + AHEAD]].at);
		}
		if (name->n)
			memcpy(at, name->at, name->n);
		name->at = at;
		at += name->n;
	}
	return at != NULL;
}
