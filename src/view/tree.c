#include "view/tree.h"

#include "base/sort.h"

void tree_clear(struct tree *t)
{
	arena_clear(&t->arena);
	*t = (struct tree){0};
}

uint32_t *nodes_by_name(const struct model *m, struct arena *arena)
{
	uint32_t *order = arena_array(arena, m->nodes.n, sizeof(*order));
	struct span *names = mem_array(m->nodes.n, sizeof(*names));
	bool fine = order && names;

	for (size_t i = 0; fine && i < m->nodes.n; i++)
		names[i] = model_name(m, (uint32_t)i);
	fine = fine && sort_texts(names, order, m->nodes.n, SORT_BYTES);
	mem_free(names);
	return fine ? order : NULL;
}
