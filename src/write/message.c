/* A message is a tree of nested, length-prefixed messages: rows and, in op and code
 * view, the picked graph nodes of each row. All of it is measured, then written to its
 * place in memory of the right size:
 *
 *     items     rows and graph nodes, in the order of the message
 *     body      size of an item without nested items
 *     size      size with nested items, added up from the leaves
 *     part_at   where the items of a part begin
 *     nodes     fields of graph nodes, measured and written in node order: in the order
 *               of the message, reads would be scattered
 *
 * Everything but adding up runs in parallel. */
#include <errno.h>

#include "base/parallel.h"
#include "formats/checkpoint/checkpoint.h"
#include "write/report.h"
#include "query/tensor_value.h"
#include "proto/fields.h"
#include "proto/wire_write.h"

/* The metrics that TensorFlow's messages have fields for; the field of the total is prefixed
 * TOTAL_. MultiGraphNodeProto has none for runs. */
#define MULTI_FIELDS(X)                                \
	X(BYTES, REQUESTED_BYTES)                      \
	X(PEAK_BYTES, PEAK_BYTES)                      \
	X(RESIDUAL_BYTES, RESIDUAL_BYTES)              \
	X(OUTPUT_BYTES, OUTPUT_BYTES)                  \
	X(MICROS, EXEC_MICROS)                         \
	X(ACCELERATOR_MICROS, ACCELERATOR_EXEC_MICROS) \
	X(CPU_MICROS, CPU_EXEC_MICROS)                 \
	X(PARAMS, PARAMETERS)                          \
	X(FLOAT_OPS, FLOAT_OPS)
#define GRAPH_FIELDS(X) MULTI_FIELDS(X) X(OCCURRENCE, RUN_COUNT)

/* By metric; 0 for those without a field. */
struct metric_fields {
	uint32_t own, total;
};

static const struct metric_fields graph_fields[N_METRICS] = {
#define X(id, field) [METRIC_##id] = {GRAPH_NODE_##field, GRAPH_NODE_TOTAL_##field},
	GRAPH_FIELDS(X)
#undef X
};

static const struct metric_fields multi_fields[N_METRICS] = {
#define X(id, field) [METRIC_##id] = {MULTI_GRAPH_NODE_##field, MULTI_GRAPH_NODE_TOTAL_##field},
	MULTI_FIELDS(X)
#undef X
};

struct item {
	uint32_t row, node; /* node: NONE if the item is the row itself */
	uint32_t parent;    /* item */
	size_t body, size;
};

struct message {
	struct query *q;
	uint32_t *row_of; /* by node: its row, or NONE */
	/* By shown node: the size and, once items are written, the place of its GraphNodeProto
	 * in op and code view; in other views, of the fields that come from the node. */
	size_t *node_at;
	size_t node_parts;
	struct buf shapes; /* each distinct shape, encoded */
	size_t *shape_end;
	struct buf tensors; /* of the rows, concatenated */
	size_t *tensor_end; /* NULL if there are none */
	struct item *items;
	size_t n, parts;
	char *out;                        /* start of the message; NULL while measuring */
	size_t part_at[PARALLEL_MAX + 1]; /* the last is the end of the message */
};

/* ---- bytes: measured, then written ---------------------------------------------- */

/* Writes bytes or, while `at` is NULL, counts them. */
struct encoder {
	char *at;
	size_t n;
};

static inline void put_varint(struct encoder *e, uint64_t value)
{
	if (e->at)
		e->at = wire_write_varint(e->at, value);
	else
		e->n += wire_varint_size(value);
}

static inline void put_nonzero(struct encoder *e, uint32_t number, int64_t value)
{
	if (!value)
		return;
	put_varint(e, WIRE_VARINT(number));
	put_varint(e, (uint64_t)value);
}

static inline void put_header(struct encoder *e, uint32_t number, size_t size)
{
	put_varint(e, WIRE_LEN(number));
	put_varint(e, size);
}

static inline void put_span(struct encoder *e, struct span bytes)
{
	if (!e->at) {
		e->n += bytes.n;
	} else if (bytes.n) {
		memcpy(e->at, bytes.at, bytes.n);
		e->at += bytes.n;
	}
}

static inline void put_bytes(struct encoder *e, uint32_t number, struct span bytes)
{
	put_header(e, number, bytes.n);
	put_span(e, bytes);
}

/* ---- nodes -------------------------------------------------------------------- */

