/* Scope, graph and code view: one walk down and one up over a tree that is in
 * preorder, so neither needs a stack.
 *
 *     own       numbers of each view node
 *     stays     accounted, or (scope, code) above something that is
 *     up        the nearest staying view node above; in graph view nodes that
 *               are not accounted vanish and their inputs move up
 *     total     own + totals of what hangs below and stays
 *     shown     what the filters leave; its tree skips what is hidden
 */
#include "base/sort.h"
#include "query/query.h"

struct work {
	struct query *q;
	uint32_t n;
	bool *accounted, *stays;
	uint32_t *up;
	int64_t *own[N_METRICS], *total[N_METRICS];    /* NULL where not wanted */
	int64_t *defined;
	uint32_t *n_picked;            /* code view */
	/* display: */
	bool *passes;                  /* reaches the minimums; NULL: by its numbers */
	bool *started;                 /* a start, or below one */
	bool *alive, *shown;
	int32_t *depth;
	uint32_t *shown_parent;
};

#define FOR_METRICS(w, k)                                                      \
	for (int k = 0; k < N_METRICS; k++)                                    \
		if ((w)->own[k])

static bool allocate(struct work *w)
{
	struct arena *a = &w->q->arena;
	size_t n = w->n;

	for (int k = 0; k < N_METRICS; k++) {
		if (!(w->q->metrics >> k & 1))
			continue;
		w->own[k] = arena_zero(a, n, sizeof(**w->own));
		w->total[k] = arena_array(a, n, sizeof(**w->total));
		if (!w->own[k] || !w->total[k])
			return false;
	}
	w->accounted = arena_zero(a, n, sizeof(*w->accounted));
	w->stays = arena_zero(a, n, sizeof(*w->stays));
	w->defined = arena_array(a, n, sizeof(*w->defined));
	w->alive = arena_zero(a, n, sizeof(*w->alive));
	w->shown = arena_zero(a, n, sizeof(*w->shown));
	w->depth = arena_array(a, n, sizeof(*w->depth));
	w->started = arena_zero(a, n, sizeof(*w->started));
	w->shown_parent = arena_array(a, n, sizeof(*w->shown_parent));
	if (w->q->kind == TFPROF_CODE)
		w->n_picked = arena_array(a, n, sizeof(*w->n_picked));
	if (w->q->kind == TFPROF_GRAPH)
		w->up = arena_array(a, n, sizeof(*w->up));
	else
		w->up = w->q->tree->parent;
	return w->accounted && w->stays && w->defined && w->alive && w->shown && w->depth &&
		w->started && w->shown_parent && w->up &&
		(w->q->kind != TFPROF_CODE || w->n_picked);
}

/* ---- accounting --------------------------------------------------------- */

enum { AHEAD = 8 };

/* In a tree's order, nodes are all over the columns: ask for those to come. */
static void prefetch_node(const struct model *m, uint32_t near, uint32_t far)
{
	if (near != NONE && m->nodes.first_exec[near] != NONE) {
		const struct exec *row = &m->execs.rows.at[m->nodes.first_exec[near]];

		__builtin_prefetch(row);
		__builtin_prefetch((const char *)(row + 1) - 1);
	}
	if (far != NONE) {
		__builtin_prefetch(&m->nodes.first_exec[far]);
		__builtin_prefetch(&m->nodes.types[far]);
		__builtin_prefetch(&m->nodes.shape[far]);
		__builtin_prefetch(&m->nodes.float_ops[far]);
	}
}

/* Scope and graph: a view node is a graph node, or an empty parent. */
static void account_nodes(struct work *w)
{
	struct query *q = w->q;
	const struct model *m = q->model;
	bool parents = regexes_accept_all(q->account) ||
		regexes_match(q->account, SPAN("_kTFScopeParent"));
	struct numbers numbers;

	for (uint32_t v = 1; v < w->n; v++) {
		uint32_t node = q->tree->node[v];

		if (w->n - v > 2 * AHEAD)
			prefetch_node(m, q->tree->node[v + AHEAD], q->tree->node[v + 2 * AHEAD]);
		if (node == NONE) {
			w->accounted[v] = parents;
			continue;
		}
		w->accounted[v] = query_picks(q, m->nodes.types[node]) > 0;
		q->saturated |= shapes_get(&m->shapes, m->nodes.shape[node])->saturated;
		if (!q->metrics)
			continue;
		query_numbers(q, node, &numbers);
		FOR_METRICS(w, k)
			w->own[k][v] = numbers.at[k];
	}
}

