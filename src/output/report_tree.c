/* Lines of scope, graph and code view: `name (own/total, …)`. */
#include "checkpoint/checkpoint.h"
#include "output/report.h"
#include "output/tensor_value.h"

struct line {
	struct query *q;
	struct buf *text;
	uint32_t row, view;
	bool follows;              /* a piece stands before the next one */
};

/* Before each piece between the brackets. */
static struct buf *piece(struct line *l)
{
	if (l->follows)
		buf_text(l->text, ", ");
	l->follows = true;
	return l->text;
}

static uint32_t node_of(const struct line *l)
{
	return l->q->kind == TFPROF_CODE || l->view == 0 ? NONE : l->q->tree->node[l->view];
}

/* own/total, own as -- where the node is not accounted. Of most nodes both are
 * the same: it is put together once. */
static void put_number(struct line *l, const struct report_number *column)
{
	struct query *q = l->q;
	int64_t own = query_own(q, column->metric, l->row);
	int64_t total = query_total(q, column->metric, l->row);
	struct buf *b = piece(l);
	char *start, *at;

	if (!buf_reserve(b, 2 * FORMAT_MAX + 16))
		return;
	start = at = b->at + b->n;
	if (!query_is_accounted(q, l->row)) {
		*at++ = '-';
		*at++ = '-';
	} else {
		at = format_write(at, column->unit, own);
	}
	*at++ = '/';
	if (own == total && query_is_accounted(q, l->row)) {
		size_t n = (size_t)(at - start) - 1;

		memcpy(at, start, n);
		at += n;
	} else {
		at = format_write(at, column->unit, total);
	}
	b->n = (size_t)(at - b->at);
	if (column->metric == METRIC_PARAMS)
		buf_text(b, " params");
	else if (column->metric == METRIC_FLOAT_OPS)
		buf_text(b, " flops");
}

static void put_shape(struct line *l)
{
	const struct model *m = l->q->model;
	uint32_t node = node_of(l);

	if (node != NONE && m->nodes.shape[node])
		shape_put(piece(l), shapes_get(&m->shapes, m->nodes.shape[node]));
}

static void put_device(struct line *l)
{
	const struct model *m = l->q->model;
	uint32_t node = node_of(l);
	struct report_nodes nodes;
	struct buf devices = {0};

	if (l->q->kind != TFPROF_CODE) {
		if (node != NONE && m->nodes.device[node])
			buf_span(piece(l), model_text(m, m->nodes.device[node]));
		return;
	}
	nodes = report_nodes_of(l->q, l->view);
	if (report_devices(l->q, &devices, nodes))
		buf_span(piece(l), buf_get(&devices));
	l->text->failed |= devices.failed;
	buf_clear(&devices);
}

static void put_types(struct line *l)
{
	uint32_t node = node_of(l);
	struct buf *b = piece(l);

	if (l->q->kind == TFPROF_CODE)
		report_types(l->q, b, report_nodes_of(l->q, l->view));
	else if (node != NONE)
		report_set(l->q->model, b, l->q->model->nodes.types[node]);
	else if (l->q->kind == TFPROF_GRAPH)
		buf_text(b, "_TFGraphParent");
	else
		buf_text(b, "_kTFScopeParent");
}

static void put_occurrence(struct line *l)
{
	struct query *q = l->q;
	struct buf *b = piece(l);

	if (q->kind == TFPROF_CODE) {
		buf_text(b, "occurrence N/A in code view");
		return;
	}
	if (query_is_accounted(q, l->row))
		format_number(b, UNIT_COUNT, query_own(q, METRIC_RUNS, l->row));
	else
		buf_text(b, "--");
	buf_char(b, '/');
	format_number(b, UNIT_COUNT, query_total(q, METRIC_RUNS, l->row));
	buf_text(b, query_is_accounted(q, l->row) ? "|1/" : "|--/");
	format_number(b, UNIT_COUNT, query_defined(q, l->row));
}

static void put_shapes(struct line *l)
{
	uint32_t node = node_of(l);
	struct buf *b = piece(l);

	if (l->q->kind == TFPROF_CODE)
		buf_text(b, "input_shapes N/A in code view");
	else if (node != NONE)
		report_input_shapes(l->q->model, b, node, "|");
}

static void put_line(struct line *l, const struct report_number *numbers, size_t n)
{
	const struct tfprof_options *o = l->q->options;

	buf_fill(l->text, ' ', 2 * (size_t)l->q->depth[l->row]);
	buf_span(l->text, tree_label(l->q->tree, l->view));
	buf_text(l->text, " (");
	for (size_t i = 0; i < n; i++) {
		if (numbers[i].metric == METRIC_PARAMS && l->q->kind != TFPROF_CODE)
			put_shape(l);
		put_number(l, &numbers[i]);
	}
	if (options_select(o, SEL_DEVICE))
		put_device(l);
	if (options_select(o, SEL_OP_TYPES))
		put_types(l);
	if (options_select(o, SEL_OCCURRENCE))
		put_occurrence(l);
	if (options_select(o, SEL_INPUT_SHAPES))
		put_shapes(l);
	buf_text(l->text, ")\n");
}

/* Below its line, what the checkpoint holds for a node. */
static void put_tensor(struct line *l)
{
	struct query *q = l->q;
	const struct checkpoint_tensor *tensor;

	if (node_of(l) == NONE || !q->model->checkpoint)
		return;
	tensor = checkpoint_find(q->model->checkpoint, model_name(q->model, node_of(l)));
	if (tensor)
		q->failed = tensor_value_put(q->model->checkpoint, tensor, l->text, NULL, &q->error);
}

/* Sorted by a number, lines are in no order in memory: ask for those to come. */
static void prefetch_name(const struct query *q, uint32_t row)
{
	enum { AHEAD = 8 };

	if (q->n - row > 2 * AHEAD) {
		__builtin_prefetch(q->tree->label[q->view[row + AHEAD]].at);
		__builtin_prefetch(&q->tree->label[q->view[row + 2 * AHEAD]]);
	}
}

void report_tree_lines(struct query *q, struct sink *out, struct buf *text)
{
	struct report_number numbers[N_METRICS];
	size_t n = report_numbers(q, numbers);

	for (uint32_t i = 0; i < q->n && !q->failed && !query_cancelled(q); i++) {
		struct line l = {q, text, i, q->view[i], false};

		prefetch_name(q, i);
		put_line(&l, numbers, n);
		if (options_select(q->options, SEL_TENSOR_VALUE))
			put_tensor(&l);
		if (text->n >= REPORT_CHUNK)
			report_flush(text, out);
	}
	report_flush(text, out);
}
