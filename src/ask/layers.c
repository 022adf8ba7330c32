/* layers: what each layer of a model costs, in the order of the model.
 *
 *     nodes ──names──> layers (model/layer_tree.h) ──> rows: forward and backward time, float
 *                                                      operations, parameters, memory
 *
 * A row has what is below it, too, so the rows right below the root add up to all that ran. What
 * no layer made has rows of its own, in parentheses. Numbers are those of scope view. */
#include "ask/model_report.h"
#include "ask/view.h"

#include <stdlib.h>

#include "base/clamped.h"
#include "load/model_file.h"
#include "model/executed.h"
#include "model/layer_tree.h"
#include "model/trace.h"
#include "query/metrics.h"
#include "view/lineless.h"

enum {
	HAS_RUN = 1,
	HAS_BACKWARD = 2,
	HAS_COUNT = 4,
	HAS_MEMORY = 8,
	HAS_LINES = 16,
	HAS_PARAMETERS = 64,
	HAS_SHARE = 32,  /* of time or, if nothing ran, of float operations */
	HAS_BATCH = 128, /* what was counted is of the batch that ran */
	HAS_PEAK = 256,  /* asked for: it takes time */
};

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

/* Work that no layer does: what code view calls it, and the model's own. */
enum { OWN_ROW = N_LINELESS, N_EXTRA };

struct layer_row {
	struct span name;
	uint32_t parent; /* row */
	/* The id of its first node with most float operations: the order of the model, also in
	 * saved profiles. Nodes without any may stand anywhere: files list what has no input
	 * early. Compilers move instructions. */
	int64_t place;
	int64_t place_ops; /* of that one; less than 0: it is an instruction */
	uint32_t node;     /* its most expensive one; NONE: it has none */
	bool is_forward;   /* that one */
	int64_t cost;      /* of that one */
	int64_t forward_us, backward_us, float_ops, parameters, bytes, peak_bytes, runs;
};

struct layers {
	const struct asked *q;
	struct layer_tree tree;
	uint32_t *of_node;          /* by node: its place in the tree */
	bool *is_backward;          /* by node */
	uint32_t *row_of;           /* by scope of the tree; NONE: it has none */
	VEC(struct layer_row) rows; /* parents first; the first is the root */
	uint32_t extra[N_EXTRA];    /* rows; 0: none */
	struct buf own_name;
	unsigned has;
	size_t column[N_LAYERS_COLUMNS]; /* in the table; SIZE_MAX: left out */
};

/* ---- layers ---------------------------------------------------------------------- */

static bool is_data(struct span op)
{
	return span_equal(op, SPAN("Const")) || span_equal(op, SPAN("Placeholder")) ||
		span_equal(op, SPAN("NoOp")) || span_equal(op, SPAN("VarHandleOp")) ||
		span_equal(op, SPAN("Variable"));
}

static bool read_names(struct layers *l)
{
	const struct model *m = l->q->model;

	l->of_node = mem_array(m->nodes.n + 1, sizeof(*l->of_node));
	l->is_backward = mem_array(m->nodes.n + 1, sizeof(*l->is_backward));
	if (!l->of_node || !l->is_backward || !layer_tree_init(&l->tree))
		return false;
	for (uint32_t node = 0; node < m->nodes.n; node++)
		l->of_node[node] = layer_tree_add(&l->tree, model_name(m, node),
			!is_data(model_text(m, m->nodes.op[node])), &l->is_backward[node]);
	l->tree.nodes_are_layers = m->is_of_layers;
	return layer_tree_finish(&l->tree);
}

/* Whatever has a shape has parameters in TensorFlow's views, an input too; here only variables do,
 * and not those that an optimizer keeps beside them. */
static bool is_variable(const struct model *m, uint32_t node)
{
	const struct string_set *types = sets_get(&m->sets, m->nodes.types[node]);
	struct span op = model_text(m, m->nodes.op[node]);
	bool is_known = span_starts(op, SPAN("Variable")) || span_equal(op, SPAN("VarHandleOp"));

	for (uint32_t i = 0; !is_known && i < types->n; i++) {
		struct span type = model_text(m, types->at[i]);

		is_known = span_equal(type, SPAN("_trainable_variables")) ||
			span_equal(type, SPAN("_checkpoint_variables"));
	}
	return is_known && !model_is_of_optimizer(model_name(m, node));
}

/* A variable that is in no layer belongs to the one that reads it first: a SavedModel keeps
 * variables apart, and names them by the model's attributes. */
