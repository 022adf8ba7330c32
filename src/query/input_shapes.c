#include "query/input_shapes.h"

#include "model/run_shapes.h"

uint32_t query_edge_shape(const struct query *q, const struct edge *e)
{
	return q->options->tolerant ? model_edge_shape(q->model, e)
				    : run_shapes_of_edge(q->model, e, q->options->number[OPT_STEP]);
}

void input_shapes_put_one(const struct query *q, struct buf *b, uint32_t node, uint32_t i)
{
	const struct model *m = q->model;
	const struct edge *e = &m->edges.at[m->nodes.first_edge[node] + i];
	const struct shape *shape = shapes_get(&m->shapes, query_edge_shape(q, e));

	buf_int(b, e->position);
	buf_char(b, ':');
	if (shape->n)
		shape_put(b, shape);
	else
		buf_text(b, "unknown");
}

void input_shapes_put(const struct query *q, struct buf *b, uint32_t node, const char *separator)
{
	for (uint32_t i = 0; i < q->model->nodes.n_edges[node]; i++) {
		if (i)
			buf_text(b, separator);
		input_shapes_put_one(q, b, node, i);
	}
}
