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
#include "query/query.h"

/* A minimum that some node may not reach. */
struct limit {
	uint8_t slot;
	bool own;                      /* the own number has to reach it, not the total */
	int64_t minimum;
};

struct work {
	struct query *q;
	uint32_t n;
	const uint32_t *up;
	uint32_t *graph_up;            /* graph view: `up`, while it is written */
	struct picked *picked;         /* code view */
	uint32_t *n_picked;            /* code view */
	struct limit limits[N_METRICS];
	size_t n_limits;
	/* display: */
	int32_t *depth;
	uint32_t *shown_parent;
};

static bool allocate(struct work *w)
{
	struct query *q = w->q;
	struct arena *a = &q->arena;
	size_t n = w->n;

	if (!query_allocate_rows(q, n))
		return false;
	w->depth = arena_array(a, n, sizeof(*w->depth));
	w->shown_parent = arena_array(a, n, sizeof(*w->shown_parent));
	w->up = q->tree->parent;
	if (q->kind == TFPROF_GRAPH)
		w->up = w->graph_up = arena_array(a, n, sizeof(*w->graph_up));
	if (q->kind == TFPROF_CODE) {
		w->picked = arena_array(a, n, sizeof(*w->picked));
		w->n_picked = arena_array(a, n, sizeof(*w->n_picked));
		if (!w->picked || !w->n_picked)
			return false;
	}
	return w->depth && w->shown_parent && w->up;
}

/* ---- minimums ------------------------------------------------------------ */

static void find_limits(struct work *w)
{
	bool code = w->q->kind == TFPROF_CODE;
	const struct {
		enum option_id option;
		enum metric metric;
		bool own;
	} minimums[] = {
		{OPT_MIN_BYTES, METRIC_BYTES, false},
		{OPT_MIN_PEAK_BYTES, METRIC_PEAK, false},
		{OPT_MIN_RESIDUAL_BYTES, METRIC_RESIDUAL, false},
		{OPT_MIN_OUTPUT_BYTES, METRIC_OUTPUT, false},
		{OPT_MIN_MICROS, METRIC_MICROS, false},
		{OPT_MIN_ACCELERATOR_MICROS, METRIC_ACCELERATOR, false},
		{OPT_MIN_CPU_MICROS, METRIC_CPU, false},
		{OPT_MIN_PARAMS, METRIC_PARAMS, !code},
		{OPT_MIN_FLOAT_OPS, METRIC_FLOAT_OPS, !code},
		{OPT_MIN_OCCURRENCE, METRIC_RUNS, true},
	};

	for (size_t i = 0; i < sizeof(minimums) / sizeof(*minimums); i++) {
		enum metric metric = minimums[i].metric;

		if (code && metric == METRIC_RUNS)
			continue;
		/* A metric is only wanted where its minimum can matter. */
		if (query_has(w->q, metric))
			w->limits[w->n_limits++] = (struct limit){w->q->numbers.slot[metric],
				minimums[i].own, w->q->options->number[minimums[i].option]};
	}
}

static bool reaches_minimums(const struct work *w, uint32_t v)
{
	const int64_t *own = numbers_own(&w->q->numbers, v);
	const int64_t *total = numbers_total(&w->q->numbers, v);

	for (size_t i = 0; i < w->n_limits; i++) {
		const struct limit *limit = &w->limits[i];

		if ((limit->own ? own : total)[limit->slot] < limit->minimum)
			return false;
	}
	return true;
}

/* ---- accounting --------------------------------------------------------- */

static void account_frames(struct work *w)
{
	struct query *q = w->q;
	bool all = regexes_accept_all(q->account);

	query_account_groups(q, q->tree->first_node, q->tree->nodes, w->n, w->picked);
	for (uint32_t v = 0; v < w->n; v++) {
		query_put_row(q, v, &w->picked[v].sum, &w->picked[v].sum);
		w->n_picked[v] = w->picked[v].n;
		q->flags[v] = v && (w->n_picked[v] || all) ? ROW_ACCOUNTED : 0;
	}
}

/* In graph view only accounted nodes stay; elsewhere their parents do too. */
static void find_staying(struct work *w)
{
	const uint32_t *parent = w->q->tree->parent;
	uint8_t *flags = w->q->flags;

	for (uint32_t v = 0; v < w->n; v++)
		flags[v] |= flags[v] & ROW_ACCOUNTED ? ROW_STAYS : 0;
	flags[0] |= ROW_STAYS;
	if (w->q->kind == TFPROF_GRAPH) {
		w->graph_up[0] = NONE;
		for (uint32_t v = 1; v < w->n; v++)
			w->graph_up[v] = flags[parent[v]] & ROW_STAYS ? parent[v]
								      : w->graph_up[parent[v]];
		return;
	}
	for (uint32_t v = w->n - 1; v > 0; v--)
		flags[parent[v]] |= flags[v] & ROW_STAYS;
}

/* Adds the totals of those flagged to what is above them, from the last up. When
 * one comes up its total is known: time to see whether it reaches the minimums. */
static void add_up(struct work *w, const uint32_t *up, enum row_flags flag)
{
	struct query *q = w->q;
	size_t columns = q->numbers.n, params = q->numbers.slot[METRIC_PARAMS];

	for (uint32_t v = w->n - 1; v > 0; v--) {
		const int64_t *from = numbers_total(&q->numbers, v);
		int64_t *to, top;

		if (!(q->flags[v] & flag))
			continue;
		if (flag == ROW_STAYS && reaches_minimums(w, v))
			q->flags[v] |= ROW_PASSES;
		to = numbers_total(&q->numbers, up[v]);
		/* Sums wrap, except that of parameters. */
		top = params < columns ? metric_add(METRIC_PARAMS, to[params], from[params]) : 0;
		for (size_t k = 0; k < columns; k++)
			to[k] = (int64_t)((uint64_t)to[k] + (uint64_t)from[k]);
		if (params < columns)
			to[params] = top;
		q->defined[up[v]] += q->defined[v];
	}
}

