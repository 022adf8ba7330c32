#include "query/input_shapes.h"

void input_shapes_put_one(const struct model *m, struct buf *b, uint32_t node, uint32_t i)
{
	const struct edge *e = &m->edges.at[m->nodes.first_edge[node] + i];
	const struct shape *shape = shapes_get(&m->shapes, model_edge_shape(m, e));

	buf_int(b, e->position);
	buf_char(b, ':');
	if (shape->n)
		shape_put(b, shape);
	else
		buf_text(b, "unknown");
}

void input_shapes_put(const struct model *m, struct buf *b, uint32_t node, const char *separator)
{
	for (uint32_t i = 0; i < m->nodes.n_edges[node]; i++) {
		if (i)
			buf_text(b, separator);
		input_shapes_put_one(m, b, node, i);
	}
}
