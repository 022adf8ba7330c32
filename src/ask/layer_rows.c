#include "ask/layer_rows.h"

#include "ask/view.h"
#include "base/clamped.h"
#include "load/model_file.h"
#include "query/metrics.h"

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
		(w.n.at[METRIC_BYTES_ACCESSED] ? (unsigned)HAS_COSTS : 0u) |
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
	add_clamped(&row->matrix_float_ops, w->n.at[METRIC_MATRIX_FLOAT_OPS]);
	add_clamped(&row->bytes_accessed, w->n.at[METRIC_BYTES_ACCESSED]);
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
	add_clamped(&to->matrix_float_ops, from->matrix_float_ops);
	add_clamped(&to->bytes_accessed, from->bytes_accessed);
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

bool layers_read(struct layers *l)
{
	const struct model *m = l->q->model;

	if (!read_names(l) || !add_rows(l))
		return false;
	place_variables(l);
	if (!add_nodes(l))
		return false;
	l->has |= (m->has_trace ? (unsigned)HAS_LINES : 0u) |
		(l->has & HAS_COUNT && !m->assumes_batch ? (unsigned)HAS_BATCH : 0u) |
		(l->has & (HAS_RUN | HAS_COUNT) ? (unsigned)HAS_SHARE : 0u);
	for (size_t i = l->rows.n; i-- > 1;)
		add_to_parent(l, &l->rows.at[l->rows.at[i].parent], &l->rows.at[i]);
	return true;
}

void layers_clear(struct layers *l)
{
	layer_tree_clear(&l->tree);
	mem_free(l->of_node);
	mem_free(l->is_backward);
	mem_free(l->row_of);
	vec_clear(&l->rows);
	buf_clear(&l->own_name);
	*l = (struct layers){0};
}
