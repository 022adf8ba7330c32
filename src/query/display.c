/* The shown nodes of a tree in the order they are displayed: depth first, the
 * children of each as asked for.
 *
 *     size[v]   how many lines v and what is below it take
 *     at[v]     the line of v: behind its parent and the lines of the siblings
 *               before it
 */
#include "base/parallel.h"
#include "base/sort.h"
#include "query/query.h"

struct display {
	struct query *q;
	uint32_t *shown_parent;        /* made `at` once children are collected */
	const int32_t *depth;
	const uint32_t *n_picked;
	/* children of each shown node: child[first[v] … first[v + 1]] */
	uint32_t *first, *child;
	uint32_t n;
	uint32_t *size, *at;
};

static bool is_shown(const struct display *d, uint32_t v)
{
	return d->q->flags[v] & ROW_SHOWN;
}

static bool collect_children(struct display *d)
{
	struct arena *a = &d->q->arena;
	uint32_t n = d->q->tree->n, *fill;

	d->first = arena_zero(a, (size_t)n + 2, sizeof(*d->first));
	d->size = arena_zero(a, n, sizeof(*d->size));
	if (!d->first || !d->size)
		return false;
	fill = d->first + 1;
	for (uint32_t v = n - 1; v > 0; v--)
		if (is_shown(d, v)) {
			uint32_t parent = d->shown_parent[v];

			fill[parent + 1]++;
			d->size[parent] += ++d->size[v];
			d->n++;
		}
	d->child = arena_array(a, d->n, sizeof(*d->child));
	if (!d->child)
		return false;
	for (uint32_t v = 1; v <= n; v++)
		fill[v] += fill[v - 1];
	for (uint32_t v = 1; v < n; v++)
		if (is_shown(d, v))
			d->child[fill[d->shown_parent[v]]++] = v;
	d->at = d->shown_parent;
	return true;
}

/* ---- sorting -------------------------------------------------------------- */

/* Sorting by name is only needed where hiding mixed the children of several
 * parents, or where they came by position. */
static bool sort_by_name(const struct tree *t, uint32_t *child, uint32_t n)
{
	struct span *names;
	uint32_t *order, *old;
	bool sorted = true, fine;

	for (uint32_t i = 1; sorted && i < n; i++)
		sorted = span_compare(tree_label(t, child[i - 1]), tree_label(t, child[i])) <= 0;
	if (sorted)
		return true;
	names = mem_array(n, sizeof(*names));
	order = mem_array(n, sizeof(*order));
	old = mem_array(n, sizeof(*old));
	fine = names && order && old;
	for (uint32_t i = 0; fine && i < n; i++) {
		names[i] = tree_label(t, child[i]);
		old[i] = child[i];
	}
	fine = fine && sort_texts(names, order, n);
	for (uint32_t i = 0; fine && i < n; i++)
		child[i] = old[order[i]];
	mem_free(names);
	mem_free(order);
	mem_free(old);
	return fine;
}

/* What a child is ordered by: large numbers come first. */
static uint64_t key_of(const struct display *d, int metric, uint32_t v)
{
	const struct number_rows *numbers = &d->q->numbers;

	/* Siblings are equally deep as far as the display goes; what was hidden
	 * between makes the difference. */
	if (d->q->options->order == ORDER_DEPTH)
		return sort_key_ascending(d->depth[v]);
	if (metric < 0)
		return sort_key_descending(d->n_picked[v]);
	return sort_key_descending(numbers_total(numbers, v)[numbers->slot[metric]]);
}

/* The children of nodes in a part of the tree. */
struct sort_job {
	const struct display *d;
	int metric;
	bool by_key;
	size_t parts, most;            /* children that one node has */
	bool failed[PARALLEL_MAX];
};

static void sort_by_key(const struct sort_job *job, uint32_t *child, uint32_t n,
	struct sort_item *items)
{
	for (uint32_t i = 0; i < n; i++)
		items[i] = (struct sort_item){key_of(job->d, job->metric, child[i]), child[i]};
	sort_items(items, items + job->most, n);
	for (uint32_t i = 0; i < n; i++)
		child[i] = items[i].id;
}

static void sort_part(void *context, size_t part)
{
	struct sort_job *job = context;
	const struct display *d = job->d;
	const struct tree *t = d->q->tree;
	size_t end = parallel_begin(t->n, job->parts, part + 1);
	struct sort_item *items = job->by_key ? mem_array(2 * job->most, sizeof(*items)) : NULL;
	bool fine = items || !job->by_key;

	for (size_t v = parallel_begin(t->n, job->parts, part); fine && v < end; v++) {
		uint32_t *child = d->child + d->first[v], n = d->first[v + 1] - d->first[v];

		if (n < 2)
			continue;
		if (job->by_key)
			sort_by_key(job, child, n, items);
		else
			fine = sort_by_name(t, child, n);
	}
	mem_free(items);
	job->failed[part] = !fine;
}

static bool sort_children(const struct display *d)
{
	enum { LEAST_PART = 16384 };
	struct query *q = d->q;
	enum order order = q->options->order;
	struct sort_job job = {.d = d, .metric = order_metric(order),
		.parts = parallel_parts(q->tree->n, LEAST_PART)};
	bool fine = true;

	if (order == ORDER_FOUND)
		return true;
	job.by_key = job.metric >= 0 || order == ORDER_DEPTH ||
		(order == ORDER_OCCURRENCE && q->kind == TFPROF_CODE);
	for (uint32_t v = 0; v < q->tree->n; v++)
		if (d->first[v + 1] - d->first[v] > job.most)
			job.most = d->first[v + 1] - d->first[v];
	parallel_run(job.parts, sort_part, &job);
	for (size_t i = 0; i < job.parts; i++)
		fine &= !job.failed[i];
	return fine;
}

/* ---- lines ---------------------------------------------------------------- */

/* Parents come before their children in the tree, so one pass places all. */
static bool place(struct display *d)
{
	struct query *q = d->q;
	size_t n = (size_t)d->n + 1;

	q->view = q->row = arena_array(&q->arena, n, sizeof(*q->view));
	q->parent = arena_array(&q->arena, n, sizeof(*q->parent));
	q->depth = arena_array(&q->arena, n, sizeof(*q->depth));
	if (!q->view || !q->parent || !q->depth)
		return false;
	q->n = d->n + 1;
	d->at[0] = q->view[0] = 0;
	q->parent[0] = NONE;
	q->depth[0] = 0;
	for (uint32_t v = 0; v < q->tree->n; v++) {
		uint32_t line;

		if (d->first[v] == d->first[v + 1])
			continue;
		line = d->at[v] + 1;
		for (uint32_t i = d->first[v]; i < d->first[v + 1]; i++) {
			uint32_t child = d->child[i];

			d->at[child] = line;
			q->view[line] = child;
			q->parent[line] = d->at[v];
			q->depth[line] = q->depth[d->at[v]] + 1;
			line += d->size[child];
		}
	}
	return true;
}

bool query_display(struct query *q, uint32_t *shown_parent, const int32_t *depth,
	const uint32_t *n_picked)
{
	struct display d = {.q = q, .shown_parent = shown_parent, .depth = depth,
		.n_picked = n_picked};

	return collect_children(&d) && sort_children(&d) && place(&d);
}
