/* Scope, graph and code view: one walk down and one up a tree in preorder, so neither
 * needs a stack.
 *
 *     own       numbers of each view node
 *     stays     accounted, or (scope, code) an ancestor of an accounted node
 *     up        nearest ancestor that stays; in graph view, nodes that are not
 *               accounted are removed and their inputs move up
 *     total     own + totals of the children that stay
 *     shown     nodes that pass the filters; their tree skips hidden nodes
 */
#include "query/query.h"

struct work {
	struct query *q;
	uint32_t n;
	const uint32_t *up;
	uint32_t *graph_up;    /* graph view: writable `up`; NULL if all nodes stay */
	struct picked *picked; /* of groups */
	struct shown_tree shown;
};

/* Frames are accounted this many at a time: there may be more frames than nodes, and
 * struct picked is larger than all else kept per frame. */
enum { FRAMES_AT_ONCE = 32768 };

/* What accounting needs. */
static bool allocate(struct work *w)
{
	struct query *q = w->q;
	struct arena *a = &q->arena;
	size_t n = w->n;

	if (!query_allocate_rows(q, n))
		return false;
	w->up = q->tree->parent;
	if (q->kind == TFPROF_GRAPH && !regexes_accept_all(q->account))
		w->up = w->graph_up = arena_array(a, n, sizeof(*w->graph_up));
	if (query_has_groups(q)) {
		w->picked =
			arena_array(a, n < FRAMES_AT_ONCE ? n : FRAMES_AT_ONCE, sizeof(*w->picked));
		w->shown.n_picked = arena_array(a, n, sizeof(*w->shown.n_picked));
		if (!w->picked || !w->shown.n_picked)
			return false;
	}
	return w->up;
}

/* ---- accounting --------------------------------------------------------- */

static void account_frames(struct work *w)
{
	struct query *q = w->q;
	bool all = regexes_accept_all(q->account);

	for (uint32_t begin = 0, n; begin < w->n; begin += n) {
		n = w->n - begin < FRAMES_AT_ONCE ? w->n - begin : FRAMES_AT_ONCE;
		query_account_groups(q, q->tree->first_node + begin, q->tree->nodes, n, w->picked);
		for (uint32_t i = 0, v = begin; i < n; i++, v++) {
			const struct picked *picked = &w->picked[i];

			w->shown.n_picked[v] = picked->n;
			query_put_own(q, v, &picked->sum, v && (picked->n || all));
		}
	}
}

/* In graph view, only accounted nodes stay; elsewhere, so do their ancestors. */
static void find_staying(struct work *w)
{
	const uint32_t *parent = w->q->tree->parent;
	uint8_t *flags = w->q->flags;

	flags[0] |= ROW_STAYS;
	if (regexes_accept_all(w->q->account)) /* all stay */
		return;
	if (w->q->kind == TFPROF_GRAPH) {
		w->graph_up[0] = NONE;
		for (uint32_t v = 1; v < w->n; v++)
			w->graph_up[v] =
				flags[parent[v]] & ROW_STAYS ? parent[v] : w->graph_up[parent[v]];
		return;
	}
	for (uint32_t v = w->n - 1; v > 0; v--)
		flags[parent[v]] |= flags[v] & ROW_STAYS;
}

/* Adds the totals of flagged nodes to their parents, from the last node up. A node's
 * total is complete when its turn comes, so it is compared with the minimums then. */
static void add_up(struct work *w, const uint32_t *up, enum row_flags flag)
{
	struct query *q = w->q;

	for (uint32_t v = w->n - 1; v > 0; v--) {
		const int64_t *total;

		if (!(q->flags[v] & flag))
			continue;
		total = query_total_row(q, v);
		if (flag == ROW_STAYS && !query_reaches(&q->min_total, total))
			q->flags[v] &= (uint8_t)~ROW_PASSES;
		query_add_row(&q->numbers, query_total_row(q, up[v]), total);
		q->defined[up[v]] += q->defined[v];
	}
}

static bool account(void *context)
{
	struct work *w = context;
	struct query *q = w->q;

	if (query_has_groups(q))
		account_frames(w);
	else
		query_account_nodes(q, q->tree->node, w->n);
	find_staying(w);
	add_up(w, w->up, ROW_STAYS);
	return true;
}

/* ---- filtering ----------------------------------------------------------- */

/* Walks the staying nodes, from the root or from the topmost ones that match start,
 * and marks those shown, before filtering by show and hide. */
