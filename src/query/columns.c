#include "query/columns.h"

#include <math.h>

#include "hlo/node_kind.h"
#include "query/distinct.h"
#include "query/input_shapes.h"
#include "query/tensor_value.h"

static const struct column {
	struct tfprof_column_info info;
	unsigned selects; /* words of select that show it, if it is not a metric */
	unsigned metrics; /* metrics it needs, as bits */
} columns[N_COLUMNS] = {
#define PLAIN(id, name, type, selects, extra) \
	{{name, TFPROF_COLUMN_##type, NULL, extra}, selects, 0},
#define METRIC(id, word, column, unit, ...)                                          \
	{{#column, TFPROF_COLUMN_INT64, UNIT_NAME_##unit, 0}, 0, 1u << METRIC_##id}, \
		{{"total_" #column, TFPROF_COLUMN_INT64, UNIT_NAME_##unit, 0}, 0,    \
			1u << METRIC_##id},
	LEADING_COLUMNS(PLAIN) METRICS_BEFORE_SHAPE(METRIC) SHAPE_COLUMN(PLAIN)
		METRICS_AFTER_SHAPE(METRIC) TRAILING_COLUMNS(PLAIN)
#undef PLAIN
#undef METRIC
};

static enum metric metric_of(enum column_id id)
{
	return (enum metric)__builtin_ctz(columns[id].metrics);
}

/* The words of select that show a column, as bits. */
static unsigned selects_of(enum column_id id)
{
	return columns[id].metrics ? metric_selects(metric_of(id)) : columns[id].selects;
}

const struct tfprof_column_info *tfprof_column_get_info(size_t i)
{
	return i < N_COLUMNS ? &columns[i].info : NULL;
}

int tfprof_column_is_shown_by(size_t i, const char *word)
{
	enum select_id select = options_find_select(span_of(word));

	return i < N_COLUMNS && select < N_SELECTS && selects_of((enum column_id)i) >> select & 1;
}

enum column_id column_find(const char *name)
{
	enum column_id id = 0;

	while (id < N_COLUMNS && strcmp(columns[id].info.name, name) != 0)
		id++;
	return id;
}

unsigned column_metrics(enum column_id id)
{
	return id == COLUMN_THREADS ? THREADS_METRICS : columns[id].metrics;
}

bool column_is_selectable(enum column_id id)
{
	return selects_of(id);
}

bool column_is_selected(enum column_id id, const struct tfprof_options *o)
{
	return selects_of(id) & o->selected;
}

size_t columns_count_bytes(const struct columns *c)
{
	size_t n = c->row_of_node ? c->n_nodes * sizeof(*c->row_of_node) : 0;

	for (size_t i = 0; i < N_COLUMNS; i++)
		n += table_column_count_bytes(&c->at[i]);
	return n;
}

void columns_clear(struct columns *c)
{
	for (size_t i = 0; i < N_COLUMNS; i++)
		table_column_clear(&c->at[i]);
	mem_free(c->row_of_node);
	*c = (struct columns){0};
}

/* ---- numbers ------------------------------------------------------------- */

static bool is_total(enum column_id id)
{
	return strncmp(columns[id].info.name, "total_", 6) == 0;
}

/* Columns of metrics that are filled together, so that each row is looked up once. */
struct metric_columns {
	enum column_id id[N_COLUMNS];
	size_t n;
	int64_t *own[N_METRICS], *total[N_METRICS]; /* by slot of the query; NULL: not requested */
	bool any_own;
};

/* Rows sorted by a number are scattered in memory, and so are the nodes from which the own
 * numbers of parents are computed. Without prefetching, exporting total_exec_micros of scope
 * view or exec_micros of graph view takes twice as long. */
PREFETCHES prefetch_row(const struct query *q, uint32_t i, bool own)
{
	enum { AHEAD = 8 };
	const struct tree *t = q->tree;
	const uint32_t *view = q->view + i;

	if (q->n - i <= 3 * AHEAD)
		return;
	prefetch_line(query_total_row(q, view[3 * AHEAD]));
	if (!own || !t->node)
		return;
	prefetch_line(&t->parent[view[3 * AHEAD]]);
	prefetch_line(&t->node[view[3 * AHEAD]]);
	if (tree_has_children(t, view[2 * AHEAD]))
		metrics_prefetch_node(q->model, t->node[view[2 * AHEAD]]);
	if (tree_has_children(t, view[AHEAD]))
		metrics_prefetch_exec(q->model, t->node[view[AHEAD]]);
}

static void fill_metrics(const struct query *q, const struct metric_columns *m)
{
	int64_t room[N_METRICS];

	for (uint32_t i = 0; i < q->n; i++) {
		const int64_t *total, *own;

		prefetch_row(q, i, m->any_own);
		total = query_total_row(q, q->view[i]);
		own = m->any_own ? query_own_row(q, q->view[i], room) : NULL;
		for (size_t k = 0; k < q->numbers.n; k++) {
			if (m->total[k])
				m->total[k][i] = total[k];
			if (m->own[k])
				m->own[k][i] = own[k];
		}
	}
}

static bool start_metric(struct columns *c, const struct query *q, enum column_id id,
	struct metric_columns *m)
{
	size_t slot = q->numbers.slot[metric_of(id)];

	if (!table_column_init(&c->at[id], &columns[id].info, q->n))
		return false;
	m->id[m->n++] = id;
	*(is_total(id) ? &m->total[slot] : &m->own[slot]) = c->at[id].numbers;
	m->any_own |= !is_total(id);
	return true;
}

static enum tfprof_status make_metrics(struct columns *c, const struct query *q,
	const enum column_id *ids, size_t n, struct tfprof_error *err)
{
	struct metric_columns m = {0};
	enum tfprof_status status = TFPROF_OK;

	for (size_t i = 0; status == TFPROF_OK && i < n; i++)
		if (columns[ids[i]].metrics && !c->at[ids[i]].view.name &&
			!start_metric(c, q, ids[i], &m))
			status = error_no_memory(err);
	if (status == TFPROF_OK && m.n)
		fill_metrics(q, &m);
	for (size_t i = 0; i < m.n; i++) {
		if (status == TFPROF_OK)
			status = table_column_finish(&c->at[m.id[i]], err);
		else
			table_column_clear(&c->at[m.id[i]]);
	}
	return status;
}

/* The end of each subtree: one past its last row. */
static void fill_ends(const struct query *q, int64_t *out)
{
	for (uint32_t i = 0; i < q->n; i++)
		out[i] = (int64_t)i + 1;
	for (uint32_t i = q->n; i-- > 1;)
		if (out[q->parent[i]] < out[i])
			out[q->parent[i]] = out[i];
}

static int64_t node_or_minus_one(const struct query *q, uint32_t i)
{
	uint32_t node = query_node(q, i);

	return node == NONE ? -1 : (int64_t)node;
}

/* What the host did for accelerators, of the step or averaged over steps. */
static void fill_device_work(const struct query *q, enum column_id id, int64_t *out)
{
	const struct model *m = q->model;
	int64_t step = q->options->number[OPT_STEP], n_steps = step < 0 ? (int64_t)m->steps.n : 1;
	int64_t *of_node = mem_zero_array(m->nodes.n + 1, sizeof(*of_node));

	memset(out, 0, q->n * sizeof(*out));
	for (size_t i = 0; of_node && i < m->device_work.n; i++) {
		const struct device_work *w = &m->device_work.at[i];

		if (step < 0 || w->step == step)
			of_node[w->node] += id == COLUMN_KERNEL_COUNT ? w->n_kernels : w->launch_ps;
	}
	for (uint32_t i = 0; of_node && i < q->n; i++) {
		struct row_nodes nodes = query_nodes(q, q->view[i]);
		int64_t unit = (id == COLUMN_KERNEL_COUNT ? 1 : 1000000) * (n_steps ? n_steps : 1);

		for (size_t k = 0; k < nodes.n; k++)
			out[i] += of_node[nodes.at[k]];
		if (!nodes.n && query_node(q, i) != NONE)
			out[i] = of_node[query_node(q, i)];
		out[i] = (out[i] + unit / 2) / unit;
	}
	mem_free(of_node);
}

static void fill_numbers(const struct query *q, enum column_id id, int64_t *out)
{
	if (id == COLUMN_KERNEL_COUNT || id == COLUMN_LAUNCH_MICROS) {
		fill_device_work(q, id, out);
		return;
	}
	if (id == COLUMN_END) {
		fill_ends(q, out);
		return;
	}
	for (uint32_t i = 0; i < q->n; i++)
		switch (id) {
		case COLUMN_PARENT: out[i] = i ? (int64_t)q->parent[i] : -1; break;
		case COLUMN_DEPTH: out[i] = q->depth[i]; break;
		case COLUMN_ACCOUNTED: out[i] = query_is_accounted(q, i); break;
		case COLUMN_DEFINITION_COUNT:
			out[i] = q->kind == TFPROF_OP ? query_defined(q, i) : i != 0;
			break;
		case COLUMN_TOTAL_DEFINITION_COUNT: out[i] = query_defined(q, i); break;
		case COLUMN_NODE: out[i] = node_or_minus_one(q, i); break;
		case COLUMN_LINE:
			out[i] = q->tree->frames && i ? tree_frame(q->tree, q->view[i]).line : -1;
			break;
		default: out[i] = 0;
		}
}

/* ---- texts ---------------------------------------------------------------- */

static void put_ids(const struct model *m, const ids_vec *ids, struct table_column *c)
{
	for (size_t i = 0; i < ids->n; i++)
		table_put_text(c, model_text(m, ids->at[i]));
}

static void put_set(const struct model *m, uint32_t set, struct table_column *c)
{
	const struct string_set *s = sets_get(&m->sets, set);

	for (uint32_t i = 0; i < s->n; i++)
		table_put_text(c, model_text(m, s->at[i]));
}

static void put_input_shapes(const struct query *q, uint32_t node, struct table_column *c)
{
	for (uint32_t i = 0; i < q->model->nodes.n_edges[node]; i++) {
		input_shapes_put_one(q, &c->bytes, node, i);
		table_end_text(c);
	}
}

/* Puts the list of row i; in op and code view it covers several nodes. */
static void put_list(const struct query *q, enum column_id id, uint32_t i, ids_vec *ids,
	struct table_column *c)
{
	const struct model *m = q->model;
	uint32_t node = query_node(q, i);
	struct row_nodes nodes = query_nodes(q, q->view[i]);
	bool ok = true;

	switch (id) {
	case COLUMN_DEVICE:
		ok = distinct_devices(q, nodes, ids);
		if (nodes.n)
			put_ids(m, ids, c);
		else if (node != NONE && query_device(q, node))
			table_put_text(c, model_text(m, query_device(q, node)));
		break;
	case COLUMN_OP_TYPES:
		ok = distinct_types(q, nodes, ids);
		if (nodes.n)
			put_ids(m, ids, c);
		else if (node != NONE)
			put_set(m, query_types(q, node), c);
		break;
	default:
		if (node != NONE)
			put_input_shapes(q, node, c);
	}
	c->bytes.failed |= !ok;
	table_end_list(c);
}

static void put_tensor(struct query *q, uint32_t node, struct buf *b)
{
	const struct checkpoint *ckpt = q->model->checkpoint;
	const struct checkpoint_tensor *tensor =
		ckpt ? checkpoint_find(ckpt, model_name(q->model, node)) : NULL;

	if (tensor && q->failed == TFPROF_OK)
		q->failed = tensor_value_put(ckpt, tensor, b, NULL, &q->error);
}

void query_put_kind(const struct query *q, uint32_t row, struct buf *b)
{
	struct row_nodes nodes = query_nodes(q, q->view[row]);
	uint32_t node = query_node(q, row);
	enum hlo_kind kind = node != NONE ? node_get_kind(q->model, node)
					  : nodes_get_kind(q->model, nodes.at, nodes.n);

	if (kind < N_HLO_KINDS && row)
		buf_text(b, hlo_kind_texts[kind]);
}

double query_get_threads(const struct query *q, uint32_t row)
{
	int64_t room[N_METRICS];
	const int64_t *numbers = q->kind == TFPROF_OP ? query_own_row(q, q->view[row], room)
						      : query_total_row(q, q->view[row]);
	int64_t busy_us = numbers[q->numbers.slot[METRIC_BUSY]];
	int64_t work_us = numbers[q->numbers.slot[METRIC_WORK]];

	return busy_us > 0 && work_us > 0 ? (double)busy_us / (double)work_us : NAN;
}

static void put_text(struct query *q, enum column_id id, uint32_t i, struct table_column *c)
{
	const struct model *m = q->model;
	bool has_frame = q->tree->frames && i;
	uint32_t node = query_node(q, i);

	switch (id) {
	case COLUMN_SHAPE:
		if (node != NONE)
			shape_put(&c->bytes, shapes_get(&m->shapes, m->nodes.shape[node]));
		break;
	case COLUMN_TENSOR_VALUE:
		if (node != NONE)
			put_tensor(q, node, &c->bytes);
		break;
	case COLUMN_OP:
		if (node != NONE)
			buf_span(&c->bytes, model_text(m, model_op(m, node)));
		else if (q->kind == TFPROF_OP && i)
			buf_span(&c->bytes, tree_label(q->tree, q->view[i]));
		break;
	case COLUMN_KIND: query_put_kind(q, i, &c->bytes); break;
	case COLUMN_PATH:
		if (has_frame)
			buf_span(&c->bytes, tree_frame(q->tree, q->view[i]).file);
		break;
	case COLUMN_FUNCTION:
		if (has_frame)
			buf_span(&c->bytes, tree_frame(q->tree, q->view[i]).function);
		break;
	default: break;
	}
	table_end_text(c);
}

/* Labels are scattered in memory: prefetches those to come, step by step, since each
 * load gives the address of the next. Without it, exporting the names of graph view takes
 * 40 % longer. */
PREFETCHES prefetch_label(const struct query *q, uint32_t i)
{
	enum { AHEAD = 8 };
	const struct tree *t = q->tree;
	const uint32_t *view = q->view + i;
	const struct span *label;

	if (q->n - i <= 4 * AHEAD)
		return;
	label = tree_label_at(t, view[AHEAD]);
	prefetch_bytes(label->at, label->n);
	prefetch_line(tree_label_at(t, view[2 * AHEAD]));
	if (t->label)
		return;
	prefetch_line(&q->model->nodes.name[t->node[view[3 * AHEAD]]]);
	prefetch_line(&t->node[view[4 * AHEAD]]);
}

/* How many bytes the names after the first i take, if they are about as long as those. Without
 * reserving them, moving the growing block and its page faults are half of an export to Arrow. */
static size_t estimate_rest(const struct query *q, uint32_t i, const struct buf *first)
{
	enum { SAMPLE = 1024, MOST = 64 << 20 };
	size_t n = i == SAMPLE ? first->n / SAMPLE * (q->n - i) : 0;

	return n < MOST ? n : MOST;
}

static void fill_names(const struct query *q, struct table_column *c)
{
	for (uint32_t i = 0; i < q->n; i++) {
		struct span label = tree_label(q->tree, q->view[i]);

		prefetch_label(q, i);
		if (!buf_reserve(&c->bytes, label.n + estimate_rest(q, i, &c->bytes)))
			return;
		memcpy(c->bytes.at + c->bytes.n, label.at, label.n);
		c->bytes.n += label.n;
		c->offsets.at[c->offsets.n++] = (int64_t)c->bytes.n;
	}
}

/* ---- making --------------------------------------------------------------- */

static enum tfprof_status fill(struct query *q, enum column_id id, struct table_column *c,
	struct tfprof_error *err)
{
	ids_vec ids = {0};

	switch (columns[id].info.type) {
	case TFPROF_COLUMN_TEXT:
		if (id == COLUMN_NAME)
			fill_names(q, c);
		for (uint32_t i = 0; id != COLUMN_NAME && i < q->n; i++)
			put_text(q, id, i, c);
		break;
	case TFPROF_COLUMN_TEXTS:
		for (uint32_t i = 0; i < q->n; i++)
			put_list(q, id, i, &ids, c);
		vec_clear(&ids);
		break;
	case TFPROF_COLUMN_DOUBLE:
		for (uint32_t i = 0; i < q->n; i++)
			c->doubles[i] = query_get_threads(q, i);
		break;
	default: fill_numbers(q, id, c->numbers);
	}
	if (q->failed != TFPROF_OK && err)
		*err = q->error;
	return q->failed;
}

static enum tfprof_status make_one(struct columns *c, struct query *q, enum column_id id,
	struct tfprof_error *err)
{
	struct table_column *column = &c->at[id];
	enum tfprof_status status;

	if (column->view.name)
		return TFPROF_OK;
	if (id == COLUMN_NAME && query_check_names(q, err) != TFPROF_OK)
		return TFPROF_UNSUPPORTED;
	if (!table_column_init(column, &columns[id].info, q->n))
		return error_no_memory(err);
	column->view.is_nullable = id == COLUMN_PARENT || id == COLUMN_NODE || id == COLUMN_LINE ||
		id == COLUMN_THREADS;
	status = fill(q, id, column, err);
	if (status == TFPROF_OK)
		return table_column_finish(column, err);
	table_column_clear(column);
	return status;
}

enum tfprof_status columns_make(struct columns *c, struct query *q, const enum column_id *ids,
	size_t n, struct tfprof_error *err)
{
	enum tfprof_status status = make_metrics(c, q, ids, n, err);

	for (size_t i = 0; status == TFPROF_OK && i < n; i++)
		status = make_one(c, q, ids[i], err);
	return status;
}

enum tfprof_status columns_map_nodes(struct columns *c, const struct query *q,
	struct tfprof_error *err)
{
	size_t n = q->model->nodes.n;

	if (c->row_of_node)
		return TFPROF_OK;
	c->row_of_node = mem_array(n, sizeof(*c->row_of_node));
	if (!c->row_of_node)
		return error_no_memory(err);
	c->n_nodes = n;
	memset(c->row_of_node, 0xff, n * sizeof(*c->row_of_node));
	for (uint32_t i = 0; i < q->n; i++) {
		struct row_nodes nodes = query_nodes(q, q->view[i]);

		if (query_node(q, i) != NONE)
			c->row_of_node[query_node(q, i)] = i;
		for (size_t k = 0; k < nodes.n; k++)
			if (query_picks_node(q, nodes.at[k]))
				c->row_of_node[nodes.at[k]] = i;
	}
	return TFPROF_OK;
}
