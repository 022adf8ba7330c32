#include "count/graph.h"

#include "proto/decoder.h"

void graph_clear(struct graph *g)
{
	vec_clear(&g->nodes);
	vec_clear(&g->edges);
	vec_clear(&g->attrs);
	vec_clear(&g->returns);
	vec_clear(&g->effects);
	arena_clear(&g->arena);
}

void graph_reset(struct graph *g)
{
	enum { KEPT_BYTES = 1024 * 1024 };

	g->nodes.n = g->edges.n = g->attrs.n = g->returns.n = g->effects.n = 0;
	g->n_args = 0;
	g->has_loops = false;
	arena_reset(&g->arena, KEPT_BYTES);
}

void graph_check_edges(struct graph *g)
{
	size_t n = 0;

	for (uint32_t i = 0; i < g->nodes.n; i++) {
		const struct op_node *node = &g->nodes.at[i];

		for (uint32_t k = 0; k < node->n_edges; k++)
			if (g->edges.at[node->first_edge + k].node >= g->nodes.n)
				g->edges.at[node->first_edge + k] = (struct op_edge){i, 0};
	}
	for (size_t i = 0; i < g->returns.n; i++)
		if (g->returns.at[i].node < g->nodes.n)
			g->returns.at[n++] = g->returns.at[i];
	g->returns.n = n;
}

bool *graph_find_needed(const struct graph *g, size_t first, size_t n)
{
	bool *seen = mem_zero_array(g->nodes.n + 1, sizeof(*seen));
	VEC(uint32_t) stack = {0};
	bool ok = seen;

	for (size_t i = first; ok && i < first + n; i++)
		ok = vec_push(&stack, g->returns.at[i].node);
	while (ok && stack.n) {
		uint32_t at = stack.at[--stack.n];
		const struct op_node *node = &g->nodes.at[at];

		if (seen[at])
			continue;
		seen[at] = true;
		ok = vec_reserve(&stack, node->n_edges);
		for (uint32_t k = 0; ok && k < node->n_edges; k++)
			stack.at[stack.n++] = g->edges.at[node->first_edge + k].node;
	}
	vec_clear(&stack);
	if (ok)
		return seen;
	mem_free(seen);
	return NULL;
}

const struct op_attr *node_attr(const struct graph *g, const struct op_node *node, enum attr_id id)
{
	for (uint32_t i = 0; i < node->n_attrs; i++)
		if (g->attrs.at[node->first_attr + i].id == id)
			return &g->attrs.at[node->first_attr + i];
	return NULL;
}

int64_t node_int(const struct graph *g, const struct op_node *node, enum attr_id id,
	int64_t otherwise)
{
	const struct op_attr *attr = node_attr(g, node, id);

	return attr && attr->kind == OP_INT ? attr->number : otherwise;
}

struct span node_text(const struct graph *g, const struct op_node *node, enum attr_id id)
{
	const struct op_attr *attr = node_attr(g, node, id);

	if (!attr || attr->kind != OP_TEXT)
		return (struct span){"", 0};
	return (struct span){attr->text, attr->n};
}

int node_ints(const struct graph *g, const struct op_node *node, enum attr_id id, int64_t *at,
	int max)
{
	const struct op_attr *attr = node_attr(g, node, id);

	if (!attr || attr->kind != OP_INTS || attr->n > (uint32_t)max)
		return -1;
	for (uint32_t i = 0; i < attr->n; i++)
		at[i] = attr->ints[i];
	return (int)attr->n;
}

struct tensor node_output_shape(const struct graph *g, const struct op_node *node, size_t i)
{
	const struct op_attr *attr = node_attr(g, node, A__output_shapes);
	struct decoder d = {0};
	struct wire_reader value, r;
	struct wire_field list, f;

	if (!attr || attr->kind != OP_SHAPES)
		return tensor_unknown(0);
	value = wire_reader((struct span){attr->text, attr->n});
	while (decoder_find(&d, &value, WIRE_LEN(ATTR_VALUE_LIST), &list)) {
		r = wire_reader(list.bytes);
		while (decoder_find(&d, &r, WIRE_LEN(ATTR_VALUE_LIST_VALUE_SHAPE), &f))
			if (i-- == 0)
				return tensor_read(&d, 0, f.bytes);
	}
	return tensor_unknown(0);
}
