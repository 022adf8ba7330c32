/* Own numbers of graph nodes and of groups of them.
 *
 * Views visit nodes in their own order, so each node is a cache miss: the next ones
 * are prefetched, and large views are accounted in parallel. */
#include "base/clamped.h"
#include "base/parallel.h"
#include "base/prefetch.h"
#include "query/query.h"

enum { AHEAD = 8, MIN_PART = 16384 };

/* The node's numbers at the query's step. */
static void compute_numbers(const struct query *q, uint32_t node, struct numbers *out)
{
	if (q->wraps)
		metrics_of_wrapping(q->model, node, q->step, out);
	else
		metrics_of(q->model, node, q->step, out);
}

bool query_needs_wrapping(const struct query *q)
{
	return q->model->has_negative && q->step < 0;
}

bool query_account_both_ways(struct query *q, bool (*account)(void *context), void *context)
{
	uint32_t n = q->tree->n;
	bool *passes = arena_array(&q->arena, n, sizeof(*passes)), ok = passes;

	q->wraps = true;
	query_find_limits(q, MINIMUMS_OF_TENSORFLOW);
	ok = ok && account(context);
	q->wraps = false;
	query_find_limits(q, OTHER_MINIMUMS);
	for (uint32_t v = 0; ok && v < n; v++)
		passes[v] = q->flags[v] & ROW_PASSES;
	ok = ok && account(context);
	for (uint32_t v = 0; ok && v < n; v++)
		if (!passes[v])
			q->flags[v] &= (uint8_t)~ROW_PASSES;
	return ok;
}

void query_add_row(const struct number_rows *numbers, int64_t *restrict to,
	const int64_t *restrict from)
{
	for (size_t k = 0; k < numbers->n; k++)
		add_clamped(&to[k], from[k]);
}

/* Prefetches the nodes after nodes[i] of n. Without it, op_again takes 2.2 times as
 * long, code_again 2.4 times, scope_again and graph_again 45 % longer. */
PREFETCHES prefetch_next(const struct model *m, const uint32_t *nodes, size_t i, size_t n)
{
	if (n - i <= 2 * AHEAD)
		return;
	metrics_prefetch_exec(m, nodes[i + AHEAD]);
	metrics_prefetch_node(m, nodes[i + 2 * AHEAD]);
}

/* ---- nodes --------------------------------------------------------------- */

struct node_job {
	struct query *q;
	const uint32_t *nodes;
	size_t n, parts;
	bool parents; /* whether empty parents are accounted */
	bool saturated[PARALLEL_MAX];
};

/* Stores the wanted numbers in a row. */
static void put_row(const struct query *q, const struct numbers *numbers, int64_t *row)
{
	for (size_t k = 0; k < q->numbers.n; k++)
		row[k] = numbers->at[q->numbers.metric[k]];
}

void query_put_own(const struct query *q, size_t v, const struct numbers *own, bool accounted)
{
	int64_t *row = query_total_row(q, v);

	put_row(q, own, row);
	if (q->numbers.own)
		put_row(q, own, query_kept_own(q, v));
	q->flags[v] = (uint8_t)((accounted ? ROW_ACCOUNTED | ROW_STAYS : 0) |
		(query_reaches(&q->min_own, row) ? ROW_PASSES : 0));
	q->defined[v] = v != 0;
}

/* Without children, a node's total is its own. */
const int64_t *query_own_row(const struct query *q, uint32_t v, int64_t room[N_METRICS])
{
	const struct tree *t = q->tree;
	struct numbers numbers = {0};

	if (q->numbers.own)
		return query_kept_own(q, v);
	if (!tree_has_children(t, v))
		return query_total_row(q, v);
	if (q->numbers.n && t->node[v] != NONE)
		compute_numbers(q, t->node[v], &numbers);
	put_row(q, &numbers, room);
	return room;
}