static void account_frames(struct work *w)
{
	struct query *q = w->q;
	const struct tree *t = q->tree;
	bool all = regexes_accept_all(q->account);

	for (uint32_t v = 1; v < w->n; v++) {
		struct picked picked = query_pick(q, t->nodes + t->first_node[v],
			t->first_node[v + 1] - t->first_node[v]);

		w->n_picked[v] = picked.n;
		w->accounted[v] = picked.n || all;
		FOR_METRICS(w, k)
			w->own[k][v] = picked.sum.at[k];
	}
	w->n_picked[0] = 0;
}

/* In graph view only accounted nodes stay; elsewhere their parents do too. */
static void find_staying(struct work *w)
{
	const uint32_t *parent = w->q->tree->parent;

	memcpy(w->stays, w->accounted, w->n * sizeof(*w->stays));
	w->stays[0] = true;
	if (w->q->kind == TFPROF_GRAPH) {
		w->up[0] = NONE;
		for (uint32_t v = 1; v < w->n; v++)
			w->up[v] = w->stays[parent[v]] ? parent[v] : w->up[parent[v]];
		return;
	}
	for (uint32_t v = w->n - 1; v > 0; v--)
		if (w->stays[v])
			w->stays[parent[v]] = true;
}

static void add_up(struct work *w)
{
	FOR_METRICS(w, k) {
		int64_t *total = w->total[k];

		memcpy(total, w->own[k], w->n * sizeof(*total));
		for (uint32_t v = w->n - 1; v > 0; v--)
			if (w->stays[v])
				total[w->up[v]] =
					metric_add((enum metric)k, total[w->up[v]], total[v]);
	}
	for (uint32_t v = 0; v < w->n; v++)
		w->defined[v] = v != 0;
	for (uint32_t v = w->n - 1; v > 0; v--)
		if (w->stays[v])
			w->defined[w->up[v]] += w->defined[v];
}

static void account(struct work *w)
{
	if (w->q->kind == TFPROF_CODE)
		account_frames(w);
	else
		account_nodes(w);
	find_staying(w);
	add_up(w);
}

/* ---- filtering ----------------------------------------------------------- */

static bool below(const struct work *w, int64_t *const *column, enum metric metric, uint32_t v,
	enum option_id minimum)
{
	/* A column is only computed where its minimum can matter. */
	return column[metric] && column[metric][v] < w->q->options->number[minimum];
}

static bool reaches_minimums(const struct work *w, uint32_t v)
{
	bool code = w->q->kind == TFPROF_CODE;
	int64_t *const *own_or_total = code ? w->total : w->own;

	return !below(w, w->total, METRIC_BYTES, v, OPT_MIN_BYTES) &&
		!below(w, w->total, METRIC_PEAK, v, OPT_MIN_PEAK_BYTES) &&
		!below(w, w->total, METRIC_RESIDUAL, v, OPT_MIN_RESIDUAL_BYTES) &&
		!below(w, w->total, METRIC_OUTPUT, v, OPT_MIN_OUTPUT_BYTES) &&
		!below(w, w->total, METRIC_MICROS, v, OPT_MIN_MICROS) &&
		!below(w, w->total, METRIC_ACCELERATOR, v, OPT_MIN_ACCELERATOR_MICROS) &&
		!below(w, w->total, METRIC_CPU, v, OPT_MIN_CPU_MICROS) &&
		!below(w, own_or_total, METRIC_PARAMS, v, OPT_MIN_PARAMS) &&
		!below(w, own_or_total, METRIC_FLOAT_OPS, v, OPT_MIN_FLOAT_OPS) &&
		(code || !below(w, w->own, METRIC_RUNS, v, OPT_MIN_OCCURRENCE));
}

/* Accounts by the original's numbers, to learn what reaches the minimums. */
static bool find_passing(struct work *w)
{
	w->passes = arena_array(&w->q->arena, w->n, sizeof(*w->passes));
	if (!w->passes)
		return false;
	w->q->wraps = true;
	account(w);
	w->q->wraps = false;
	for (uint32_t v = 0; v < w->n; v++)
		w->passes[v] = reaches_minimums(w, v);
	return true;
}

/* Walks the staying nodes from the root, or from the first ones below it that
 * match start, and says which are shown. `alive`: its children are walked. */
