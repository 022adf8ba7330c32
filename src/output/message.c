/* Nested messages carry their length in front, so sizes are added up from the
 * leaves first; then everything is written once, in order:
 *
 *     bodies    the fields of each row without its children, row by row
 *     size[i]   body + children with their headers
 */
#include "output/message.h"

#include "base/sort.h"
#include "checkpoint/checkpoint.h"
#include "output/report.h"
#include "output/tensor_value.h"
#include "proto/wire_write.h"

/* Where each metric stands in a message. */
struct metric_fields {
	uint32_t own, total;
};

static const struct metric_fields graph_fields[N_METRICS] = {
	[METRIC_MICROS] = {2, 6}, [METRIC_ACCELERATOR] = {17, 19}, [METRIC_CPU] = {18, 20},
	[METRIC_BYTES] = {3, 7}, [METRIC_PEAK] = {24, 27}, [METRIC_RESIDUAL] = {25, 28},
	[METRIC_OUTPUT] = {26, 29}, [METRIC_PARAMS] = {4, 8}, [METRIC_FLOAT_OPS] = {13, 14},
	[METRIC_RUNS] = {21, 22},
};

static const struct metric_fields multi_fields[N_METRICS] = {
	[METRIC_MICROS] = {2, 6}, [METRIC_ACCELERATOR] = {12, 14}, [METRIC_CPU] = {13, 15},
	[METRIC_BYTES] = {3, 7}, [METRIC_PEAK] = {16, 19}, [METRIC_RESIDUAL] = {17, 20},
	[METRIC_OUTPUT] = {18, 21}, [METRIC_PARAMS] = {4, 8}, [METRIC_FLOAT_OPS] = {5, 9},
};

enum {
	GRAPH_DEVICES = 10, GRAPH_CHILDREN = 12, GRAPH_TENSOR_VALUE = 15, GRAPH_INPUT_SHAPES = 16,
	GRAPH_DEFINED = 23,
	MULTI_GRAPH_NODES = 10, MULTI_CHILDREN = 11,
};

static void put_shape(struct buf *b, const struct shape *shape)
{
	size_t open = wire_open(b, 2), dim;

	for (uint32_t i = 0; i < shape->n; i++) {
		dim = wire_open(b, 2);
		wire_put_nonzero(b, 1, shape->dims[i]);
		wire_close(b, dim);
	}
	if (!shape->n)
		wire_put_int(b, 3, 1);         /* unknown_rank */
	wire_close(b, open);
}

/* What a GraphNodeProto says of the node apart from numbers. */
static void put_node_facts(const struct model *m, uint32_t node, struct buf *b)
{
	if (m->nodes.device[node])
		wire_put_bytes(b, GRAPH_DEVICES, model_text(m, m->nodes.device[node]));
	for (uint32_t i = 0; i < m->nodes.n_edges[node]; i++) {
		const struct edge *e = &m->edges.at[m->nodes.first_edge[node] + i];
		size_t entry = wire_open(b, GRAPH_INPUT_SHAPES);

		wire_put_int(b, 1, e->position);
		put_shape(b, shapes_get(&m->shapes, model_edge_shape(m, e)));
		wire_close(b, entry);
	}
}

/* A picked graph node inside a MultiGraphNodeProto: total is own. */
static void put_graph_node(struct query *q, uint32_t node, struct buf *b)
{
	struct numbers numbers;
	size_t open = wire_open(b, MULTI_GRAPH_NODES);

	wire_put_bytes(b, 1, model_name(q->model, node));
	metrics_of(q->model, node, q->options->number[OPT_STEP], &numbers);
	for (int k = 0; k < N_METRICS; k++) {
		wire_put_nonzero(b, graph_fields[k].own, numbers.at[k]);
		wire_put_nonzero(b, graph_fields[k].total, numbers.at[k]);
	}
	wire_put_int(b, GRAPH_DEFINED, 1);
	put_node_facts(q->model, node, b);
	wire_close(b, open);
}