static void account(struct work *w)
{
	struct query *q = w->q;

	if (q->kind == TFPROF_CODE)
		account_frames(w);
	else
		query_account_nodes(q, q->tree->node, w->n);
	find_staying(w);
	q->defined[0] = 0;
	for (uint32_t v = 1; v < w->n; v++)
		q->defined[v] = 1;
	add_up(w, w->up, ROW_STAYS);
}

/* ---- filtering ----------------------------------------------------------- */

/* Accounts by the original's numbers, to learn what reaches the minimums. */
static void find_passing(struct work *w, bool *passes)
{
	w->q->wraps = true;
	account(w);
	w->q->wraps = false;
	for (uint32_t v = 0; v < w->n; v++)
		passes[v] = w->q->flags[v] & ROW_PASSES;
}

static bool account_both_ways(struct work *w)
{
	bool *passes = arena_array(&w->q->arena, w->n, sizeof(*passes));

	if (!passes)
		return false;
	find_passing(w, passes);
	account(w);
	for (uint32_t v = 0; v < w->n; v++)
		w->q->flags[v] = (uint8_t)((w->q->flags[v] & ~ROW_PASSES) |
			(passes[v] ? ROW_PASSES : 0));
	return true;
}

/* Walks the staying nodes from the root, or from the first ones below it that
 * match start, and says which are shown, as far as their names let them. */
static void walk(struct work *w)
{
	struct query *q = w->q;
	bool from_start = !regexes_accept_all(q->start), code = q->kind == TFPROF_CODE;
	bool trims = regexes_count(q->trim) != 0, trimmed;
	int64_t max_depth = q->options->number[OPT_MAX_DEPTH];
	uint8_t *flags = q->flags;

	w->depth[0] = 1;
	flags[0] |= ROW_SHOWN;
	if (max_depth >= 1 && !(trims && query_name_trimmed(q, SPAN(ROOT_NAME))))
		flags[0] |= ROW_ALIVE;
	for (uint32_t v = 1; v < w->n; v++) {
		uint32_t parent = w->up[v];

		if (!(flags[v] & ROW_STAYS))
			continue;
		if (v % 4096 == 0 && query_cancelled(q))
			return;
		if (from_start && !(flags[parent] & ROW_STARTED)) {
			if (!regexes_match(q->start, tree_label(q->tree, v)))
				continue;
			parent = 0;
		}
		if (from_start)
			flags[v] |= ROW_STARTED;
		if (!(flags[parent] & ROW_ALIVE))
			continue;
		w->depth[v] = w->depth[parent] + 1;
		w->shown_parent[v] = parent;
		trimmed = trims && query_name_trimmed(q, tree_label(q->tree, v));
		if (w->depth[v] > max_depth || (code && trimmed))
			continue;
		if (!trimmed)
			flags[v] |= ROW_ALIVE;
		if (flags[v] & ROW_PASSES)
			flags[v] |= ROW_SHOWN;
	}
}

/* From the node above, to the nearest one above that is shown. */
static void find_shown_parents(struct work *w)
{
	const uint8_t *flags = w->q->flags;

	w->shown_parent[0] = NONE;
	for (uint32_t v = 1; v < w->n; v++) {
		uint32_t parent;

		if (!(flags[v] & (ROW_SHOWN | ROW_ALIVE)))
			continue;
		parent = w->shown_parent[v];
		if (!(flags[parent] & ROW_SHOWN))
			w->shown_parent[v] = w->shown_parent[parent];
	}
}

static enum tfprof_status filter(struct work *w, struct tfprof_error *err)
{
	enum tfprof_status status;

	walk(w);
	status = query_check_cancelled(w->q, err);
	if (status == TFPROF_OK)
		status = query_filter_names(w->q, w->n, err);
	if (status == TFPROF_OK)
		find_shown_parents(w);
	return status;
}

/* Totals over what is displayed only. */
static void add_up_shown(struct work *w)
{
	struct query *q = w->q;
	size_t columns = q->numbers.n;

	for (uint32_t v = 0; v < w->n; v++) {
		const int64_t *own = numbers_own(&q->numbers, v);
		int64_t *total = numbers_total(&q->numbers, v);

		if (total != own)
			memcpy(total, own, columns * sizeof(*own));
		q->defined[v] = 1;
	}
	add_up(w, w->shown_parent, ROW_SHOWN);
}

enum tfprof_status query_tree(struct query *q, struct tfprof_error *err)
{
	struct work w = {.q = q, .n = q->tree->n};
	enum tfprof_status status;

	if (!allocate(&w))
		return error_no_memory(err);
	find_limits(&w);
	if (!query_needs_wrapping(q))
		account(&w);
	else if (!account_both_ways(&w))
		return error_no_memory(err);
	status = filter(&w, err);
	if (status != TFPROF_OK)
		return status;
	if (q->options->number[OPT_ACCOUNT_DISPLAYED_OP_ONLY] && q->kind != TFPROF_CODE)
		add_up_shown(&w);
	return query_display(q, w.shown_parent, w.depth, w.n_picked) ? TFPROF_OK
								      : error_no_memory(err);
}
