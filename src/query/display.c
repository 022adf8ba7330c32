/* The shown nodes of a tree in display order: depth first, children sorted as
 * requested.
 *
 *     size[v]   number of lines of v and its subtree
 *     at[v]     the line of v, after its parent and earlier siblings, and
 *     level[v]  its level; set for nodes with children, so that children can be
 *               filled in any order
 */
#include "base/parallel.h"
#include "base/sort.h"
#include "query/query.h"

struct display {
	struct query *q;
	const struct shown_tree *shown;
	size_t parts;
	/* children of each shown node: child[first[v] … first[v + 1]] */
	uint32_t *first, *child;
	uint32_t n;
	uint32_t *size;
	uint32_t *at;   /* reuses the memory of parents */
	int32_t *level; /* reuses the memory of depths */
};

bool query_allocate_shown(struct query *q, struct shown_tree *shown)
{
	size_t n = q->tree->n;

	shown->parent = arena_array(&q->arena, n, sizeof(*shown->parent));
	shown->depth = arena_array(&q->arena, n, sizeof(*shown->depth));
	shown->first = arena_array(&q->arena, n + 2, sizeof(*shown->first));
	shown->size = arena_array(&q->arena, n, sizeof(*shown->size));
	return shown->parent && shown->depth && shown->first && shown->size;
}

static bool is_shown(const struct display *d, uint32_t v)
{
	return d->q->flags[v] & ROW_SHOWN;
}

static bool collect_children(struct display *d)
{
	uint32_t n = d->q->tree->n, *fill;

	memset(d->first, 0, ((size_t)n + 2) * sizeof(*d->first));
	memset(d->size, 0, n * sizeof(*d->size));
	fill = d->first + 1;
	for (uint32_t v = n - 1; v > 0; v--)
		if (is_shown(d, v)) {
			uint32_t parent = d->shown->parent[v];

			fill[parent + 1]++;
			d->size[parent] += ++d->size[v];
			d->n++;
		}
	d->child = arena_array(&d->q->arena, d->n, sizeof(*d->child));
	if (!d->child)
		return false;
	for (uint32_t v = 1; v <= n; v++)
		fill[v] += fill[v - 1];
	for (uint32_t v = 1; v < n; v++)
		if (is_shown(d, v))
			d->child[fill[d->shown->parent[v]]++] = v;
	return true;
}

/* ---- sorting -------------------------------------------------------------- */

/* Only needed where hiding nodes mixed the children of several parents, or where
 * children are in input order. */
static bool sort_by_name(const struct tree *t, uint32_t *child, uint32_t n)
{
	struct span *names;
	uint32_t *order, *old;
	bool sorted = true, ok;

	for (uint32_t i = 1; sorted && i < n; i++)
		sorted = span_compare(tree_label(t, child[i - 1]), tree_label(t, child[i])) <= 0;
	if (sorted)
		return true;
	names = mem_array(n, sizeof(*names));
	order = mem_array(n, sizeof(*order));
	old = mem_array(n, sizeof(*old));
	ok = names && order && old;
	for (uint32_t i = 0; ok && i < n; i++) {
		names[i] = tree_label(t, child[i]);
		old[i] = child[i];
	}
	ok = ok && sort_texts(names, order, n);
	for (uint32_t i = 0; ok && i < n; i++)
		child[i] = old[order[i]];
	mem_free(names);
	mem_free(order);
	mem_free(old);
	return ok;
}

/* The sort key of a child: large numbers come first. */
static uint64_t key_of(const struct display *d, int metric, uint32_t v)
{
	/* Displayed siblings differ in depth only by the hidden nodes above them. */
	if (d->q->options->order == ORDER_DEPTH)
		return sort_key_ascending(d->shown->depth[v]);
	if (metric < 0)
		return sort_key_descending(d->shown->n_picked[v]);
	return sort_key_descending(query_total_row(d->q, v)[d->q->numbers.slot[metric]]);
}

/* Sorts the children of nodes in a part of the tree. */
struct sort_job {
	const struct display *d;
	int metric;
	bool by_key;
	size_t max_children; /* of one node */
	bool failed[PARALLEL_MAX];
};

