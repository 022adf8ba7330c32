#include "query/query.h"

/* Option or attribute → the metric it looks at. */
static const struct {
	enum option_id minimum;
	enum select_id select;
	enum order order;
	enum metric metric;
} metric_of[] = {
	{OPT_MIN_BYTES, SEL_BYTES, ORDER_BYTES, METRIC_BYTES},
	{OPT_MIN_PEAK_BYTES, SEL_PEAK_BYTES, ORDER_PEAK_BYTES, METRIC_PEAK},
	{OPT_MIN_RESIDUAL_BYTES, SEL_RESIDUAL_BYTES, ORDER_RESIDUAL_BYTES, METRIC_RESIDUAL},
	{OPT_MIN_OUTPUT_BYTES, SEL_OUTPUT_BYTES, ORDER_OUTPUT_BYTES, METRIC_OUTPUT},
	{OPT_MIN_MICROS, SEL_MICROS, ORDER_MICROS, METRIC_MICROS},
	{OPT_MIN_ACCELERATOR_MICROS, SEL_ACCELERATOR_MICROS, ORDER_ACCELERATOR_MICROS,
		METRIC_ACCELERATOR},
	{OPT_MIN_CPU_MICROS, SEL_CPU_MICROS, ORDER_CPU_MICROS, METRIC_CPU},
	{OPT_MIN_PARAMS, SEL_PARAMS, ORDER_PARAMS, METRIC_PARAMS},
	{OPT_MIN_FLOAT_OPS, SEL_FLOAT_OPS, ORDER_FLOAT_OPS, METRIC_FLOAT_OPS},
	{OPT_MIN_OCCURRENCE, SEL_OCCURRENCE, ORDER_OCCURRENCE, METRIC_RUNS},
};

unsigned query_metrics(const struct model *m, const struct tfprof_options *o)
{
	unsigned mask = 0;

	/* A negative number does not reach a minimum of 0. */
	if (m->has_negative)
		return ALL_METRICS;
	for (size_t i = 0; i < sizeof(metric_of) / sizeof(*metric_of); i++)
		if (options_select(o, metric_of[i].select) || o->order == metric_of[i].order ||
			o->number[metric_of[i].minimum] != 0)
			mask |= 1u << metric_of[i].metric;
	if (options_select(o, SEL_MICROS))
		mask |= 1u << METRIC_ACCELERATOR | 1u << METRIC_CPU;
	return mask;
}

int order_metric(enum order order)
{
	for (size_t i = 0; i < sizeof(metric_of) / sizeof(*metric_of); i++)
		if (metric_of[i].order == order && order != ORDER_OCCURRENCE)
			return (int)metric_of[i].metric;
	return -1;
}

bool query_cancelled(const struct query *q)
{
	return q->cancel && *q->cancel;
}

enum tfprof_status query_check_cancelled(const struct query *q, struct tfprof_error *err)
{
	if (!query_cancelled(q))
		return TFPROF_OK;
	return error_set(err, TFPROF_CANCELLED, "the query was stopped");
}

/* ---- regexes ------------------------------------------------------------ */

static enum tfprof_status compile(struct query *q, enum option_id id, const char *name,
	struct regexes **out, struct tfprof_error *err)
{
	const struct word_list *list = &q->options->list[id];

	return regexes_new(out, name, list->at, list->n, err);
}

static enum tfprof_status compile_all(struct query *q, struct tfprof_error *err)
{
	const struct {
		enum option_id id;
		const char *name;
		struct regexes **out;
	} lists[] = {
		{OPT_ACCOUNT_TYPE_REGEXES, "account_type_regexes", &q->account},
		{OPT_START_NAME_REGEXES, "start_name_regexes", &q->start},
		{OPT_TRIM_NAME_REGEXES, "trim_name_regexes", &q->trim},
		{OPT_SHOW_NAME_REGEXES, "show_name_regexes", &q->show},
		{OPT_HIDE_NAME_REGEXES, "hide_name_regexes", &q->hide},
	};

	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
		enum tfprof_status status =
			compile(q, lists[i].id, lists[i].name, lists[i].out, err);

