/* layers: what each layer of a model costs, in the order of the model.
 *
 *     nodes ──names──> layers (model/layer_tree.h) ──> rows: forward and backward time, float
 *                                                      operations, parameters, memory
 *
 * A row has what is below it, too, so the rows right below the root add up to all that ran. What
 * no layer made has rows of its own, in parentheses. Numbers are those of scope view. */
#include "ask/layer_rows.h"
#include "ask/model_report.h"
#include "ask/view.h"

#include <stdlib.h>

#include "base/clamped.h"
#include "model/trace.h"

/* id, name, type, unit, what the profile must have, words of select that show it (0: all) */
/* clang-format off */
#define LAYERS_COLUMNS(X)                                                      \
	X(TYPE, "type", TEXT, NULL, 0, 0)                                      \
	X(TIME, "exec_micros", INT64, "microseconds", HAS_RUN, SELECT(MICROS)) \
	X(FORWARD, "forward_micros", INT64, "microseconds", HAS_RUN | HAS_BACKWARD, SELECT(MICROS)) \
	X(BACKWARD, "backward_micros", INT64, "microseconds", HAS_RUN | HAS_BACKWARD, SELECT(MICROS)) \
	X(SHARE, "share", DOUBLE, "fraction", HAS_SHARE, SELECT(MICROS))       \
	X(RUNS, "runs", INT64, NULL, HAS_RUN, SELECT(OCCURRENCE))              \
	X(FLOAT_OPS, "float_ops", INT64, "count", HAS_COUNT, SELECT(FLOAT_OPS)) \
	X(RATE, "float_ops_per_second", DOUBLE, "count", HAS_RUN | HAS_BATCH, SELECT(FLOAT_OPS)) \
	X(MATRIX, "matrix_float_ops", INT64, "count", HAS_COUNT | HAS_COSTS, SELECT(MATRIX_FLOAT_OPS)) \
	X(ACCESSED, "bytes_accessed", INT64, "bytes", HAS_COSTS, SELECT(BYTES_ACCESSED)) \
	X(PARAMETERS, "parameters", INT64, "count", HAS_PARAMETERS, SELECT(PARAMS)) \
	X(MEMORY, "requested_bytes", INT64, "bytes", HAS_RUN | HAS_MEMORY, SELECT(BYTES)) \
	X(PEAK, "peak_bytes", INT64, "bytes", HAS_RUN | HAS_PEAK, SELECT(PEAK_BYTES)) \
	X(LINE, "line", TEXT, NULL, HAS_LINES, 0)                              \
	X(SOURCE, "source", TEXT, NULL, HAS_LINES, 0)
/* clang-format on */

enum {
#define X(id, ...) LAYERS_##id,
	LAYERS_COLUMNS(X)
#undef X
		N_LAYERS_COLUMNS
};