static void sort_by_key(const struct sort_job *job, uint32_t *child, uint32_t n,
	struct sort_item *items)
{
	for (uint32_t i = 0; i < n; i++)
		items[i] = (struct sort_item){key_of(job->d, job->metric, child[i]), child[i]};
	sort_items(items, items + job->max_children, n);
	for (uint32_t i = 0; i < n; i++)
		child[i] = items[i].id;
}

static void sort_part(void *context, size_t part)
{
	struct sort_job *job = context;
	const struct display *d = job->d;
	const struct tree *t = d->q->tree;
	size_t end = parallel_begin(t->n, d->parts, part + 1);
	struct sort_item *items =
		job->by_key ? mem_array(2 * job->max_children, sizeof(*items)) : NULL;
	bool ok = items || !job->by_key;

	for (size_t v = parallel_begin(t->n, d->parts, part); ok && v < end; v++) {
		uint32_t *child = d->child + d->first[v], n = d->first[v + 1] - d->first[v];

		if (n < 2)
			continue;
		if (job->by_key)
			sort_by_key(job, child, n, items);
		else
			ok = sort_by_name(t, child, n);
	}
	mem_free(items);
	job->failed[part] = !ok;
}

static bool sort_children(const struct display *d)
{
	struct query *q = d->q;
	enum order order = q->options->order;
	struct sort_job job = {.d = d, .metric = order_metric(order)};
	bool ok = true;

	if (order == ORDER_FOUND)
		return true;
	job.by_key = job.metric >= 0 || order == ORDER_DEPTH ||
		(order == ORDER_OCCURRENCE && query_has_groups(q));
	for (uint32_t v = 0; v < q->tree->n; v++)
		if (d->first[v + 1] - d->first[v] > job.max_children)
			job.max_children = d->first[v + 1] - d->first[v];
	parallel_run(d->parts, sort_part, &job);
	for (size_t i = 0; i < d->parts; i++)
		ok &= !job.failed[i];
	return ok;
}

/* ---- lines ---------------------------------------------------------------- */

static bool has_children(const struct display *d, uint32_t v)
{
	return d->first[v] != d->first[v + 1];
}

/* Parents precede their children in the tree, so one pass places all. */
static void place(struct display *d)
{
	d->at[0] = 0;
	d->level[0] = 0;
	for (uint32_t v = 0; v < d->q->tree->n; v++) {
		uint32_t line = d->at[v] + 1;

		for (uint32_t i = d->first[v]; i < d->first[v + 1]; i++) {
			uint32_t child = d->child[i];

			if (has_children(d, child)) {
				d->at[child] = line;
				d->level[child] = d->level[v] + 1;
			}
			line += d->size[child];
		}
	}
}

/* Fills in the children of nodes in a part of the tree. */
static void fill_part(void *context, size_t part)
{
	const struct display *d = context;
	struct query *q = d->q;
	size_t end = parallel_begin(q->tree->n, d->parts, part + 1);

	for (size_t v = parallel_begin(q->tree->n, d->parts, part); v < end; v++) {
		uint32_t line = d->at[v] + 1;

		for (uint32_t i = d->first[v]; i < d->first[v + 1]; i++) {
			q->view[line] = d->child[i];
			q->parent[line] = d->at[v];
			q->depth[line] = d->level[v] + 1;
			line += d->size[d->child[i]];
		}
	}
}

static bool fill_lines(struct display *d)
{
	struct query *q = d->q;
	size_t n = (size_t)d->n + 1;

	q->view = arena_array(&q->arena, n, sizeof(*q->view));
	q->parent = arena_array(&q->arena, n, sizeof(*q->parent));
	q->depth = arena_array(&q->arena, n, sizeof(*q->depth));
	if (!q->view || !q->parent || !q->depth)
		return false;
	q->n = d->n + 1;
	q->view[0] = 0;
	q->parent[0] = NONE;
	q->depth[0] = 0;
	place(d);
	parallel_run(d->parts, fill_part, d);
	return true;
}

bool query_display(struct query *q, const struct shown_tree *shown)
{
	enum { MIN_PART = 16384 };
	struct display d = {.q = q,
		.shown = shown,
		.first = shown->first,
		.size = shown->size,
		.at = shown->parent,
		.level = shown->depth,
		.parts = parallel_parts(q->tree->n, MIN_PART)};

	return collect_children(&d) && sort_children(&d) && fill_lines(&d);
}
