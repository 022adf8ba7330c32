#include "base/sort.h"
#include "view/groups.h"

/* op[string] is turned from "how many nodes" into the group's number. */
static bool build(struct groups *g, const struct model *m, struct arena *scratch)
{
	size_t n = m->nodes.n;
	uint32_t *count = arena_zero(scratch, m->strings.text.n, sizeof(*count));
	uint32_t *found = arena_array(scratch, n, sizeof(*found)), *order, *fill;
	struct span *names;

	if (!count || !found)
		return false;
	for (size_t i = 0; i < n; i++)
		if (count[m->nodes.op[i]]++ == 0)
			found[g->n++] = m->nodes.op[i];
	names = arena_array(scratch, g->n, sizeof(*names));
	order = arena_array(scratch, g->n, sizeof(*order));
	g->op = arena_array(&g->arena, g->n, sizeof(*g->op));
	g->first = arena_zero(&g->arena, (size_t)g->n + 2, sizeof(*g->first));
	g->nodes = arena_array(&g->arena, n, sizeof(*g->nodes));
	if (!names || !order || !g->op || !g->first || !g->nodes)
		return false;
	for (uint32_t i = 0; i < g->n; i++)
		names[i] = model_text(m, found[i]);
	if (!sort_texts(names, order, g->n))
		return false;
	fill = g->first + 1;
	for (uint32_t i = 0; i < g->n; i++) {
		g->op[i] = found[order[i]];
		fill[i + 1] = fill[i] + count[g->op[i]];
		count[g->op[i]] = i;
	}
	for (size_t i = 0; i < n; i++)
		g->nodes[fill[count[m->nodes.op[i]]]++] = (uint32_t)i;
	return true;
}

enum tfprof_status groups_build(struct groups *g, const struct model *m, struct tfprof_error *err)
{
	struct arena scratch = {0};
	bool fine = build(g, m, &scratch);

	arena_clear(&scratch);
	if (fine)
		return TFPROF_OK;
	groups_clear(g);
	return error_no_memory(err);
}

void groups_clear(struct groups *g)
{
	arena_clear(&g->arena);
	*g = (struct groups){0};
}
