#include "write/table.h"

#include "formats/checkpoint/checkpoint.h"
#include "write/report.h"
#include "write/tensor_value.h"

static const struct table_field fields[] = {
#define NUMBER(name, selects)                                                  \
	{                                                                      \
#name, selects, false, offsetof(struct table_reader, row.name) \
	}
#define NUMBERS(name, selects) NUMBER(name, selects), NUMBER(total_##name, selects)
#define TEXT(name, selects)                                               \
	{                                                                 \
#name, selects, true, offsetof(struct table_reader, name) \
	}
#define X(id, word, column, selects, ...) NUMBERS(column, selects),
	TIME_METRICS(X) MEMORY_METRICS(X) PARAMETER_METRICS(X) TEXT(shape, SELECT(PARAMS)),
	OPERATION_METRICS(X) COUNT_METRICS(X)
#undef X
		NUMBERS(definition_count, SELECT(OCCURRENCE)),
	TEXT(device, SELECT(DEVICE)),
	TEXT(op_types, SELECT(OP_TYPES)),
	TEXT(input_shapes, SELECT(INPUT_SHAPES)),
	TEXT(tensor_value, SELECT(TENSOR_VALUE)),
};

const struct table_field *table_next_field(unsigned selected, size_t *i)
{
	for (; *i < sizeof(fields) / sizeof(*fields); ++*i)
		if (fields[*i].selects & selected)
			return &fields[(*i)++];
	return NULL;
}

static void read_numbers(const struct query *q, uint32_t i, struct tfprof_row *row)
{
	int64_t room[N_METRICS];
	const int64_t *own = query_own_row(q, q->view[i], room);
	const int64_t *total = query_total_row(q, q->view[i]);

#define X(id, word, column, ...)                                                         \
	row->column = query_has(q, METRIC_##id) ? own[q->numbers.slot[METRIC_##id]] : 0; \
	row->total_##column = query_has(q, METRIC_##id) ? total[q->numbers.slot[METRIC_##id]] : 0;
	METRICS(X)
#undef X
	row->parent = i ? (int64_t)q->parent[i] : -1;
	row->depth = q->depth[i];
	row->accounted = query_is_accounted(q, i);
	row->total_definition_count = query_defined(q, i);
	row->definition_count = q->kind == TFPROF_OP ? query_defined(q, i) : i != 0;
}

static struct span name_of(const struct query *q, uint32_t i)
{
	return tree_label(q->tree, q->view[i]);
}

/* What several nodes have, in op and code view. */
static void read_shared_texts(struct table_reader *t, uint32_t i)
{
	struct report_nodes nodes = report_nodes_of(t->q, t->q->view[i]);

	if (t->selected & SELECT(DEVICE))
		report_devices(t->q, &t->device, nodes);
	if (t->selected & SELECT(OP_TYPES))
		report_types(t->q, &t->op_types, nodes);
}

static void read_tensor(struct table_reader *t, uint32_t node)
{
	struct query *q = t->q;
	const struct checkpoint *ckpt = q->model->checkpoint;
	const struct checkpoint_tensor *tensor =
		ckpt ? checkpoint_find(ckpt, model_name(q->model, node)) : NULL;

	if (tensor && !q->failed)
		q->failed = tensor_value_put(ckpt, tensor, &t->tensor_value, NULL, &q->error);
}

static void read_node_texts(struct table_reader *t, uint32_t node)
{
	const struct model *m = t->q->model;

	if (t->selected & SELECT(DEVICE))
		buf_span(&t->device, model_text(m, m->nodes.device[node]));
	if (t->selected & SELECT(OP_TYPES))
		report_set(m, &t->op_types, m->nodes.types[node]);
	if (t->selected & SELECT(PARAMS))
		shape_put(&t->shape, shapes_get(&m->shapes, m->nodes.shape[node]));
	if (t->selected & SELECT(INPUT_SHAPES))
		report_input_shapes(m, &t->input_shapes, node, "|");
	if (t->selected & SELECT(TENSOR_VALUE))
		read_tensor(t, node);
}

bool table_read(struct table_reader *t, uint32_t i)
{
	const struct query *q = t->q;

	t->name.n = t->device.n = t->op_types.n = t->shape.n = t->input_shapes.n = 0;
	t->tensor_value.n = 0;
	buf_span(&t->name, name_of(q, i));
	if (q->kind == TFPROF_OP || q->kind == TFPROF_CODE)
		read_shared_texts(t, i);
	else if (i && q->tree->node[q->view[i]] != NONE)
		read_node_texts(t, q->tree->node[q->view[i]]);
	read_numbers(q, i, &t->row);
#define LEND(text) t->row.text = t->text.n ? t->text.at : ""
	LEND(name);
	LEND(device);
	LEND(op_types);
	LEND(shape);
	LEND(input_shapes);
#undef LEND
	return !t->name.failed && !t->device.failed && !t->op_types.failed && !t->shape.failed &&
		!t->input_shapes.failed && !t->tensor_value.failed;
}

void table_reader_clear(struct table_reader *t)
{
	buf_clear(&t->name);
	buf_clear(&t->device);
	buf_clear(&t->op_types);
	buf_clear(&t->shape);
	buf_clear(&t->input_shapes);
	buf_clear(&t->tensor_value);
}

static bool keep_row(const struct table_reader *t, struct tfprof_row *row, struct arena *arena)
{
	*row = t->row;
#define KEEP(text)                                           \
	row->text = arena_copy(arena, buf_get(&t->text)).at; \
	if (!row->text)                                      \
		return false;
	KEEP(name)
	KEEP(device)
	KEEP(op_types)
	KEEP(shape)
	KEEP(input_shapes)
#undef KEEP
	return true;
}

struct tfprof_row *table_make(struct query *q, struct arena *arena)
{
	struct tfprof_row *rows = arena_array(arena, q->n, sizeof(*rows));
	struct table_reader t = {.q = q, .selected = ~SELECT(TENSOR_VALUE)};

	for (uint32_t i = 0; rows && i < q->n; i++)
		if (!table_read(&t, i) || !keep_row(&t, &rows[i], arena))
			rows = NULL;
	table_reader_clear(&t);
	return rows;
}
