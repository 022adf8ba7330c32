#include "view/tree.h"

#include "base/sort.h"

void tree_clear(struct tree *t)
{
	mem_free(t->parent);
	mem_free(t->node);
	mem_free(t->label);
	mem_free(t->frames);
	arena_clear(&t->arena);
	*t = (struct tree){0};
}

bool sort_nodes_by_name(const struct model *m, uint32_t *nodes, size_t n)
{
	uint32_t *order = mem_array(n, sizeof(*order));
	struct span *names = mem_array(n, sizeof(*names));
	bool ok = order && names;

	for (size_t i = 0; ok && i < n; i++)
		names[i] = model_name(m, nodes[i]);
	ok = ok && sort_texts(names, order, n);
	for (size_t i = 0; ok && i < n; i++)
		order[i] = nodes[order[i]];
	if (ok && n)
		memcpy(nodes, order, n * sizeof(*nodes));
	mem_free(order);
	mem_free(names);
	return ok;
}