/* An entry of input_shapes without its position, shared by many inputs. */
static void put_shape(struct buf *b, const struct shape *shape)
{
	size_t open = wire_open(b, MAP_VALUE), dim;

	for (uint32_t i = 0; i < shape->n; i++) {
		dim = wire_open(b, TENSOR_SHAPE_DIM);
		wire_put_nonzero(b, TENSOR_SHAPE_DIM_SIZE, shape->dims[i]);
		wire_close(b, dim);
	}
	if (!shape->n)
		wire_put_int(b, TENSOR_SHAPE_UNKNOWN_RANK, 1);
	wire_close(b, open);
}

static bool encode_shapes(struct message *m)
{
	const struct shapes *shapes = &m->q->model->shapes;
	size_t n = shapes->at.n;

	m->shape_end = arena_array(&m->q->arena, n, sizeof(*m->shape_end));
	for (uint32_t i = 0; m->shape_end && i < n; i++) {
		put_shape(&m->shapes, shapes_get(shapes, i));
		m->shape_end[i] = m->shapes.n;
	}
	return m->shape_end && !m->shapes.failed;
}

static struct span encoded_shape(const struct message *m, uint32_t shape)
{
	size_t start = shape ? m->shape_end[shape - 1] : 0;

	return (struct span){m->shapes.at + start, m->shape_end[shape] - start};
}

static void put_input(struct encoder *e, int64_t position, struct span shape)
{
	put_header(e, GRAPH_NODE_INPUT_SHAPES,
		wire_varint_size(WIRE_VARINT(MAP_KEY)) + wire_varint_size((uint64_t)position) +
			shape.n);
	put_varint(e, WIRE_VARINT(MAP_KEY));
	put_varint(e, (uint64_t)position);
	put_span(e, shape);
}

/* The fields of a GraphNodeProto other than numbers. */
static void put_node_facts(const struct message *msg, uint32_t node, struct encoder *e)
{
	const struct model *m = msg->q->model;

	if (query_device(msg->q, node))
		put_bytes(e, GRAPH_NODE_DEVICES, model_text(m, query_device(msg->q, node)));
	for (uint32_t i = 0; i < m->nodes.n_edges[node]; i++) {
		const struct edge *edge = &m->edges.at[m->nodes.first_edge[node] + i];

		put_input(e, edge->position, encoded_shape(msg, query_edge_shape(msg->q, edge)));
	}
}

