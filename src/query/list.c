/* Op view: groups as a list, with totals that add up from its end. */
#include "base/sort.h"
#include "query/query.h"

struct list {
	struct query *q;
	uint32_t *group;           /* accounted groups, in the order of the list */
	uint32_t n;
	int64_t *own[N_METRICS];   /* by group */
	int64_t *total[N_METRICS];
	uint32_t *n_picked;        /* by group */
	bool *passes;              /* by group: reaches the minimums */
};

static bool allocate(struct list *l)
{
	struct arena *a = &l->q->arena;
	size_t n = l->q->groups->n;

	l->group = arena_array(a, n, sizeof(*l->group));
	l->n_picked = arena_array(a, n, sizeof(*l->n_picked));
	l->passes = arena_array(a, n, sizeof(*l->passes));
	for (int k = 0; k < N_METRICS; k++) {
		l->own[k] = arena_array(a, n, sizeof(**l->own));
		l->total[k] = arena_zero(a, n + 1, sizeof(**l->total));
		if (!l->own[k] || !l->total[k])
			return false;
	}
	return l->group && l->n_picked && l->passes;
}

static void account(struct list *l)
{
	struct query *q = l->q;
	const struct groups *g = q->groups;

	l->n = 0;
	for (uint32_t i = 0; i < g->n; i++) {
		struct picked picked = query_pick(q, g->nodes + g->first[i],
			g->first[i + 1] - g->first[i]);

		l->n_picked[i] = picked.n;
		for (int k = 0; k < N_METRICS; k++)
			l->own[k][i] = picked.sum.at[k];
		if (picked.n || regexes_accept_all(q->account))
			l->group[l->n++] = i;
	}
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
		int64_t value = occurrence ? l->n_picked[group] : l->own[metric][group];

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
			sum = metric_add((enum metric)k, sum, l->own[k][group[i]]);
			l->total[k][group[i]] = sum;
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
		{OPT_MIN_BYTES, METRIC_BYTES}, {OPT_MIN_PEAK_BYTES, METRIC_PEAK},
		{OPT_MIN_RESIDUAL_BYTES, METRIC_RESIDUAL}, {OPT_MIN_OUTPUT_BYTES, METRIC_OUTPUT},
		{OPT_MIN_MICROS, METRIC_MICROS}, {OPT_MIN_ACCELERATOR_MICROS, METRIC_ACCELERATOR},
		{OPT_MIN_CPU_MICROS, METRIC_CPU}, {OPT_MIN_PARAMS, METRIC_PARAMS},
		{OPT_MIN_FLOAT_OPS, METRIC_FLOAT_OPS},
	};
	const int64_t *number = l->q->options->number;

	for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++)
		if (l->total[limits[i].metric][group] < number[limits[i].id])
			return false;
	return l->n_picked[group] >= number[OPT_MIN_OCCURRENCE];
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
		while (i < l->n && !regexes_match(q->start, model_text(m, q->groups->op[l->group[i]])))
			i++;
	for (; i < l->n; i++, depth++) {
		struct span name = model_text(m, q->groups->op[l->group[i]]);

		if (query_name_trimmed(q, name) || depth > q->options->number[OPT_MAX_DEPTH])
			break;
		if (l->passes[l->group[i]] && query_name_shown(q, name))
			shown[n++] = l->group[i];
	}
	return n;
}

static bool answer(struct list *l, const uint32_t *shown, uint32_t n, const struct numbers *root)
{
	struct query *q = l->q;
	struct arena *a = &q->arena;
	size_t rows = (size_t)n + 1;

	q->n = n + 1;
	q->view = arena_array(a, rows, sizeof(*q->view));
	q->parent = arena_zero(a, rows, sizeof(*q->parent));
	q->depth = arena_array(a, rows, sizeof(*q->depth));
	q->accounted = arena_array(a, rows, sizeof(*q->accounted));
	q->defined = arena_zero(a, rows, sizeof(*q->defined));
	if (!q->view || !q->parent || !q->depth || !q->accounted || !q->defined)
		return false;
	for (int k = 0; k < N_METRICS; k++) {
		q->own[k] = arena_zero(a, rows, sizeof(**q->own));
		q->total[k] = arena_array(a, rows, sizeof(**q->total));
		if (!q->own[k] || !q->total[k])
			return false;
		q->total[k][0] = root->at[k];
		for (uint32_t i = 0; i < n; i++) {
			q->own[k][i + 1] = l->own[k][shown[i]];
			q->total[k][i + 1] = l->total[k][shown[i]];
		}
	}
	q->view[0] = q->parent[0] = NONE;
	q->depth[0] = 0;
	q->accounted[0] = false;
	for (uint32_t i = 0; i < n; i++) {
		q->view[i + 1] = shown[i];
		q->depth[i + 1] = 1;
		q->accounted[i + 1] = true;
		q->defined[i + 1] = l->n_picked[shown[i]];
	}
	return true;
}

enum tfprof_status query_list(struct query *q, struct tfprof_error *err)
{
	struct list l = {.q = q};
	struct numbers root = {0};
	uint32_t *shown = arena_array(&q->arena, q->groups->n, sizeof(*shown)), n;

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