		if (status != TFPROF_OK)
			return status;
	}
	return TFPROF_OK;
}

enum tfprof_status query_check_regexes(const struct query *q, struct tfprof_error *err)
{
	const struct regexes *lists[] = {q->account, q->start, q->trim, q->show, q->hide};

	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
		enum tfprof_status status = regexes_check(lists[i], err);

		if (status != TFPROF_OK)
			return status;
	}
	return TFPROF_OK;
}

/* ---- names --------------------------------------------------------------- */

bool query_name_shown(struct query *q, struct span name)
{
	return regexes_let_show(q->show, q->hide, name);
}

bool query_name_trimmed(struct query *q, struct span name)
{
	return regexes_match(q->trim, name);
}

/* ---- running ------------------------------------------------------------ */

static uint32_t count_picks(struct query *q, uint32_t types)
{
	const struct string_set *set = sets_get(&q->model->sets, types);
	uint32_t picks = 0;

	if (regexes_accept_all(q->account))
		return 1;
	for (size_t r = 0; r < regexes_count(q->account); r++)
		for (uint32_t i = 0; i < set->n; i++)
			if (regexes_match_one(q->account, r, model_text(q->model, set->at[i]))) {
				picks++;
				break;
			}
	return picks;
}

static enum tfprof_status prepare(struct query *q, struct tfprof_error *err)
{
	size_t n_sets = q->model->sets.at.n;
	enum tfprof_status status = compile_all(q, err);

	if (status != TFPROF_OK)
		return status;
	q->picks = arena_array(&q->arena, n_sets, sizeof(*q->picks));
	if (!q->picks)
		return error_no_memory(err);
	for (uint32_t types = 0; types < n_sets && !query_cancelled(q); types++)
		q->picks[types] = count_picks(q, types);
	status = query_check_cancelled(q, err);
	return status == TFPROF_OK ? query_check_regexes(q, err) : status;
}

static bool allocate_numbers(struct query *q, size_t n)
{
	struct number_rows *numbers = &q->numbers;
	bool made = q->kind == TFPROF_SCOPE || q->kind == TFPROF_GRAPH;
	size_t size;

	numbers->n = 0;
	for (uint8_t k = 0; k < N_METRICS; k++) {
		numbers->slot[k] = NO_SLOT;
		if (q->metrics >> k & 1) {
			numbers->metric[numbers->n] = k;
			numbers->slot[k] = numbers->n++;
		}
	}
	size = numbers->n * sizeof(*numbers->total);
	numbers->total = arena_array(&q->arena, n, size);
	numbers->own = made ? NULL : arena_array(&q->arena, n, size);
	return numbers->total && (made || numbers->own);
}

bool query_allocate_rows(struct query *q, size_t n)
{
	if (!allocate_numbers(q, n))
		return false;
	q->flags = arena_zero(&q->arena, n, sizeof(*q->flags));
	q->defined = arena_array(&q->arena, n, sizeof(*q->defined));
	return q->flags && q->defined;
}

enum tfprof_status query_run(struct query *q, struct tfprof_error *err)
{
	enum tfprof_status status;

	q->step = q->options->number[OPT_STEP];
	status = prepare(q, err);
	if (status == TFPROF_OK)
		status = q->kind == TFPROF_OP ? query_list(q, err) : query_tree(q, err);
	if (status == TFPROF_OK)
		status = query_check_regexes(q, err);
	if (status == TFPROF_OK)
		status = query_check_cancelled(q, err);
	return status;
}

void query_clear(struct query *q)
{
	regexes_free(q->account);
	regexes_free(q->start);
	regexes_free(q->trim);
	regexes_free(q->show);
	regexes_free(q->hide);
	arena_clear(&q->arena);
}