/* A picked graph node inside a MultiGraphNodeProto: total is own. */
static void put_graph_node(const struct message *m, uint32_t node, struct encoder *e)
{
	struct span name = model_name(m->q->model, node);
	struct numbers numbers;

	if (name.n)
		put_bytes(e, GRAPH_NODE_NAME, name);
	metrics_of(m->q->model, node, m->q->step, &numbers);
	/* With a loop over graph_fields, op_message of 2,000 nodes takes 20 % longer. */
#define X(id, field)                                                 \
	put_nonzero(e, GRAPH_NODE_##field, numbers.at[METRIC_##id]); \
	put_nonzero(e, GRAPH_NODE_TOTAL_##field, numbers.at[METRIC_##id]);
	GRAPH_FIELDS(X)
#undef X
	put_nonzero(e, GRAPH_NODE_TOTAL_DEFINITION_COUNT, 1);
	put_node_facts(m, node, e);
}

/* Whether rows are MultiGraphNodeProtos, with several graph nodes each. */
static bool is_multi(const struct query *q)
{
	return q->tree->first_node;
}

static size_t first_node(const struct message *m, size_t part)
{
	return parallel_begin(m->q->model->nodes.n, m->node_parts, part);
}

/* Measures or, once `out` is set, writes the nodes of a part. */
static void put_nodes(void *context, size_t part)
{
	struct message *m = context;
	uint32_t node = (uint32_t)first_node(m, part), end = (uint32_t)first_node(m, part + 1);

	for (; node < end; node++) {
		struct encoder e = {0};

		if (m->row_of[node] == NONE)
			continue;
		if (m->out)
			e.at = m->out + m->node_at[node];
		if (is_multi(m->q))
			put_graph_node(m, node, &e);
		else
			put_node_facts(m, node, &e);
		if (!m->out)
			m->node_at[node] = e.n;
	}
}

/* Leaves room for a node, which is written later. */
static void put_room(const struct message *m, uint32_t node, struct encoder *e)
{
	size_t size = m->node_at[node];

	if (!e->at) {
		e->n += size;
		return;
	}
	m->node_at[node] = (size_t)(e->at - m->out);
	e->at += size;
}

/* ---- rows ---------------------------------------------------------------------- */

static struct span row_name(const struct query *q, uint32_t row)
{
	return tree_label(q->tree, q->view[row]);
}

static void put_row(const struct message *m, uint32_t row, struct encoder *e)
{
	const struct query *q = m->q;
	const struct metric_fields *fields = is_multi(q) ? multi_fields : graph_fields;
	struct span name = row_name(q, row);
	int64_t room[N_METRICS];
	const int64_t *own = query_own_row(q, q->view[row], room);
	const int64_t *total = query_total_row(q, q->view[row]);

	if (name.n)
		put_bytes(e, GRAPH_NODE_NAME, name);
	for (int k = 0; k < N_METRICS; k++) {
		if (!fields[k].own)
			continue;
		put_nonzero(e, fields[k].own, own[q->numbers.slot[k]]);
		put_nonzero(e, fields[k].total, total[q->numbers.slot[k]]);
	}
	if (is_multi(q))
		return;
	put_nonzero(e, GRAPH_NODE_TOTAL_DEFINITION_COUNT, query_defined(q, row));
	if (query_node(q, row) != NONE)
		put_room(m, query_node(q, row), e);
	if (m->tensor_end) {
		size_t start = row ? m->tensor_end[row - 1] : 0, n = m->tensor_end[row] - start;

		if (n)
			put_bytes(e, GRAPH_NODE_TENSOR_VALUE,
				(struct span){m->tensors.at + start, n});
	}
}

static void put_item(const struct message *m, const struct item *item, struct encoder *e)
{
	if (item->node != NONE)
		put_room(m, item->node, e);
	else
		put_row(m, item->row, e);
}

/* ---- tensors ------------------------------------------------------------------ */

static void read_tensor(struct message *m, uint32_t node)
{
	struct query *q = m->q;
	const struct checkpoint_tensor *tensor =
		checkpoint_find(q->model->checkpoint, model_name(q->model, node));

	if (tensor && q->failed == TFPROF_OK)
		q->failed = tensor_value_put(q->model->checkpoint, tensor, NULL, &m->tensors,
			&q->error);
}

static bool read_tensors(struct message *m)
{
	struct query *q = m->q;

	if (is_multi(q) || !options_select(q->options, SEL_TENSOR_VALUE) || !q->model->checkpoint)
		return true;
	m->tensor_end = arena_array(&q->arena, q->n, sizeof(*m->tensor_end));
	if (!m->tensor_end)
		return false;
	for (uint32_t i = 0; i < q->n; i++) {
		if (query_node(q, i) != NONE)
			read_tensor(m, query_node(q, i));
		m->tensor_end[i] = m->tensors.n;
	}
	return !m->tensors.failed;
}

/* ---- items -------------------------------------------------------------------- */

/* In op view, each row is the only child of the one before it. */
static uint32_t parent_row(const struct query *q, uint32_t row)
{
	return q->kind == TFPROF_OP ? row - 1 : q->parent[row];
}

/* The picked nodes of a row follow it, in byte order of names. */
static bool make_multi_items(struct message *m)
{
	struct query *q = m->q;
	const struct model *model = q->model;
	uint32_t *first = arena_zero(&q->arena, (size_t)q->n + 1, sizeof(*first));
	uint32_t *next = arena_array(&q->arena, q->n, sizeof(*next));
	size_t n = q->n;

	if (!first || !next)
		return false;
	for (uint32_t row = 1; row < q->n; row++) {
		struct row_nodes nodes = query_nodes(q, q->view[row]);

		for (size_t i = 0; i < nodes.n; i++)
			if (query_picks_node(q, nodes.at[i])) {
				m->row_of[nodes.at[i]] = row;
				first[row + 1]++;
				n++;
			}
	}
	m->items = n < NONE ? arena_array(&q->arena, n, sizeof(*m->items)) : NULL;
	if (!m->items)
		return false;
	m->n = n;
	for (uint32_t row = 0; row < q->n; row++) {
		m->items[first[row]] = (struct item){.row = row,
			.node = NONE,
			.parent = row ? first[parent_row(q, row)] : 0};
		next[row] = first[row] + 1;
		first[row + 1] += next[row];
	}
	for (size_t i = 0; i < model->nodes.n; i++) {
		uint32_t node = q->by_name[i], row = m->row_of[node];

		if (row != NONE)
			m->items[next[row]++] =
				(struct item){.row = row, .node = node, .parent = first[row]};
	}
	return true;
}

static bool make_row_items(struct message *m)
{
	struct query *q = m->q;

	m->n = q->n;
	m->items = arena_array(&q->arena, m->n, sizeof(*m->items));
	for (uint32_t row = 0; m->items && row < q->n; row++) {
		m->items[row] =
			(struct item){.row = row, .node = NONE, .parent = row ? q->parent[row] : 0};
		if (query_node(q, row) != NONE)
			m->row_of[query_node(q, row)] = row;
	}
	return m->items;
}

static bool make_items(struct message *m)
{
	struct query *q = m->q;
	size_t n = q->model->nodes.n;

	m->row_of = arena_array(&q->arena, n, sizeof(*m->row_of));
	m->node_at = arena_array(&q->arena, n, sizeof(*m->node_at));
	if (!m->row_of || !m->node_at)
		return false;
	memset(m->row_of, 0xff, n * sizeof(*m->row_of));
	return is_multi(q) ? make_multi_items(m) : make_row_items(m);
}

static uint32_t tag_of(const struct message *m, const struct item *item)
{
	if (item->node != NONE)
		return MULTI_GRAPH_NODE_GRAPH_NODES;
	return is_multi(m->q) ? MULTI_GRAPH_NODE_CHILDREN : GRAPH_NODE_CHILDREN;
}

static size_t header_size(const struct message *m, const struct item *item)
{
	return wire_varint_size(WIRE_LEN(tag_of(m, item))) + wire_varint_size(item->size);
}

/* Measures or, once `out` is set, writes the items of a part. */
static void put_part(void *context, size_t part)
{
	struct message *m = context;
	size_t end = parallel_begin(m->n, m->parts, part + 1);
	struct encoder encoder = {0};

	if (m->out) {
		encoder.at = m->out + m->part_at[part];
		/* else op_message takes 10 % longer */
		mem_prefault(encoder.at, m->part_at[part + 1] - m->part_at[part]);
	}
	for (size_t i = parallel_begin(m->n, m->parts, part); i < end; i++) {
		struct item *item = &m->items[i];

		if (!is_multi(m->q)) /* else graph_message takes 35 % longer */
			query_prefetch_row(m->q, item->row, m->out);
		if (m->out && i)
			put_header(&encoder, tag_of(m, item), item->size);
		encoder.n = 0;
		put_item(m, item, &encoder);
		if (!m->out)
			item->body = encoder.n;
	}
}

/* Returns the size of the message. */
static size_t place_items(struct message *m)
{
	size_t at = 0, i;

	for (i = 0; i < m->n; i++)
		m->items[i].size = m->items[i].body;
	for (i = m->n - 1; i > 0; i--) {
		const struct item *item = &m->items[i];

		m->items[item->parent].size += header_size(m, item) + item->size;
	}
	for (size_t part = 0; part < m->parts; part++) {
		m->part_at[part] = at;
		for (; i < parallel_begin(m->n, m->parts, part + 1); i++)
			at += (i ? header_size(m, &m->items[i]) : 0) + m->items[i].body;
	}
	return m->part_at[m->parts] = at;
}

/* Writes straight to the sink if it is in memory. */
static bool write_items(struct message *m, struct sink *out, size_t size)
{
	char *own = NULL;

	m->out = sink_claim(out, size);
	if (!m->out)
		m->out = own = mem_alloc(size);
	if (!m->out)
		return false;
	parallel_run(m->parts, put_part, m);
	parallel_run(m->node_parts, put_nodes, m);
	if (own)
		sink_put(out, own, size);
	mem_free(own);
	return true;
}

static bool write_message(struct message *m, struct sink *out)
{
	enum { MIN_PART = 4096 };

	if (!read_tensors(m) || !encode_shapes(m) || !make_items(m))
		return false;
	m->node_parts = parallel_parts(m->q->model->nodes.n, MIN_PART);
	parallel_run(m->node_parts, put_nodes, m);
	m->parts = parallel_parts(m->n, MIN_PART);
	parallel_run(m->parts, put_part, m);
	return write_items(m, out, place_items(m));
}

enum tfprof_status message_write(const struct writing *w, struct tfprof_error *err)
{
	struct message m = {.q = w->q};
	bool ok = write_message(&m, w->out);

	buf_clear(&m.shapes);
	buf_clear(&m.tensors);
	return ok ? TFPROF_OK : error_no_memory(err);
}

void message_write_root(struct sink *out)
{
	struct buf name = {0};

	wire_put_bytes(&name, GRAPH_NODE_NAME, SPAN(ROOT_NAME));
	if (name.failed)
		sink_fail(out, ENOMEM);
	sink_span(out, buf_get(&name));
	buf_clear(&name);
}
