#include "count/graph.h"

#include "proto/tensor_shape.h"

void graph_clear(struct graph *g)
{
	vec_clear(&g->nodes);
	vec_clear(&g->edges);
	vec_clear(&g->attrs);
	vec_clear(&g->returns);
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

static struct tensor read_shape(struct span message)
{
	struct decoder d = {0};
	struct tensor_dims dims = tensor_dims(message);
	struct tensor_dim dim;
	int64_t at[TENSOR_MAX_RANK];
	int64_t rank = 0;

	while (tensor_dims_next(&d, &dims, &dim)) {
		if (rank < TENSOR_MAX_RANK)
			at[rank] = dim.size;
		rank++;
	}
	return d.failed || dims.unknown_rank ? tensor_unknown(0) : tensor_make(0, at, rank);
}

struct tensor node_output_shape(const struct graph *g, const struct op_node *node, size_t i)
{
	const struct op_attr *attr = node_attr(g, node, A__output_shapes);
	struct decoder d = {0};
	struct wire_reader r;
	struct wire_field f;

	if (!attr || attr->kind != OP_SHAPES)
		return tensor_unknown(0);
	r = wire_reader((struct span){attr->text, attr->n});
	while (decoder_find(&d, &r, WIRE_LEN(ATTR_VALUE_LIST_VALUE_SHAPE), &f))
		if (i-- == 0)
			return read_shape(f.bytes);
	return tensor_unknown(0);
}