static void place_variables(struct layers *l)
{
	const struct model *m = l->q->model;

	for (uint32_t node = 0; node < m->nodes.n; node++) {
		uint32_t scope = layer_tree_get_layer(&l->tree, l->of_node[node]);

		for (uint32_t i = 0; scope && !l->is_backward[node] && i < m->nodes.n_edges[node];
			i++) {
			const struct edge *e = &m->edges.at[m->nodes.first_edge[node] + i];
			uint32_t source = model_node_of(m, e->source);

			if (source != NONE && is_variable(m, source) &&
				!layer_tree_get_layer(&l->tree, l->of_node[source]))
				l->of_node[source] = l->of_node[node];
		}
	}
}

/* NONE on allocation failure. */
static uint32_t add_row(struct layers *l, struct span name, uint32_t parent)
{
	struct layer_row row = {.name = name,
		.parent = parent,
		.place = INT64_MAX,
		.place_ops = INT64_MIN,
		.node = NONE,
		.cost = -1};

	return vec_push(&l->rows, row) ? (uint32_t)l->rows.n - 1 : NONE;
}

/* The model itself is the root. */
static bool add_rows(struct layers *l)
{
	const struct layer_tree *t = &l->tree;

	l->row_of = mem_zero_array(t->at.n + 1, sizeof(*l->row_of));
	if (!l->row_of || add_row(l, SPAN("total"), NONE) == NONE)
		return false;
	for (uint32_t i = 1; i < t->at.n; i++) {
		if (!t->at.at[i].is_layer || t->at.at[i].layer != i || i == t->trunk)
			continue;
		l->row_of[i] = add_row(l, t->at.at[i].name, l->row_of[layer_tree_get_parent(t, i)]);
		if (l->row_of[i] == NONE)
			return false;
	}
	return true;
}

/* The row of a node that is in no layer. */
static uint32_t extra_row(struct layers *l, uint32_t node, uint32_t scope)
{
	uint32_t kind = scope ? (uint32_t)OWN_ROW : (uint32_t)lineless_of(l->q->model, node);
	struct span name;

	if (l->extra[kind])
		return l->extra[kind];
	if (kind == OWN_ROW) {
		buf_printf(&l->own_name, "(%.*s itself)", (int)l->tree.at.at[scope].name.n,
			l->tree.at.at[scope].name.at);
		name = buf_get(&l->own_name);
	} else {
		name = kind == LINELESS_OTHER ? SPAN("(no layer)") : span_of(lineless_labels[kind]);
	}
	return l->extra[kind] = l->own_name.failed ? NONE : add_row(l, name, 0);
}

/* ---- numbers --------------------------------------------------------------------- */

/* A node of which a row is made. */
struct work {
	uint32_t node;
	bool is_backward;
	struct numbers n;
};

static struct work read_work(struct layers *l, uint32_t node)
{
	struct work w = {.node = node, .is_backward = l->is_backward[node]};

	metrics_of(l->q->model, node, l->q->options->number[OPT_STEP], &w.n);
	if (w.n.at[METRIC_PARAMS] &&
		(!is_variable(l->q->model, node) ||
			layer_tree_is_of_copy(model_name(l->q->model, node))))
		w.n.at[METRIC_PARAMS] = 0;
	l->has |= (w.is_backward ? (unsigned)HAS_BACKWARD : 0u) |
		(w.n.at[METRIC_FLOAT_OPS] ? (unsigned)HAS_COUNT : 0u) |
		(w.n.at[METRIC_PARAMS] ? (unsigned)HAS_PARAMETERS : 0u) |
		(w.n.at[METRIC_BYTES] ? (unsigned)HAS_MEMORY : 0u);
	return w;
}

static bool is_nothing(const struct work *w)
{
	return !w->n.at[METRIC_MICROS] && !w->n.at[METRIC_FLOAT_OPS] && !w->n.at[METRIC_PARAMS] &&
		!w->n.at[METRIC_PEAK_BYTES];
}

/* Where a node stands in the order of the model: those in a loop or a branch where that stands,
 * "lm/while/body/_7/lm/x" at "lm/while". */
static uint32_t place_of(const struct model *m, uint32_t node)
{
	struct span name = model_name(m, node);

	for (size_t i = 0; i + 2 < name.n; i++) {
		struct span head = {name.at, i};
		size_t n_last = span_after_last(head, '/').n;
		uint32_t around;

		if (name.at[i] != '/' || name.at[i + 1] != '_' || name.at[i + 2] < '0' ||
			name.at[i + 2] > '9')
			continue;
		/* Without "/body" or "/true". */
		head.n -= n_last < i ? n_last + 1 : i;
		around = model_find_node(m, head);
		if (around != NONE)
			return around;
	}
	return node;
}

static void place_at(struct layer_row *row, int64_t place, int64_t float_ops)
{
	if (float_ops < row->place_ops || (float_ops == row->place_ops && place >= row->place))
		return;
	row->place = place;
	row->place_ops = float_ops;
}

