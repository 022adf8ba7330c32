#include "diff/budget.h"

#include <math.h>

#include "base/spelling.h"
#include "query/regex.h"

const char *const budget_state_names[] = {
#define X(id, name) name,
	BUDGET_STATES(X)
#undef X
};

/* ---- counts ----------------------------------------------------------------------- */

static bool is_counted(const struct diff_row *r, enum diff_count count)
{
	switch (count) {
	case COUNT_ADDED: return r->state == DIFF_ADDED;
	case COUNT_REMOVED: return r->state == DIFF_REMOVED;
	case COUNT_RENAMED: return r->state == DIFF_RENAMED;
	default: return r->is_moved;
	}
}

static void check_count(struct budget *b, const struct diff *d, struct regexes *regex)
{
	b->is_count = true;
	b->sum.is_decidable = b->sum.is_distinct = true;
	b->n_rows = 1;
	for (size_t i = 1; i < d->n; i++)
		b->sum.new_value += is_counted(&d->rows[i], (enum diff_count)b->limit->word) &&
			(!regex || regexes_match(regex, diff_name(d, &d->rows[i])));
	if (limit_is_exceeded(b->limit, (double)b->sum.new_value))
		b->state = BUDGET_OVER;
}

/* ---- metrics ---------------------------------------------------------------------- */

typedef VEC(uint32_t) row_list;

/* Rows that match and have no ancestor that does: theirs include those below. */
static bool find_rows(const struct diff *d, struct regexes *regex, row_list *rows)
{
	bool *covered = mem_zero_array(d->n + 1, sizeof(*covered));
	bool ok = covered;

	for (uint32_t i = 0; ok && i < d->n; i++) {
		uint32_t parent = d->rows[i].parent;

		covered[i] = parent != NONE && covered[parent];
		if (covered[i])
			continue;
		covered[i] = regex ? i && regexes_match(regex, diff_name(d, &d->rows[i])) : !i;
		ok = !covered[i] || vec_push(rows, i);
	}
	mem_free(covered);
	return ok;
}

static double change_of(const struct budget *b)
{
	if (b->is_share)
		return ((double)b->sum.new_value - (double)b->sum.base) / 1e4;
	return b->limit->is_percent ? 100 * diff_ratio(b->sum.base, b->sum.new_value)
				    : (double)b->sum.new_value - (double)b->sum.base;
}

static void judge(struct budget *b)
{
	bool is_exceeded = b->n_rows && limit_is_exceeded(b->limit, change_of(b));

	/* A change over the limit that may be noise is neither within nor over it. */
	if (!b->n_rows || !b->sum.is_decidable || (is_exceeded && !b->sum.is_distinct))
		b->state = BUDGET_UNKNOWN;
	else if (is_exceeded)
		b->state = BUDGET_OVER;
}

static enum tfprof_status check_metric(struct budget *b, const struct diff *d,
	struct regexes *regex, struct tfprof_error *err)
{
	const char *name = diff_limit_metric(b->limit);
	row_list rows = {0};
	enum tfprof_status status;
	size_t metric = 0;

	while (metric < d->n_metrics && strcmp(d->metrics[metric].name, name) != 0)
		metric++;
	if (metric == d->n_metrics)
		return error_set(err, TFPROF_ARGUMENT, "%s: '%.200s': %s is not compared here",
			OPTION("fail_if"), b->limit->text, name);
	b->unit = d->metrics[metric].unit;
	if (!find_rows(d, regex, &rows)) {
		vec_clear(&rows);
		return error_no_memory(err);
	}
	b->n_rows = rows.n;
	status = diff_compare_rows(d, rows.at, rows.n, metric, &b->sum, err);
	vec_clear(&rows);
	judge(b);
	return status;
}

/* ---- steps ------------------------------------------------------------------------ */

static enum tfprof_status check_steps(struct budget *b, const struct diff *d,
	struct tfprof_error *err)
{
	unsigned value = diff_limit_step(b->limit);

	if (b->limit->regex.n)
		return error_set(err, TFPROF_ARGUMENT,
			"%s: '%.200s': steps have no rows: leave out the regex", OPTION("fail_if"),
			b->limit->text);
	if (!step_sides_compare(&d->base.walls, &d->new_side.walls, value, &b->sum))
		return error_no_memory(err);
	b->is_of_steps = true;
	b->is_share = value >= STEP_SHARES;
	b->unit = UNIT_MICROS;
	b->n_rows = 1;
	if (!b->is_share) {
		b->sum.base = (b->sum.base + 500) / 1000;
		b->sum.new_value = (b->sum.new_value + 500) / 1000;
	}
	judge(b);
	return TFPROF_OK;
}

static enum tfprof_status check(struct budget *b, const struct diff *d, struct tfprof_error *err)
{
	struct regexes *regex = NULL;
	enum tfprof_status status = TFPROF_OK;

	if (b->limit->regex.n)
		status = regexes_new(&regex, "fail_if", &b->limit->regex, 1, err);
	if (status != TFPROF_OK)
		return status;
	if (diff_limit_step(b->limit) < N_STEP_VALUES)
		status = check_steps(b, d, err);
	else if (diff_limit_metric(b->limit))
		status = check_metric(b, d, regex, err);
	else
		check_count(b, d, regex);
	if (status == TFPROF_OK && regex)
		status = regexes_check(regex, err);
	regexes_free(regex);
	return status;
}

enum tfprof_status budgets_check(budgets *out, const struct diff *d, const limits *list,
	struct tfprof_error *err)
{
	enum tfprof_status status = TFPROF_OK;

	for (size_t i = 0; status == TFPROF_OK && i < list->n; i++) {
		struct budget b = {.limit = &list->at[i]};

		status = check(&b, d, err);
		if (status == TFPROF_OK && !vec_push(out, b))
			status = error_no_memory(err);
	}
	return status;
}