static void filter(struct work *w)
{
	struct query *q = w->q;
	bool from_start = !regexes_accept_all(q->start), code = q->kind == TFPROF_CODE;
	bool trims = regexes_count(q->trim) != 0, trimmed;
	int64_t max_depth = q->options->number[OPT_MAX_DEPTH];

	w->depth[0] = 1;
	w->shown[0] = true;
	w->shown_parent[0] = NONE;
	w->alive[0] = max_depth >= 1 && !(trims && query_name_trimmed(q, SPAN(ROOT_NAME)));
	for (uint32_t v = 1; v < w->n; v++) {
		uint32_t parent = w->up[v];
		struct span label;

		if (!w->stays[v])
			continue;
		if (v % 4096 == 0 && query_cancelled(q))
			return;
		label = tree_label(q->tree, q->model, v);
		if (from_start && !w->started[parent]) {
			if (!regexes_match(q->start, label))
				continue;
			parent = 0;
		}
		w->started[v] = from_start;
		if (!w->alive[parent])
			continue;
		w->depth[v] = w->depth[parent] + 1;
		w->shown_parent[v] = w->shown[parent] ? parent : w->shown_parent[parent];
		trimmed = trims && query_name_trimmed(q, label);
		if (code && (trimmed || w->depth[v] > max_depth))
			continue;
		w->alive[v] = !trimmed && w->depth[v] <= max_depth;
		w->shown[v] = w->depth[v] <= max_depth &&
			(w->passes ? w->passes[v] : reaches_minimums(w, v)) &&
			query_name_shown(q, label);
	}
}

/* ---- the shown tree ------------------------------------------------------ */

/* Totals over what is displayed only. */
static void add_up_shown(struct work *w)
{
	for (uint32_t v = 0; v < w->n; v++) {
		if (!w->shown[v])
			continue;
		FOR_METRICS(w, k)
			w->total[k][v] = w->own[k][v];
		w->defined[v] = 1;
	}
	for (uint32_t v = w->n - 1; v > 0; v--) {
		uint32_t up = w->shown_parent[v];

		if (!w->shown[v])
			continue;
		FOR_METRICS(w, k)
			w->total[k][up] = metric_add((enum metric)k, w->total[k][up], w->total[k][v]);
		w->defined[up] += w->defined[v];
	}
}

/* Children of each shown node, in the order they are displayed:
 * at[first[v] … first[v + 1]]. */
struct children {
	uint32_t *first, *at;
	uint32_t n;
};

static bool collect_children(struct work *w, struct children *c)
{
	struct arena *a = &w->q->arena;
	uint32_t *fill;

	c->first = arena_zero(a, (size_t)w->n + 2, sizeof(*c->first));
	if (!c->first)
		return false;
	fill = c->first + 1;
	for (uint32_t v = 1; v < w->n; v++)
		if (w->shown[v]) {
			fill[w->shown_parent[v] + 1]++;
			c->n++;
		}
	c->at = arena_array(a, c->n, sizeof(*c->at));
	if (!c->at)
		return false;
	for (uint32_t v = 1; v <= w->n; v++)
		fill[v] += fill[v - 1];
	for (uint32_t v = 1; v < w->n; v++)
		if (w->shown[v])
			c->at[fill[w->shown_parent[v]]++] = v;
	return true;
}

/* Sorting by name is only needed where hiding mixed the children of several
 * parents, or where they came by position. */
static bool sort_children_by_name(struct work *w, uint32_t *at, uint32_t n)
{
	struct span *names;
	uint32_t *order, *old;
	bool sorted = true, fine;

	for (uint32_t i = 1; sorted && i < n; i++)
		sorted = span_compare(tree_label(w->q->tree, w->q->model, at[i - 1]),
				 tree_label(w->q->tree, w->q->model, at[i])) <= 0;
	if (sorted)
		return true;
	names = mem_array(n, sizeof(*names));
	order = mem_array(n, sizeof(*order));
	old = mem_array(n, sizeof(*old));
	fine = names && order && old;
	for (uint32_t i = 0; fine && i < n; i++) {
		names[i] = tree_label(w->q->tree, w->q->model, at[i]);
		old[i] = at[i];
	}
	fine = fine && sort_texts(names, order, n, SORT_BYTES);
	for (uint32_t i = 0; fine && i < n; i++)
		at[i] = old[order[i]];
	mem_free(names);
	mem_free(order);
	mem_free(old);
	return fine;
}

