/* Op view: groups as a list, with totals that add up from its end. */
#include "base/sort.h"
#include "query/query.h"

struct list {
	struct query *q;
	uint32_t *group; /* accounted groups, in the order of the list */
	uint32_t n;
	struct picked *picked; /* by group */
	struct numbers *total; /* by group */
	bool *passes;          /* by group: reaches the minimums */
};

static bool allocate(struct list *l)
{
	struct arena *a = &l->q->arena;
	size_t n = l->q->groups->n;

	l->group = arena_array(a, n, sizeof(*l->group));
	l->picked = arena_array(a, n, sizeof(*l->picked));
	l->total = arena_zero(a, n, sizeof(*l->total));
	l->passes = arena_array(a, n, sizeof(*l->passes));
	return l->group && l->picked && l->total && l->passes;
}

static void account(struct list *l)
{
	struct query *q = l->q;
	const struct groups *g = q->groups;
	bool all = regexes_accept_all(q->account);

	query_account_groups(q, g->first, g->nodes, g->n, l->picked);
	l->n = 0;
	for (uint32_t i = 0; i < g->n; i++)
		if (l->picked[i].n || all)
			l->group[l->n++] = i;
}

/* By own numbers; ties keep the order of names. */
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
		uint32_t group = l->group[i];
		int64_t value = occurrence ? l->picked[group].n : l->picked[group].sum.at[metric];

		items[i] = (struct sort_item){sort_key_descending(value), group};
	}
	sort_items(items, scratch, l->n);
	for (uint32_t i = 0; i < l->n; i++)
		l->group[i] = items[i].id;
	return true;
}

/* total = own + total of the next in the list. */
static void accumulate(struct list *l, const uint32_t *group, uint32_t n, struct numbers *root)
{
	for (int k = 0; k < N_METRICS; k++) {
		int64_t sum = 0;

		for (uint32_t i = n; i-- > 0;) {
			sum = metric_add((enum metric)k, sum, l->picked[group[i]].sum.at[k]);
			l->total[group[i]].at[k] = sum;
		}
		root->at[k] = sum;
	}
}

static bool reaches_minimums(const struct list *l, uint32_t group)
{
	static const struct {
		enum option_id id;
		enum metric metric;
	} limits[] = {
		{OPT_MIN_BYTES, METRIC_BYTES},
		{OPT_MIN_PEAK_BYTES, METRIC_PEAK},
		{OPT_MIN_RESIDUAL_BYTES, METRIC_RESIDUAL},
		{OPT_MIN_OUTPUT_BYTES, METRIC_OUTPUT},
		{OPT_MIN_MICROS, METRIC_MICROS},
		{OPT_MIN_ACCELERATOR_MICROS, METRIC_ACCELERATOR},
		{OPT_MIN_CPU_MICROS, METRIC_CPU},
		{OPT_MIN_PARAMS, METRIC_PARAMS},
		{OPT_MIN_FLOAT_OPS, METRIC_FLOAT_OPS},
	};
	const int64_t *number = l->q->options->number;

	for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++)
		if (l->total[group].at[limits[i].metric] < number[limits[i].id])
			return false;
	return l->picked[group].n >= number[OPT_MIN_OCCURRENCE];
}

static bool account_in_order(struct list *l, struct numbers *root)
{
	account(l);
	if (!order(l))
		return false;
	accumulate(l, l->group, l->n, root);
	return true;
}

static void find_passing(struct list *l)
{
	for (uint32_t i = 0; i < l->q->groups->n; i++)
		l->passes[i] = reaches_minimums(l, i);
}

/* From the first group that matches start, until one is trimmed or too deep. */
static uint32_t show(struct list *l, uint32_t *shown)
{
	struct query *q = l->q;
	const struct model *m = q->model;
	uint32_t n = 0, i = 0;
	int64_t depth = 0;

	if (regexes_count(q->start) && !regexes_accept_all(q->start))
		while (i < l->n && !query_cancelled(q) &&
			!regexes_match(q->start, model_text(m, q->groups->op[l->group[i]])))
			i++;
	for (; i < l->n && !query_cancelled(q); i++, depth++) {
		struct span name = model_text(m, q->groups->op[l->group[i]]);

		if (query_name_trimmed(q, name) || depth > q->options->number[OPT_MAX_DEPTH])
			break;
		if (l->passes[l->group[i]] && query_name_shown(q, name))
			shown[n++] = l->group[i];
	}
	return n;
}

static void put_rows(const struct query *q, uint32_t i, const struct numbers *own,
	const struct numbers *total)
{
	query_put_row(q, own, query_kept_own(q, i));
	query_put_row(q, total, query_total_row(q, i));
}

/* The root, and below it what is shown: rows in the order of the list. */
static bool answer(struct list *l, const uint32_t *shown, uint32_t n, const struct numbers *root)
{
	struct query *q = l->q;
	struct arena *a = &q->arena;
	size_t rows = (size_t)n + 1;

	q->n = n + 1;
	q->view = arena_array(a, rows, sizeof(*q->view));
	q->parent = arena_zero(a, rows, sizeof(*q->parent));
	q->depth = arena_array(a, rows, sizeof(*q->depth));
	q->row = arena_array(a, rows, sizeof(*q->row));
	if (!q->view || !q->parent || !q->depth || !q->row || !query_allocate_rows(q, rows))
		return false;
	q->view[0] = q->parent[0] = NONE;
	q->depth[0] = 0;
	q->row[0] = q->defined[0] = 0;
	put_rows(q, 0, &(struct numbers){0}, root);
	for (uint32_t i = 1; i <= n; i++) {
		uint32_t group = shown[i - 1];

		q->view[i] = group;
		q->depth[i] = 1;
		q->row[i] = i;
		q->flags[i] = ROW_ACCOUNTED;
		q->defined[i] = l->picked[group].n;
		put_rows(q, i, &l->picked[group].sum, &l->total[group]);
	}
	return true;
}

enum tfprof_status query_list(struct query *q, struct tfprof_error *err)
{
	struct list l = {.q = q};
	struct numbers root = {0};
	uint32_t *shown = arena_array(&q->arena, q->groups->n, sizeof(*shown)), n;

	q->metrics = ALL_METRICS;
	if (!shown || !allocate(&l))
		return error_no_memory(err);
	if (query_needs_wrapping(q)) {
		q->wraps = true;
		if (!account_in_order(&l, &root))
			return error_no_memory(err);
		find_passing(&l);
		q->wraps = false;
	}
	if (!account_in_order(&l, &root))
		return error_no_memory(err);
	if (!query_needs_wrapping(q))
		find_passing(&l);
	n = show(&l, shown);
	if (q->options->number[OPT_ACCOUNT_DISPLAYED_OP_ONLY])
		accumulate(&l, shown, n, &root);
	return answer(&l, shown, n, &root) ? TFPROF_OK : error_no_memory(err);
}
