/* Own numbers: of graph nodes, and of groups of them.
 *
 * A view takes nodes in an order of its own, so each costs a walk to other
 * memory: what comes next is asked for ahead, and large views are accounted in
 * parts, at the same time. */
#include "base/parallel.h"
#include "base/prefetch.h"
#include "query/query.h"

enum { AHEAD = 8, LEAST_PART = 16384 };

void query_numbers(const struct query *q, uint32_t node, struct numbers *out)
{
	if (q->wraps)
		metrics_of_wrapping(q->model, node, q->options->number[OPT_STEP], out);
	else
		metrics_of(q->model, node, q->options->number[OPT_STEP], out);
}

bool query_needs_wrapping(const struct query *q)
{
	return q->model->has_negative && q->options->number[OPT_STEP] < 0;
}

PREFETCHES prefetch_exec(const struct model *m, uint32_t node)
{
	const struct exec *row;

	if (node == NONE || m->nodes.first_exec[node] == NONE)
		return;
	row = exec_at(&m->execs, m->nodes.first_exec[node]);
	__builtin_prefetch(row);
	__builtin_prefetch((const char *)(row + 1) - 1);
}

PREFETCHES prefetch_node(const struct model *m, uint32_t node)
{
	if (node == NONE)
		return;
	__builtin_prefetch(&m->nodes.first_exec[node]);
	__builtin_prefetch(&m->nodes.types[node]);
	__builtin_prefetch(&m->nodes.shape[node]);
	__builtin_prefetch(&m->nodes.float_ops[node]);
}

/* The nodes to come after nodes[i] of n. */
PREFETCHES look_ahead(const struct model *m, const uint32_t *nodes, size_t i, size_t n)
{
	if (n - i <= 2 * AHEAD)
		return;
	prefetch_exec(m, nodes[i + AHEAD]);
	prefetch_node(m, nodes[i + 2 * AHEAD]);
}

/* ---- nodes --------------------------------------------------------------- */

struct node_job {
	struct query *q;
	const uint32_t *nodes;
	size_t n, parts;
	bool parents;                  /* an empty parent is accounted */
	bool saturated[PARALLEL_MAX];
};

void query_put_row(const struct query *q, size_t row, const struct numbers *own,
	const struct numbers *total)
{
	const struct number_rows *numbers = &q->numbers;
	int64_t *total_row = numbers_total(numbers, row), *own_row = total_row;

	if (!(numbers->first[row] & ROW_IS_TOTAL))
		own_row = numbers->at + (size_t)numbers->first[row] * numbers->n;
	for (size_t k = 0; own_row != total_row && k < numbers->n; k++)
		own_row[k] = own->at[numbers->metric[k]];
	for (size_t k = 0; k < numbers->n; k++)
		total_row[k] = total->at[numbers->metric[k]];
}

static void account_part(void *context, size_t part)
{
	struct node_job *job = context;
	struct query *q = job->q;
	const struct model *m = q->model;
	size_t end = parallel_begin(job->n, job->parts, part + 1);
	const struct numbers nothing = {0};
	struct numbers numbers;

	for (size_t v = parallel_begin(job->n, job->parts, part); v < end; v++) {
		uint32_t node = job->nodes[v];

		look_ahead(m, job->nodes, v, job->n);
		q->defined[v] = v != 0;
		if (node == NONE) {
			query_put_flags(q, v, v && job->parents);
			query_put_row(q, v, &nothing, &nothing);
			continue;
		}
		query_put_flags(q, v, query_picks(q, m->nodes.types[node]));
		job->saturated[part] |= shapes_get(&m->shapes, m->nodes.shape[node])->saturated;
		if (!q->metrics)
			continue;
		query_numbers(q, node, &numbers);
		query_put_row(q, v, &numbers, &numbers);
	}
}

void query_account_nodes(struct query *q, const uint32_t *nodes, size_t n)
{
	struct node_job job = {.q = q, .nodes = nodes, .n = n,
		.parts = parallel_parts(n, LEAST_PART),
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
	/* What a part found for the group that an earlier part began: */
	struct carry {
		struct picked picked;
		size_t group;
	} carry[PARALLEL_MAX];
};

static inline void add_numbers(struct numbers *sum, const struct numbers *numbers, int from, int to)
{
	for (int k = from; k < to; k++)
		sum->at[k] = metric_add((enum metric)k, sum->at[k], numbers->at[k]);
}

static void pick_node(const struct query *q, uint32_t node, struct picked *picked)
{
	uint32_t picks = query_picks(q, q->model->nodes.types[node]);
	struct numbers numbers;

	if (!picks)
		return;
	picked->n++;
	query_numbers(q, node, &numbers);
	add_numbers(&picked->sum, &numbers, METRIC_RUNS, N_METRICS);
	for (; picks; picks--)
		add_numbers(&picked->sum, &numbers, 0, METRIC_RUNS);
}

/* The group that holds the i-th node: the last one that begins at or before. */
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

/* Parts are equal in nodes, wherever groups end: a few groups may have most. */
static void pick_part(void *context, size_t part)
{
	struct group_job *job = context;
	size_t n = job->first[job->n], i = parallel_begin(n, job->parts, part);
	size_t end = parallel_begin(n, job->parts, part + 1), g = group_at(job, i);
	struct carry *carry = &job->carry[part];

	carry->group = g;
	for (; i < end; g++) {
		struct picked *picked = job->first[g] < i ? &carry->picked : &job->picked[g];

		for (; i < end && i < job->first[g + 1]; i++) {
			look_ahead(job->q->model, job->nodes, i, n);
			pick_node(job->q, job->nodes[i], picked);
		}
	}
}

void query_account_groups(const struct query *q, const uint32_t *first, const uint32_t *nodes,
	size_t n, struct picked *picked)
{
	struct group_job job = {.q = q, .first = first, .nodes = nodes, .n = n,
		.parts = parallel_parts(first[n], LEAST_PART), .picked = picked};

	memset(picked, 0, n * sizeof(*picked));
	if (!first[n])
		return;
	parallel_run(job.parts, pick_part, &job);
	for (size_t i = 1; i < job.parts; i++) {
		struct picked *begun = &picked[job.carry[i].group];

		begun->n += job.carry[i].picked.n;
		add_numbers(&begun->sum, &job.carry[i].picked.sum, 0, N_METRICS);
	}
}