/* In byte order of names. */
static void put_graph_nodes(struct query *q, struct report_nodes nodes, struct buf *b)
{
	struct span *names = mem_array(nodes.n, sizeof(*names));
	uint32_t *order = mem_array(nodes.n, sizeof(*order));
	bool fine = names && order;

	for (size_t i = 0; fine && i < nodes.n; i++)
		names[i] = model_name(q->model, nodes.at[i]);
	fine = fine && sort_texts(names, order, nodes.n, SORT_BYTES);
	for (size_t i = 0; fine && i < nodes.n; i++) {
		uint32_t node = nodes.at[order[i]];

		if (query_picks(q, q->model->nodes.types[node]))
			put_graph_node(q, node, b);
	}
	b->failed |= !fine;
	mem_free(names);
	mem_free(order);
}

static void put_tensor(struct query *q, uint32_t node, struct buf *b)
{
	const struct checkpoint_tensor *tensor =
		checkpoint_find(q->model->checkpoint, model_name(q->model, node));
	size_t open;

	if (!tensor || q->failed)
		return;
	open = wire_open(b, GRAPH_TENSOR_VALUE);
	q->failed = tensor_value_put(q->model->checkpoint, tensor, NULL, b, &q->error);
	wire_close(b, open);
}

static struct span row_name(const struct query *q, uint32_t row)
{
	if (row == 0)
		return SPAN(ROOT_NAME);
	if (q->kind == TFPROF_OP)
		return model_text(q->model, q->groups->op[q->view[row]]);
	return tree_label(q->tree, q->view[row]);
}

static void put_body(struct query *q, uint32_t row, struct buf *b)
{
	bool multi = q->kind == TFPROF_OP || q->kind == TFPROF_CODE;
	const struct metric_fields *fields = multi ? multi_fields : graph_fields;

	wire_put_bytes(b, 1, row_name(q, row));
	for (int k = 0; k < N_METRICS; k++) {
		if (!fields[k].own)
			continue;
		wire_put_nonzero(b, fields[k].own, query_own(q, (enum metric)k, row));
		wire_put_nonzero(b, fields[k].total, query_total(q, (enum metric)k, row));
	}
	if (multi) {
		put_graph_nodes(q, report_nodes_of(q, q->view[row]), b);
		return;
	}
	wire_put_nonzero(b, GRAPH_DEFINED, query_defined(q, row));
	if (row && q->tree->node[q->view[row]] != NONE) {
		put_node_facts(q->model, q->tree->node[q->view[row]], b);
		if (options_select(q->options, SEL_TENSOR_VALUE) && q->model->checkpoint)
			put_tensor(q, q->tree->node[q->view[row]], b);
	}
}

/* In op view each group is the single child of the one before it. */
static uint32_t message_parent(const struct query *q, uint32_t row)
{
	return q->kind == TFPROF_OP ? row - 1 : q->parent[row];
}

void message_write(struct query *q, struct buf *out)
{
	uint32_t children = q->kind == TFPROF_OP || q->kind == TFPROF_CODE ? MULTI_CHILDREN
									   : GRAPH_CHILDREN;
	struct buf bodies = {0};
	size_t *end = arena_array(&q->arena, q->n, sizeof(*end));
	size_t *size = arena_array(&q->arena, q->n, sizeof(*size));

	if (!end || !size) {
		out->failed = true;
		return;
	}
	for (uint32_t i = 0; i < q->n; i++) {
		put_body(q, i, &bodies);
		end[i] = bodies.n;
		size[i] = bodies.n - (i ? end[i - 1] : 0);
	}
	for (uint32_t i = q->n - 1; i > 0; i--)
		size[message_parent(q, i)] +=
			wire_varint_size(WIRE_LEN(children)) + wire_varint_size(size[i]) + size[i];
	for (uint32_t i = 0; !bodies.failed && i < q->n; i++) {
		size_t start = i ? end[i - 1] : 0;

		if (i) {
			wire_put_varint(out, WIRE_LEN(children));
			wire_put_varint(out, size[i]);
		}
		buf_put(out, bodies.at + start, end[i] - start);
	}
	out->failed |= bodies.failed;
	buf_clear(&bodies);
}

void message_write_root(struct buf *out)
{
	wire_put_bytes(out, 1, SPAN(ROOT_NAME));
}