static void walk(struct work *w)
{
	struct query *q = w->q;
	bool from_start = !regexes_accept_all(q->start), groups = query_has_groups(q);
	bool trims = regexes_count(q->trim) != 0, trimmed, is_cut;
	int64_t max_depth = query_max_depth(q);
	uint8_t *flags = q->flags;

	w->shown.depth[0] = 1;
	flags[0] |= ROW_SHOWN;
	if (max_depth >= 1 && !(trims && query_name_trimmed(q, SPAN(ROOT_NAME))))
		flags[0] |= ROW_ALIVE;
	for (uint32_t v = 1; v < w->n; v++) {
		uint32_t parent = w->up[v];

		if (!(flags[v] & ROW_STAYS))
			continue;
		if (from_start || trims ? query_must_stop(q) : query_cancelled(q))
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
		w->shown.depth[v] = w->shown.depth[parent] + 1;
		w->shown.parent[v] = parent;
		is_cut = w->shown.depth[v] > max_depth;
		if (is_cut && !q->counts_cut)
			continue;
		trimmed = trims && query_name_trimmed(q, tree_label(q->tree, v));
		if (groups && trimmed)
			continue;
		if (!trimmed)
			flags[v] |= ROW_ALIVE;
		if (!(flags[v] & ROW_PASSES))
			continue;
		if (q->only_accounted && !(flags[v] & ROW_ACCOUNTED))
			flags[v] |= ROW_UNLISTED;
		else
			flags[v] |= is_cut ? ROW_CUT : ROW_SHOWN;
	}
}

/* Replaces each parent by the nearest shown ancestor. */
static void find_shown_parents(struct work *w)
{
	const uint8_t *flags = w->q->flags;

	w->shown.parent[0] = NONE;
	for (uint32_t v = 1; v < w->n; v++) {
		uint32_t parent;

		if (!(flags[v] & (ROW_SHOWN | ROW_ALIVE)))
			continue;
		parent = w->shown.parent[v];
		if (!(flags[parent] & ROW_SHOWN))
			w->shown.parent[v] = w->shown.parent[parent];
	}
}

static void count_omitted(struct work *w)
{
	struct query *q = w->q;

	q->n_cut = q->n_unlisted = 0;
	for (uint32_t v = 1; (q->counts_cut || q->only_accounted) && v < w->n; v++) {
		q->n_cut += (q->flags[v] & ROW_CUT) != 0;
		q->n_unlisted += (q->flags[v] & ROW_UNLISTED) != 0;
	}
}

static enum tfprof_status filter(struct work *w, struct tfprof_error *err)
{
	enum tfprof_status status;

	walk(w);
	status = query_check_cancelled(w->q, err);
	if (status == TFPROF_OK)
		status = query_check_regexes(w->q, err);
	if (status == TFPROF_OK)
		status = query_filter_names(w->q, w->n, err);
	if (status == TFPROF_OK) {
		count_omitted(w);
		find_shown_parents(w);
	}
	return status;
}

/* Totals over shown nodes only. */
static void add_up_shown(struct work *w)
{
	struct query *q = w->q;
	int64_t room[N_METRICS];

	for (uint32_t v = 0; v < w->n; v++) {
		const int64_t *own = query_own_row(q, v, room);
		int64_t *total = query_total_row(q, v);

		if (total != own)
			memcpy(total, own, q->numbers.n * sizeof(*own));
		q->defined[v] = 1;
	}
	add_up(w, w->shown.parent, ROW_SHOWN);
}

enum tfprof_status query_tree(struct query *q, struct tfprof_error *err)
{
	struct work w = {.q = q, .n = q->tree->n};
	enum tfprof_status status;

	if (!allocate(&w) || !query_allocate_shown(q, &w.shown))
		return error_no_memory(err);
	query_find_limits(q, ALL_MINIMUMS);
	if (!query_needs_wrapping(q))
		account(&w);
	else if (!query_account_both_ways(q, account, &w))
		return error_no_memory(err);
	status = filter(&w, err);
	if (status != TFPROF_OK)
		return status;
	if (q->options->number[OPT_ACCOUNT_DISPLAYED_OP_ONLY] && !query_has_groups(q))
		add_up_shown(&w);
	return query_display(q, &w.shown) ? TFPROF_OK : error_no_memory(err);
}

bool query_can_add_metrics(const struct query *q)
{
	return q->kind != TFPROF_OP && !q->options->number[OPT_ACCOUNT_DISPLAYED_OP_ONLY];
}

enum tfprof_status query_add_metrics(struct query *q, unsigned metrics, struct tfprof_error *err)
{
	struct work w = {.q = q, .n = q->tree->n};
	const struct query old = *q;

	q->metrics |= metrics;
	if (!allocate(&w)) {
		q->metrics = old.metrics;
		q->numbers = old.numbers;
		q->flags = old.flags;
		q->defined = old.defined;
		return error_no_memory(err);
	}
	query_find_limits(q, ALL_MINIMUMS);
	account(&w);
	return TFPROF_OK;
}