static bool sort_children(struct work *w, struct children *c)
{
	enum order order = w->q->options->order;
	int metric = order_metric(order);
	bool occurrence = order == ORDER_OCCURRENCE && w->q->kind == TFPROF_CODE;
	struct sort_item *items = NULL, *scratch = NULL;

	/* Siblings are equally deep as far as the display goes; what was hidden
	 * between makes the difference. */
	if (order == ORDER_FOUND)
		return true;
	if (metric >= 0 || occurrence || order == ORDER_DEPTH) {
		items = arena_array(&w->q->arena, c->n, sizeof(*items));
		scratch = arena_array(&w->q->arena, c->n, sizeof(*scratch));
		if (!items || !scratch)
			return false;
	}
	for (uint32_t v = 0; v < w->n; v++) {
		uint32_t *at = c->at + c->first[v], n = c->first[v + 1] - c->first[v];

		if (n < 2)
			continue;
		if (!items) {
			if (!sort_children_by_name(w, at, n))
				return false;
			continue;
		}
		for (uint32_t i = 0; i < n; i++)
			items[i] = (struct sort_item){order == ORDER_DEPTH
					? sort_key_ascending(w->depth[at[i]])
					: sort_key_descending(occurrence ? w->n_picked[at[i]]
									 : w->total[metric][at[i]]),
				at[i]};
		sort_items(items, scratch, n);
		for (uint32_t i = 0; i < n; i++)
			at[i] = items[i].id;
	}
	return true;
}

static bool allocate_answer(struct query *q, const struct work *w, size_t n)
{
	struct arena *a = &q->arena;

	q->view = arena_array(a, n, sizeof(*q->view));
	q->parent = arena_array(a, n, sizeof(*q->parent));
	q->depth = arena_array(a, n, sizeof(*q->depth));
	q->accounted = arena_array(a, n, sizeof(*q->accounted));
	q->defined = arena_array(a, n, sizeof(*q->defined));
	if (!q->view || !q->parent || !q->depth || !q->accounted || !q->defined)
		return false;
	FOR_METRICS(w, k) {
		q->own[k] = arena_array(a, n, sizeof(**q->own));
		q->total[k] = arena_array(a, n, sizeof(**q->total));
		if (!q->own[k] || !q->total[k])
			return false;
	}
	return true;
}

static void answer_row(struct query *q, const struct work *w, uint32_t v, uint32_t parent)
{
	uint32_t i = q->n++;

	q->view[i] = v;
	q->parent[i] = parent;
	q->depth[i] = parent == NONE ? 0 : q->depth[parent] + 1;
	q->accounted[i] = w->accounted[v];
	q->defined[i] = w->defined[v];
	FOR_METRICS(w, k) {
		q->own[k][i] = w->own[k][v];
		q->total[k][i] = w->total[k][v];
	}
}

/* The shown tree in display order: depth first, children as sorted. */
static bool answer(struct query *q, struct work *w, const struct children *c)
{
	uint32_t *row = arena_array(&q->arena, w->n, sizeof(*row));
	uint32_t *next = arena_array(&q->arena, w->n, sizeof(*next));
	uint32_t v = 0;

	if (!row || !next || !allocate_answer(q, w, (size_t)c->n + 1))
		return false;
	memcpy(next, c->first, w->n * sizeof(*next));
	answer_row(q, w, 0, NONE);
	row[0] = 0;
	/* Down to the next child not yet answered, else back up. */
	while (v != NONE) {
		if (next[v] < c->first[v + 1]) {
			uint32_t child = c->at[next[v]++];

			row[child] = q->n;
			answer_row(q, w, child, row[v]);
			v = child;
		} else {
			v = w->shown_parent[v];
		}
	}
	return true;
}

enum tfprof_status query_tree(struct query *q, struct tfprof_error *err)
{
	struct work w = {.q = q, .n = q->tree->n};
	struct children children = {0};

	if (!allocate(&w) || (query_needs_wrapping(q) && !find_passing(&w)))
		return error_no_memory(err);
	account(&w);
	filter(&w);
	if (query_cancelled(q))
		return query_check_cancelled(q, err);
	if (q->options->number[OPT_ACCOUNT_DISPLAYED_OP_ONLY] && q->kind != TFPROF_CODE)
		add_up_shown(&w);
	if (!collect_children(&w, &children) || !sort_children(&w, &children) ||
		!answer(q, &w, &children))
		return error_no_memory(err);
	return TFPROF_OK;
}