/* Whether a node says better than the row's what kind of layer it is: the forward pass does, then
 * what costs most, then what comes first in the model. */
static bool tells_more(const struct layers *l, const struct layer_row *row, uint32_t node,
	bool is_forward, int64_t cost)
{
	const int64_t *id = l->q->model->nodes.id;

	if (node == NONE || row->node == NONE || is_forward != row->is_forward)
		return node != NONE && is_forward >= row->is_forward;
	return cost > row->cost || (cost == row->cost && id[node] < id[row->node]);
}

static void add_work(struct layers *l, struct layer_row *row, const struct work *w)
{
	enum metric costs = l->has & HAS_RUN ? METRIC_MICROS : METRIC_FLOAT_OPS;
	bool is_forward = !w->is_backward;

	add_clamped(is_forward ? &row->forward_us : &row->backward_us, w->n.at[METRIC_MICROS]);
	add_clamped(&row->float_ops, w->n.at[METRIC_FLOAT_OPS]);
	add_clamped(&row->parameters, w->n.at[METRIC_PARAMS]);
	add_clamped(&row->bytes, w->n.at[METRIC_BYTES]);
	add_clamped(&row->peak_bytes, w->n.at[METRIC_PEAK_BYTES]);
	if (is_data(model_text(l->q->model, l->q->model->nodes.op[w->node])))
		return;
	if (is_forward)
		place_at(row, l->q->model->nodes.id[place_of(l->q->model, w->node)],
			l->q->model->nodes.kind[w->node] ? w->n.at[METRIC_FLOAT_OPS] - INT64_MAX
							 : w->n.at[METRIC_FLOAT_OPS]);
	if (!tells_more(l, row, w->node, is_forward, w->n.at[costs]))
		return;
	row->node = w->node;
	row->is_forward = is_forward;
	row->cost = w->n.at[costs];
	row->runs = w->n.at[METRIC_OCCURRENCE];
}

static bool add_nodes(struct layers *l)
{
	const struct model *m = l->q->model;

	l->has = (m->execs.n_rows ? (unsigned)HAS_RUN : 0u) |
		(view_needs_peaks(&layers_question, l->q->options) ? (unsigned)HAS_PEAK : 0u);
	for (uint32_t node = 0; node < m->nodes.n; node++) {
		uint32_t scope = layer_tree_get_layer(&l->tree, l->of_node[node]);
		uint32_t row = l->row_of[scope];
		struct work w = read_work(l, node);

		if (!row && is_nothing(&w))
			continue;
		row = row ? row : extra_row(l, node, scope);
		if (row == NONE)
			return false;
		add_work(l, &l->rows.at[row], &w);
	}
	return true;
}

/* Its type and line are those of what costs most in it. */
static void add_to_parent(const struct layers *l, struct layer_row *to,
	const struct layer_row *from)
{
	add_clamped(&to->forward_us, from->forward_us);
	add_clamped(&to->backward_us, from->backward_us);
	add_clamped(&to->float_ops, from->float_ops);
	add_clamped(&to->parameters, from->parameters);
	add_clamped(&to->bytes, from->bytes);
	add_clamped(&to->peak_bytes, from->peak_bytes);
	place_at(to, from->place, from->place_ops);
	if (!tells_more(l, to, from->node, from->is_forward, from->cost))
		return;
	to->node = from->node;
	to->is_forward = from->is_forward;
	to->cost = from->cost;
	to->runs = from->runs;
}

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

static void set_int(struct layers *l, struct answer *a, size_t at, int column, int64_t value)
{
	if (l->column[column] != SIZE_MAX)
		table_set_int(&a->table, at, l->column[column], value);
}

static void set_double(struct layers *l, struct answer *a, size_t at, int column, double value)
{
	if (l->column[column] != SIZE_MAX)
		table_set_double(&a->table, at, l->column[column], value);
}

static enum tfprof_status put_line(struct layers *l, struct answer *a, size_t at, uint32_t node,
	struct tfprof_error *err)
{
	struct buf text = {0};
	struct span source;
	enum tfprof_status status = trace_put_user_line(&text, l->q->model, node, &source, err);

