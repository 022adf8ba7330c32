/* Op view: the tree has one level, and its rows form a list. Unlike in other views,
 * rows are ordered by their own numbers, and total = own + the total of the next row,
 * so the first row's total is that of the view. */
#include "base/sort.h"
#include "query/query.h"

struct list {
	struct query *q;
	uint32_t *row; /* accounted view nodes, in list order */
	uint32_t n;
	struct picked *picked; /* by view node */
};

static bool allocate(struct list *l)
{
	struct query *q = l->q;
	size_t n = q->tree->n;

	l->row = arena_array(&q->arena, n, sizeof(*l->row));
	l->picked = arena_array(&q->arena, n, sizeof(*l->picked));
	return l->row && l->picked && query_allocate_rows(q, n);
}

static void account(struct list *l)
{
	struct query *q = l->q;
	const struct tree *t = q->tree;
	bool all = regexes_accept_all(q->account);

	query_account_groups(q, t->first_node, t->nodes, t->n, l->picked);
	l->n = 0;
	for (uint32_t v = 0; v < t->n; v++) {
		bool accounted = v && (l->picked[v].n || all);

		query_put_own(q, v, &l->picked[v].sum, accounted);
		q->defined[v] = l->picked[v].n;
		if (accounted)
			l->row[l->n++] = v;
	}
}

/* Sorts by own numbers; ties stay in name order. */
static bool order(struct list *l)
{
	struct query *q = l->q;
	int metric = order_metric(q->options->order);
	bool occurrence = q->options->order == ORDER_OCCURRENCE;
	struct sort_item *items, *scratch;

	if (metric < 0 && !occurrence)
		return true;
	items = arena_array(&q->arena, l->n, sizeof(*items));
	scratch = arena_array(&q->arena, l->n, sizeof(*scratch));
	if (!items || !scratch)
		return false;
	for (uint32_t i = 0; i < l->n; i++) {
		const struct picked *picked = &l->picked[l->row[i]];
		int64_t value = occurrence ? picked->n : picked->sum.at[metric];

		items[i] = (struct sort_item){sort_key_descending(value), l->row[i]};
	}
	sort_items(items, scratch, l->n);
	for (uint32_t i = 0; i < l->n; i++)
		l->row[i] = items[i].id;
	return true;
}

static void accumulate(struct query *q, const uint32_t *rows, uint32_t n)
{
	size_t size = q->numbers.n * sizeof(*q->numbers.total);
	const int64_t *next = NULL;

	memset(query_total_row(q, 0), 0, size);
	for (uint32_t i = n; i-- > 0;) {
		int64_t *total = query_total_row(q, rows[i]);

		memcpy(total, query_kept_own(q, rows[i]), size);
		if (next)
			query_add_row(&q->numbers, total, next);
		next = total;
	}
	if (next)
		memcpy(query_total_row(q, 0), next, size);
}

static void find_passing(struct list *l)
{
	struct query *q = l->q;
	int64_t occurrence = q->options->number[OPT_MIN_OCCURRENCE];

	for (uint32_t i = 0; i < l->n; i++) {
		uint32_t v = l->row[i];

		if (l->picked[v].n < occurrence ||
			!query_reaches(&q->min_total, query_total_row(q, v)))
			q->flags[v] &= (uint8_t)~ROW_PASSES;
	}
}

static bool account_in_order(void *context)
{
	struct list *l = context;

	account(l);
	if (!order(l))
		return false;
	accumulate(l->q, l->row, l->n);
	find_passing(l);
	return true;
}

/* Shows rows from the first that matches start, until one is trimmed or too deep. Counts the
 * rows beyond max_depth that would be shown, if requested. */
static uint32_t show(struct list *l, uint32_t *shown)
{
	struct query *q = l->q;
	uint32_t n = 0, i = 0;
	int64_t depth = 0, max_depth = query_max_depth(q);

	q->n_cut = 0;
	if (regexes_count(q->start) && !regexes_accept_all(q->start))
		while (i < l->n && !query_must_stop(q) &&
			!regexes_match(q->start, tree_label(q->tree, l->row[i])))
			i++;
	for (; i < l->n && !query_must_stop(q); i++, depth++) {
		struct span name = tree_label(q->tree, l->row[i]);

		if ((depth > max_depth && !q->counts_cut) || query_name_trimmed(q, name))
			break;
		if (!(q->flags[l->row[i]] & ROW_PASSES) || !query_name_shown(q, name))
			continue;
		if (depth > max_depth)
			q->n_cut++;
		else
			shown[n++] = l->row[i];
	}
	return n;
}

/* The root, followed by the shown rows. */
static bool fill_result(struct list *l)
{
	struct query *q = l->q;
	size_t max_rows = (size_t)l->n + 1;

	q->view = arena_array(&q->arena, max_rows, sizeof(*q->view));
	q->parent = arena_zero(&q->arena, max_rows, sizeof(*q->parent));
	q->depth = arena_array(&q->arena, max_rows, sizeof(*q->depth));
	if (!q->view || !q->parent || !q->depth)
		return false;
	q->n = show(l, q->view + 1) + 1;
	q->view[0] = 0;
	q->parent[0] = NONE;
	for (uint32_t i = 0; i < q->n; i++)
		q->depth[i] = i != 0;
	if (q->options->number[OPT_ACCOUNT_DISPLAYED_OP_ONLY])
		accumulate(q, q->view + 1, q->n - 1);
	return true;
}

enum tfprof_status query_op(struct query *q, struct tfprof_error *err)
{
	struct list l = {.q = q};
	bool ok = allocate(&l);

	query_find_limits(q, ALL_MINIMUMS);
	if (ok && query_needs_wrapping(q))
		ok = query_account_both_ways(q, account_in_order, &l);
	else
		ok = ok && account_in_order(&l);
	return ok && fill_result(&l) ? TFPROF_OK : error_no_memory(err);
}
