#include "query/query.h"

#include <inttypes.h>

#include "base/cancel.h"
#include "base/clamped.h"

/* The minimum options. */
static const struct minimum {
	enum option_id option;
	enum metric metric;
	enum { AS_TENSORFLOW, OF_OWN, OF_TOTAL } compares;
} minimum_options[] = {
#define X(id, ...) {OPT_MIN_##id, METRIC_##id, AS_TENSORFLOW},
	METRICS(X)
#undef X
#define X(id, ...) {OPT_MIN_OWN_##id, METRIC_##id, OF_OWN},
		METRICS(X)
#undef X
#define X(id, ...) {OPT_MIN_TOTAL_##id, METRIC_##id, OF_TOTAL},
			OWN_MINIMUM_METRICS(X)
#undef X
};

enum { N_MINIMUMS = sizeof(minimum_options) / sizeof(*minimum_options) };

unsigned query_metrics(const struct model *m, const struct tfprof_options *o)
{
	/* A negative number does not reach a minimum of 0. */
	return m->has_negative ? ALL_METRICS : query_asked_metrics(o);
}

unsigned query_asked_metrics(const struct tfprof_options *o)
{
	unsigned mask = 0;

	for (int k = 0; k < N_METRICS; k++)
		if (o->selected & metric_selects((enum metric)k) || (int)o->order - 1 == k)
			mask |= 1u << k;
	if (options_select(o, SEL_THREADS))
		mask |= THREADS_METRICS;
	for (size_t i = 0; i < N_MINIMUMS; i++)
		if (o->number[minimum_options[i].option] != 0)
			mask |= 1u << minimum_options[i].metric;
	return mask;
}

/* In op view, totals add up the rows below, which says nothing of a row: TensorFlow's
 * profiler compares them all the same. */
static bool is_as_tensorflow(const struct query *q, const struct minimum *min)
{
	return min->compares == AS_TENSORFLOW && (q->kind != TFPROF_OP || q->options->tolerant);
}

/* Whether a minimum compares own numbers. */
static bool compares_own(const struct query *q, const struct minimum *min)
{
	if (is_as_tensorflow(q, min))
		return !query_has_groups(q) && OWN_MINIMUM_MASK >> min->metric & 1;
	return min->compares != OF_TOTAL;
}

static void add_minimum(struct query *q, const struct minimum *min, int64_t least)
{
	struct minimums *to = compares_own(q, min) ? &q->min_own : &q->min_total;

	to->slot[to->n] = q->numbers.slot[min->metric];
	to->least[to->n++] = least;
}

/* Op and code view have no min_occurrence of runs: op view compares the number of nodes
 * instead. In TensorFlow's profiler, a negative number misses the default of 0. */
void query_find_limits(struct query *q, enum minimum_set which)
{
	q->min_own.n = q->min_total.n = 0;
	for (size_t i = 0; i < N_MINIMUMS; i++) {
		const struct minimum *min = &minimum_options[i];
		bool as_tensorflow = is_as_tensorflow(q, min);
		int64_t least = q->options->number[min->option];

		if (!(which & (as_tensorflow ? MINIMUMS_OF_TENSORFLOW : OTHER_MINIMUMS)) ||
			!query_has(q, min->metric))
			continue;
		if (min->option == OPT_MIN_OCCURRENCE && query_has_groups(q))
			continue;
		if (least > 0 || (as_tensorflow ? q->model->has_negative : least != 0))
			add_minimum(q, min, least);
	}
}

int order_metric(enum order order)
{
	if (order == ORDER_NAME || order >= ORDER_OCCURRENCE)
		return -1;
	return (int)order - 1;
}

bool query_cancelled(const struct query *q)
{
	return is_cancelled(q->cancel);
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

bool query_must_stop(const struct query *q)
{
	return query_cancelled(q) || regexes_failed(q->account) || regexes_failed(q->start) ||
		regexes_failed(q->trim) || regexes_failed(q->show) || regexes_failed(q->hide);
}

/* ---- names --------------------------------------------------------------- */

bool query_name_shown(struct query *q, struct span name)
{
	return regexes_accept(q->show, q->hide, name);
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
	for (uint32_t types = 0; types < n_sets && !query_must_stop(q); types++)
		q->picks[types] = count_picks(q, types);
	status = query_check_cancelled(q, err);
	return status == TFPROF_OK ? query_check_regexes(q, err) : status;
}

static bool allocate_numbers(struct query *q, size_t n)
{
	struct number_rows *numbers = &q->numbers;
	bool recomputed = !query_has_groups(q);
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
	numbers->own = recomputed ? NULL : arena_array(&q->arena, n, size);
	return numbers->total && (recomputed || numbers->own);
}

bool query_allocate_rows(struct query *q, size_t n)
{
	if (!allocate_numbers(q, n))
		return false;
	q->flags = arena_zero(&q->arena, n, sizeof(*q->flags));
	q->defined = arena_array(&q->arena, n, sizeof(*q->defined));
	return q->flags && q->defined;
}

/* The root's totals are at least those of any row: if one was clamped, so was the root's. */
static void note_clamped(struct query *q)
{
	const int64_t *root = query_total_row(q, 0);

	for (size_t k = 0; k < q->numbers.n; k++)
		q->saturated |= is_clamped(root[k]);
}

enum tfprof_status query_run(struct query *q, struct tfprof_error *err)
{
	enum tfprof_status status;

	q->step = q->options->number[OPT_STEP];
	q->sees_executed = q->model->has_executed && !q->options->tolerant;
	status = prepare(q, err);
	if (status == TFPROF_OK)
		status = q->kind == TFPROF_OP ? query_op(q, err) : query_tree(q, err);
	if (status == TFPROF_OK)
		status = query_check_regexes(q, err);
	if (status == TFPROF_OK)
		status = query_check_cancelled(q, err);
	if (status == TFPROF_OK)
		note_clamped(q);
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

/* Node names are part of the input, so their size is bounded. Names made by a view may be many
 * times as long. */
enum tfprof_status query_check_names(const struct query *q, struct tfprof_error *err)
{
	static const uint64_t GB = 1000000000;
	uint64_t n = 0;

	for (uint32_t i = 1; q->tree->label && i < q->n; i++)
		n += q->tree->label[q->view[i]].n;
	if (n <= 4 * GB)
		return TFPROF_OK;
	return error_set(err, TFPROF_UNSUPPORTED,
		"the names of %" PRIu32 " rows take %" PRIu64
		" GB, and at most 4 GB are supported: lower max_depth",
		q->n, n / GB);
}