	if (text.n) {
		table_set_text(&a->table, at, l->column[LAYERS_LINE], buf_get(&text));
		table_set_text(&a->table, at, l->column[LAYERS_SOURCE], source);
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

static enum tfprof_status put_row(struct layers *l, struct answer *a, uint32_t id, size_t parent,
	size_t *at, struct tfprof_error *err)
{
	const struct model *m = l->q->model;
	const struct layer_row *row = &l->rows.at[id];
	int64_t time_us = clamped_sum(row->forward_us, row->backward_us);

	*at = column_table_add_row(&a->table, parent, row->name);
	if (id && row->node != NONE)
		table_set_text(&a->table, *at, l->column[LAYERS_TYPE],
			model_text(m, model_op(m, row->node)));
	/* What ran within the kernel of another layer has no time of its own. */
	if (time_us || !row->runs) {
		set_int(l, a, *at, LAYERS_TIME, time_us);
		set_int(l, a, *at, LAYERS_FORWARD, row->forward_us);
		set_int(l, a, *at, LAYERS_BACKWARD, row->backward_us);
		set_double(l, a, *at, LAYERS_SHARE, share_of(l, row));
	}
	if (id)
		set_int(l, a, *at, LAYERS_RUNS, row->runs);
	set_int(l, a, *at, LAYERS_FLOAT_OPS, row->float_ops);
	if (time_us > 0)
		set_double(l, a, *at, LAYERS_RATE, (double)row->float_ops / (double)time_us * 1e6);
	set_int(l, a, *at, LAYERS_PARAMETERS, row->parameters);
	set_int(l, a, *at, LAYERS_MEMORY, row->bytes);
	set_int(l, a, *at, LAYERS_PEAK, row->peak_bytes);
	if (!id || row->node == NONE || !(l->has & HAS_LINES))
		return TFPROF_OK;
	return put_line(l, a, *at, row->node, err);
}

/* A path from the root down to a row: what is still to be put of each. */
struct level {
	uint32_t next, end;
	size_t parent; /* in the table */
};

static enum tfprof_status put_rows(struct layers *l, struct answer *a, const struct children *c,
	struct tfprof_error *err)
{
	const struct tfprof_options *o = l->q->options;
	int64_t depth = options_is_given(o, OPT_MAX_DEPTH) ? o->number[OPT_MAX_DEPTH] : 2;
	VEC(struct level) path = {0};
	struct level level = {c->first[0], c->first[1], 0};
	enum tfprof_status status = put_row(l, a, 0, TABLE_NO_PARENT, &level.parent, err);
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
		status = put_row(l, a, id, top->parent, &at, err);
		level = (struct level){c->first[id], c->first[id + 1], at};
		if ((int64_t)path.n + 1 < depth)
			ok = vec_push(&path, level);
	}
	vec_clear(&path);
	return ok ? status : error_no_memory(err);
}

static enum tfprof_status put_table(struct layers *l, struct answer *a, struct tfprof_error *err)
{
	struct tfprof_column_info infos[N_LAYERS_COLUMNS];
	struct children children = {0};
	const struct tfprof_options *o = l->q->options;
	unsigned selected = options_is_given(o, OPT_SELECT) ? o->selected : ~0u;
	enum tfprof_status status;
	size_t n = 0;

	for (int i = 0; i < N_LAYERS_COLUMNS; i++) {
		bool is_made = (all_columns[i].needs & l->has) == all_columns[i].needs &&
			(!all_columns[i].select || all_columns[i].select & selected);

		l->column[i] = is_made ? n : SIZE_MAX;
		if (is_made)
			infos[n++] = all_columns[i].info;
	}
	if (!column_table_init_tree(&a->table, infos, n) || !sort_rows(l, &children))
		status = error_no_memory(err);
	else
		status = put_rows(l, a, &children, err);
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

	if (status != TFPROF_OK)
		return status;
	if (!read_names(&l) || !add_rows(&l)) {
		status = error_no_memory(err);
	} else {
		place_variables(&l);
		if (!add_nodes(&l))
			status = error_no_memory(err);
	}
	if (status == TFPROF_OK) {
		l.has |= (q->model->has_trace ? (unsigned)HAS_LINES : 0u) |
			(l.has & HAS_COUNT && !q->model->assumes_batch ? (unsigned)HAS_BATCH : 0u) |
			(l.has & (HAS_RUN | HAS_COUNT) ? (unsigned)HAS_SHARE : 0u);
		for (size_t i = l.rows.n; i-- > 1;)
			add_to_parent(&l, &l.rows.at[l.rows.at[i].parent], &l.rows.at[i]);
		put_notes(&l, a);
		status = put_table(&l, a, err);
	}
	if (status == TFPROF_OK)
		status = check_limits(&l, a, err);
	layer_tree_clear(&l.tree);
	mem_free(l.of_node);
	mem_free(l.is_backward);
	mem_free(l.row_of);
	vec_clear(&l.rows);
	buf_clear(&l.own_name);
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
	"float_ops", "parameters", "requested_bytes", "peak_bytes", NULL};

const struct question layers_question = {
	.name = "layers",
	.summary = "what each layer costs: time, float operations, parameters",
	.description =
		"Prints one line per layer, in the order of the model: time of the forward and the "
		"backward pass, share, float operations and how many of them per second, "
		"parameters, memory requested, runs per step, and the line that made it. Times "
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
