#include "output/table.h"

#include "output/report.h"

static const char *text_of(struct buf *b, struct arena *arena)
{
	struct span copy = arena_copy(arena, buf_get(b));

	return b->failed ? NULL : copy.at;
}

static void fill_numbers(const struct query *q, uint32_t i, struct tfprof_row *row)
{
#define NUMBERS(metric, field)                                                 \
	row->field = q->own[metric][i];                                        \
	row->total_##field = q->total[metric][i];
	NUMBERS(METRIC_RUNS, run_count)
	NUMBERS(METRIC_MICROS, exec_micros)
	NUMBERS(METRIC_ACCELERATOR, accelerator_exec_micros)
	NUMBERS(METRIC_CPU, cpu_exec_micros)
	NUMBERS(METRIC_BYTES, requested_bytes)
	NUMBERS(METRIC_PEAK, peak_bytes)
	NUMBERS(METRIC_RESIDUAL, residual_bytes)
	NUMBERS(METRIC_OUTPUT, output_bytes)
	NUMBERS(METRIC_PARAMS, parameters)
	NUMBERS(METRIC_FLOAT_OPS, float_ops)
#undef NUMBERS
	row->parent = i ? (int64_t)q->parent[i] : -1;
	row->depth = q->depth[i];
	row->accounted = q->accounted[i];
	row->total_definition_count = q->defined[i];
	row->definition_count = q->kind == TFPROF_OP ? q->defined[i] : i != 0;
}

static bool fill_texts(struct query *q, uint32_t i, struct tfprof_row *row, struct arena *arena,
	struct buf *b)
{
	const struct model *m = q->model;
	bool multi = q->kind == TFPROF_OP || q->kind == TFPROF_CODE;
	uint32_t node = multi || i == 0 ? NONE : q->tree->node[q->view[i]];
	struct report_nodes nodes = multi ? report_nodes_of(q, q->view[i]) : (struct report_nodes){0};

	b->n = 0;
	buf_span(b, i == 0 ? SPAN(ROOT_NAME)
		: q->kind == TFPROF_OP ? model_text(m, q->groups->op[q->view[i]])
				       : tree_label(q->tree, m, q->view[i]));
	row->name = text_of(b, arena);
	b->n = 0;
	if (multi)
		report_devices(q, b, nodes);
	else if (node != NONE)
		buf_span(b, model_text(m, m->nodes.device[node]));
	row->device = text_of(b, arena);
	b->n = 0;
	if (multi)
		report_types(q, b, nodes);
	else if (node != NONE)
		report_set(m, b, m->nodes.types[node]);
	row->op_types = text_of(b, arena);
	b->n = 0;
	if (node != NONE)
		shape_put(b, shapes_get(&m->shapes, m->nodes.shape[node]));
	row->shape = text_of(b, arena);
	b->n = 0;
	if (node != NONE)
		report_input_shapes(m, b, node, "|");
	row->input_shapes = text_of(b, arena);
	return row->name && row->device && row->op_types && row->shape && row->input_shapes;
}

struct tfprof_row *table_make(struct query *q, struct arena *arena)
{
	struct tfprof_row *rows = arena_zero(arena, q->n, sizeof(*rows));
	struct buf scratch = {0};

	for (uint32_t i = 0; rows && i < q->n; i++) {
		fill_numbers(q, i, &rows[i]);
		if (!fill_texts(q, i, &rows[i], arena, &scratch))
			rows = NULL;
	}
	buf_clear(&scratch);
	return rows;
}