static const struct {
	struct tfprof_column_info info;
	unsigned needs, select;
} all_columns[] = {
#define X(id, name, type, unit, needs, select) \
	{{name, TFPROF_COLUMN_##type, unit, 0}, needs, select},
	LAYERS_COLUMNS(X)
#undef X
};

/* ---- order ----------------------------------------------------------------------- */

struct ordered {
	const struct layer_row *row;
	int64_t number;
	uint32_t id;
	bool is_extra;
	bool by_name;
};

static int64_t number_of(const struct layer_row *row, enum order order)
{
	switch (order) {
	case ORDER_FLOAT_OPS: return row->float_ops;
	case ORDER_MATRIX_FLOAT_OPS: return row->matrix_float_ops;
	case ORDER_BYTES_ACCESSED: return row->bytes_accessed;
	case ORDER_PARAMS: return row->parameters;
	case ORDER_BYTES: return row->bytes;
	case ORDER_PEAK_BYTES: return row->peak_bytes;
	case ORDER_OCCURRENCE: return row->runs;
	default: return clamped_sum(row->forward_us, row->backward_us);
	}
}

static int by_order(const void *a, const void *b)
{
	const struct ordered *x = a, *y = b;
	int c = x->by_name ? span_compare(x->row->name, y->row->name) : 0;

	/* In the model's order, what is no layer comes last. */
	if (x->is_extra != y->is_extra)
		return x->is_extra - y->is_extra;
	if (x->number != y->number)
		return x->number > y->number ? -1 : 1;
	return c ? c : (x->id > y->id) - (x->id < y->id);
}

static bool is_extra(const struct layers *l, uint32_t row)
{
	for (int i = 0; i < OWN_ROW; i++)
		if (l->extra[i] == row)
			return true;
	return false;
}

/* The rows below each row, sorted: child[first[row] … first[row + 1]]. */
struct children {
	uint32_t *first;
	struct ordered *child;
};

static bool sort_rows(const struct layers *l, struct children *c)
{
	const struct tfprof_options *o = l->q->options;
	bool is_ordered = options_is_given(o, OPT_ORDER_BY);
	size_t n = l->rows.n;

	c->first = mem_zero_array(n + 2, sizeof(*c->first));
	c->child = mem_array(n + 1, sizeof(*c->child));
	if (!c->first || !c->child)
		return false;
	for (uint32_t i = 1; i < n; i++)
		c->first[l->rows.at[i].parent + 2]++;
	for (size_t i = 2; i < n + 2; i++)
		c->first[i] += c->first[i - 1];
	for (uint32_t i = 1; i < n; i++) {
		const struct layer_row *row = &l->rows.at[i];
		bool by_name = is_ordered && o->order == ORDER_NAME;

		c->child[c->first[row->parent + 1]++] = (struct ordered){row,
			by_name              ? 0
				: is_ordered ? number_of(row, o->order)
					     : ~row->place,
			i, !is_ordered && is_extra(l, i), by_name};
	}
	for (size_t i = 0; i < n; i++)
		if (c->first[i + 1] > c->first[i])
			qsort(c->child + c->first[i], c->first[i + 1] - c->first[i],
				sizeof(*c->child), by_order);
	return true;
}

/* ---- the table ------------------------------------------------------------------- */

struct layers_table {
	const struct layers *l;
	size_t column[N_LAYERS_COLUMNS]; /* of the answer's table; SIZE_MAX: left out */
};

static void set_int(const struct layers_table *t, struct answer *a, size_t at, int column,
	int64_t value)
{
	if (t->column[column] != SIZE_MAX)
		table_set_int(&a->table, at, t->column[column], value);
}

static void set_double(const struct layers_table *t, struct answer *a, size_t at, int column,
	double value)
{
	if (t->column[column] != SIZE_MAX)
		table_set_double(&a->table, at, t->column[column], value);
}

static enum tfprof_status put_line(const struct layers_table *t, struct answer *a, size_t at,
	uint32_t node, struct tfprof_error *err)
{
	struct buf text = {0};
	struct span source;
	enum tfprof_status status = trace_put_user_line(&text, t->l->q->model, node, &source, err);

	if (text.n) {
		table_set_text(&a->table, at, t->column[LAYERS_LINE], buf_get(&text));
		table_set_text(&a->table, at, t->column[LAYERS_SOURCE], source);
	}
	a->failed |= text.failed;
	buf_clear(&text);
	return status;
}

static double share_of(const struct layers *l, const struct layer_row *row)
{
	const struct layer_row *all = &l->rows.at[0];
	bool has_run = l->has & HAS_RUN;
	enum order order = has_run ? ORDER_MICROS : ORDER_FLOAT_OPS;
	int64_t whole = number_of(all, order);

	return whole > 0 ? (double)number_of(row, order) / (double)whole : NAN;
}

static enum tfprof_status put_row(const struct layers_table *t, struct answer *a, uint32_t id,
	size_t parent, size_t *at, struct tfprof_error *err)
{
	const struct layers *l = t->l;
	const struct model *m = l->q->model;
	const struct layer_row *row = &l->rows.at[id];
	int64_t time_us = clamped_sum(row->forward_us, row->backward_us);

	*at = column_table_add_row(&a->table, parent, row->name);
	if (id && row->node != NONE)
		table_set_text(&a->table, *at, t->column[LAYERS_TYPE],
			model_text(m, model_op(m, row->node)));
	/* What ran within the kernel of another layer has no time of its own. */
	if (time_us || !row->runs) {
		set_int(t, a, *at, LAYERS_TIME, time_us);
		set_int(t, a, *at, LAYERS_FORWARD, row->forward_us);
		set_int(t, a, *at, LAYERS_BACKWARD, row->backward_us);
		set_double(t, a, *at, LAYERS_SHARE, share_of(l, row));
	}
	if (id)
		set_int(t, a, *at, LAYERS_RUNS, row->runs);
	set_int(t, a, *at, LAYERS_FLOAT_OPS, row->float_ops);
	if (time_us > 0)
		set_double(t, a, *at, LAYERS_RATE, (double)row->float_ops / (double)time_us * 1e6);
	set_int(t, a, *at, LAYERS_MATRIX, row->matrix_float_ops);
	set_int(t, a, *at, LAYERS_ACCESSED, row->bytes_accessed);
	set_int(t, a, *at, LAYERS_PARAMETERS, row->parameters);
	set_int(t, a, *at, LAYERS_MEMORY, row->bytes);
	set_int(t, a, *at, LAYERS_PEAK, row->peak_bytes);
	if (!id || row->node == NONE || !(l->has & HAS_LINES))
		return TFPROF_OK;
	return put_line(t, a, *at, row->node, err);
}

/* A path from the root down to a row: what is still to be put of each. */
struct level {
	uint32_t next, end;
	size_t parent; /* in the table */
};

static enum tfprof_status put_rows(const struct layers_table *t, struct answer *a,
	const struct children *c, struct tfprof_error *err)
{
	const struct tfprof_options *o = t->l->q->options;
	int64_t depth = options_is_given(o, OPT_MAX_DEPTH) ? o->number[OPT_MAX_DEPTH] : 2;
	VEC(struct level) path = {0};
	struct level level = {c->first[0], c->first[1], 0};
	enum tfprof_status status = put_row(t, a, 0, TABLE_NO_PARENT, &level.parent, err);
	bool ok = depth < 2 || vec_push(&path, level);

	while (ok && status == TFPROF_OK && path.n) {
		struct level *top = &path.at[path.n - 1];
		uint32_t id;
		size_t at;

		if (top->next == top->end) {
			path.n--;
			continue;
		}
		id = c->child[top->next++].id;
		status = put_row(t, a, id, top->parent, &at, err);
		level = (struct level){c->first[id], c->first[id + 1], at};
		if ((int64_t)path.n + 1 < depth)
			ok = vec_push(&path, level);
	}
	vec_clear(&path);
	return ok ? status : error_no_memory(err);
}

static enum tfprof_status put_table(const struct layers *l, struct answer *a,
	struct tfprof_error *err)
{
	struct layers_table t = {.l = l};
	struct tfprof_column_info infos[N_LAYERS_COLUMNS];
	struct children children = {0};
	const struct tfprof_options *o = l->q->options;
	unsigned selected = options_is_given(o, OPT_SELECT) ? o->selected : ~0u;
	enum tfprof_status status;
	size_t n = 0;

	for (int i = 0; i < N_LAYERS_COLUMNS; i++) {
		bool is_made = (all_columns[i].needs & l->has) == all_columns[i].needs &&
			(!all_columns[i].select || all_columns[i].select & selected);

		t.column[i] = is_made ? n : SIZE_MAX;
		if (is_made)
			infos[n++] = all_columns[i].info;
	}
	if (!column_table_init_tree(&a->table, infos, n) || !sort_rows(l, &children))
		status = error_no_memory(err);
	else
		status = put_rows(&t, a, &children, err);
	mem_free(children.first);
	mem_free(children.child);
	return status;
}

static void put_notes(const struct layers *l, struct answer *a)
{
	const struct model *m = l->q->model;

	/* Counting a graph says it itself, and loading a model file. */
	if (l->has & HAS_COUNT && m->uncounted && !m->graphs.n && !l->q->file)
		answer_note(a, "uncounted", "float operations: %s", m->uncounted);
	if (l->has & HAS_COUNT && l->has & HAS_RUN && m->assumes_batch)
		answer_note(a, "assumed_batch",
			"no float operations per second: those counted are of a batch of 1, which "
			"is not what ran");
	if (l->has & HAS_PEAK)
		view_note_peaks(a, m);
	answer_put_text(a, "model", l->tree.trunk ? l->tree.at.at[l->tree.trunk].name : SPAN(""));
}

/* ---- limits ---------------------------------------------------------------------- */

/* Instructions of compiled programs say themselves what they compute; what else ran is counted by
 * a graph. */
static bool is_all_in_graph(const struct model *m)
{
	for (uint32_t node = 0; !m->graphs.n && node < m->nodes.n; node++)
		if (m->nodes.first_exec[node] != NONE && !m->nodes.kind[node])
			return false;
	return true;
}

/* Those of what was loaded; a model file alone has more of them. */
static void read_totals(const struct layers *l, struct totals *t)
{
	const struct model *m = l->q->model;
	const struct layer_row *all = &l->rows.at[0];

	t->lacking = "this profile does not have it";
	if (l->has & HAS_RUN)
		totals_set(t, TOTAL_micros, clamped_sum(all->forward_us, all->backward_us));
	if (l->has & HAS_MEMORY)
		totals_set(t, TOTAL_bytes, all->bytes);
	if (l->has & HAS_PARAMETERS)
		totals_set(t, TOTAL_params, all->parameters);
	if (l->has & HAS_COUNT)
		totals_set(t, TOTAL_float_ops, all->float_ops);
	if (m->uncounted)
		buf_text(&t->lacks, m->uncounted);
	else if (!is_all_in_graph(m))
		buf_text(&t->lacks, "operations of which there is no graph");
}

static enum tfprof_status check_limits(const struct layers *l, struct answer *a,
	struct tfprof_error *err)
{
	struct totals totals = {0};
	struct model_report *report = NULL;
	enum tfprof_status status = TFPROF_OK;

	if (!options_is_given(l->q->options, OPT_MODEL_FAIL_IF))
		return TFPROF_OK;
	if (l->q->file)
		status = model_count(&report, l->q->file, l->q, false, err);
	if (status == TFPROF_OK) {
		if (report)
			model_get_totals(report, &totals);
		else
			read_totals(l, &totals);
		status = totals_check(&totals, a, l->q->options, err);
	}
	model_report_free(report);
	return status;
}

static enum tfprof_status run(struct answer *a, const struct asked *q, struct tfprof_error *err)
{
	struct layers l = {.q = q};
	enum tfprof_status status =
		q->file ? TFPROF_OK : model_refuse_options(q->options, "layers", err);

	if (status == TFPROF_OK && !layers_read(&l))
		status = error_no_memory(err);
	if (status == TFPROF_OK) {
		put_notes(&l, a);
		status = put_table(&l, a, err);
	}
	if (status == TFPROF_OK)
		status = check_limits(&l, a, err);
	layers_clear(&l);
	return status;
}

static bool has_nodes(const struct asked *q)
{
	return q->model->nodes.n > 0;
}

static const struct question_need needs[] = {
	{has_nodes, "there is no graph", "a graph, a trace or a model"},
	{NULL, NULL, NULL},
};

static const char *const sums[] = {"exec_micros", "forward_micros", "backward_micros", "share",
	"float_ops", "matrix_float_ops", "bytes_accessed", "parameters", "requested_bytes",
	"peak_bytes", NULL};

const struct question layers_question = {
	.name = "layers",
	.summary = "what each layer costs: time, float operations, parameters",
	.description =
		"Prints one line per layer, in the order of the model: time of the forward and the "
		"backward pass, share, float operations and how many of them per second, "
		"bytes that compiled programs read and write, parameters, memory requested, runs "
		"per step, and the line that made it. Times "
		"are there if something ran. max_depth shows the layers within layers.",
	.example = "--max_depth=3",
	.state = QUESTION_COMPLETE,
	.takes_model = true,
	.loads_model = true,
	.counts_float_ops = true,
	.sums = sums,
	.needs = needs,
	.not_saved = "calls, which tell what ran eagerly and in which layer",
	.run = run,
};