static void account_part(void *context, size_t part)
{
	struct node_job *job = context;
	struct query *q = job->q;
	const struct model *m = q->model;
	size_t begin = parallel_begin(job->n, job->parts, part);
	size_t end = parallel_begin(job->n, job->parts, part + 1);
	const struct numbers nothing = {0};
	struct numbers numbers = {0};

	for (size_t v = begin; v < end; v++) {
		uint32_t node = job->nodes[v];

		prefetch_next(m, job->nodes, v, job->n);
		if (node == NONE) {
			query_put_own(q, v, &nothing, v && job->parents);
			continue;
		}
		job->saturated[part] |= shapes_get(&m->shapes, m->nodes.shape[node])->saturated;
		if (q->metrics)
			compute_numbers(q, node, &numbers);
		query_put_own(q, v, &numbers, query_picks_node(q, node));
	}
}

void query_account_nodes(struct query *q, const uint32_t *nodes, size_t n)
{
	struct node_job job = {.q = q,
		.nodes = nodes,
		.n = n,
		.parts = parallel_parts(n, MIN_PART),
		.parents = regexes_accept_all(q->account) ||
			regexes_match(q->account, SPAN("_kTFScopeParent"))};

	parallel_run(job.parts, account_part, &job);
	for (size_t i = 0; i < job.parts; i++)
		q->saturated |= job.saturated[i];
}

/* ---- groups -------------------------------------------------------------- */

struct group_job {
	const struct query *q;
	const uint32_t *first, *nodes;
	size_t n, parts;
	struct picked *picked;
	/* What a part found for a group begun by an earlier part: */
	struct carry {
		struct picked picked;
		size_t group;
	} carry[PARALLEL_MAX];
};

static inline void add_numbers(struct numbers *sum, const struct numbers *numbers, int from, int to)
{
	for (int k = from; k < to; k++)
		add_clamped(&sum->at[k], numbers->at[k]);
}

static void pick_node(const struct query *q, uint32_t node, struct picked *picked)
{
	uint32_t picks = query_picks_node(q, node);
	struct numbers numbers;

	if (!picks)
		return;
	picked->n++;
	compute_numbers(q, node, &numbers);
	add_numbers(&picked->sum, &numbers, METRIC_OCCURRENCE, N_METRICS);
	for (; picks; picks--)
		add_numbers(&picked->sum, &numbers, 0, METRIC_OCCURRENCE);
}

/* The group of the i-th node: the last that begins at or before it. */
static size_t group_at(const struct group_job *job, size_t i)
{
	size_t low = 0, high = job->n;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (job->first[middle] <= i)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* Parts have equal numbers of nodes, not groups: a few groups may have most nodes. */
static void pick_part(void *context, size_t part)
{
	struct group_job *job = context;
	const struct query *q = job->q;
	const uint32_t *nodes = job->nodes;
	size_t from = job->first[0], n = job->first[job->n];
	size_t i = from + parallel_begin(n - from, job->parts, part);
	size_t end = from + parallel_begin(n - from, job->parts, part + 1);
	size_t g = group_at(job, i);
	struct carry *carry = &job->carry[part];

	carry->group = g;
	for (; i < end; g++) {
		struct picked *picked = job->first[g] < i ? &carry->picked : &job->picked[g];
		size_t stop = job->first[g + 1] < end ? job->first[g + 1] : end;

		for (; i < stop; i++) {
			prefetch_next(q->model, nodes, i, n);
			pick_node(q, nodes[i], picked);
		}
	}
}

void query_account_groups(const struct query *q, const uint32_t *first, const uint32_t *nodes,
	size_t n, struct picked *picked)
{
	struct group_job job = {.q = q,
		.first = first,
		.nodes = nodes,
		.n = n,
		.parts = parallel_parts(first[n] - first[0], MIN_PART),
		.picked = picked};

	memset(picked, 0, n * sizeof(*picked));
	if (first[n] == first[0])
		return;
	parallel_run(job.parts, pick_part, &job);
	for (size_t i = 1; i < job.parts; i++) {
		struct picked *begun = &picked[job.carry[i].group];

		begun->n += job.carry[i].picked.n;
		add_numbers(&begun->sum, &job.carry[i].picked.sum, 0, N_METRICS);
	}
}
