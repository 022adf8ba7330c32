#include "diff/verdict.h"

#include <math.h>
#include <stdlib.h>

#include "base/median.h"
#include "diff/sample.h"

/* ---- samples ---------------------------------------------------------------------- */

struct samples {
	int64_t *base, *new_side, *spare;
	size_t n_base, n_new;
};

static bool samples_init(struct samples *s, const struct diff *d)
{
	size_t n;

	s->n_base = d->base.runs.n;
	s->n_new = d->new_side.runs.n;
	n = s->n_base + s->n_new;
	s->base = mem_zero_array(2 * n + 1, sizeof(*s->base));
	s->new_side = s->base ? s->base + s->n_base : NULL;
	s->spare = s->base ? s->base + n : NULL;
	return s->base;
}

/* Sums wrap, as those of queries do. */
static void add(int64_t *sum, int64_t value)
{
	*sum = (int64_t)((uint64_t)*sum + (uint64_t)value);
}

static void samples_add(struct samples *s, const struct diff *d, const struct diff_row *r,
	size_t metric)
{
	for (size_t k = 0; r->base_row != NONE && k < s->n_base; k++)
		add(&s->base[k], side_get(&d->base, k, r->base_row, metric));
	for (size_t k = 0; r->new_row != NONE && k < s->n_new; k++)
		add(&s->new_side[k], side_get(&d->new_side, k, r->new_row, metric));
}

static void samples_reset(struct samples *s)
{
	memset(s->base, 0, (s->n_base + s->n_new) * sizeof(*s->base));
}

static int64_t median_of(const struct samples *s, const int64_t *values, size_t n)
{
	if (n == 1)
		return values[0];
	memcpy(s->spare, values, n * sizeof(*values));
	return median_of_ints(s->spare, n);
}

static bool are_all_zero(const struct samples *s)
{
	for (size_t k = 0; k < s->n_base + s->n_new; k++)
		if (s->base[k])
			return false;
	return true;
}

/* ---- verdicts --------------------------------------------------------------------- */

static bool is_large(const struct diff_settings *o, const struct diff_number *n)
{
	return fabs(diff_ratio(n->base, n->new_value)) >= o->min_change &&
		fabs((double)diff_delta(n)) >= (double)o->min_delta_micros;
}

static enum diff_verdict judge_exact(const struct diff_number *n)
{
	int64_t delta = diff_delta(n);

	return delta ? delta > 0 ? VERDICT_MORE : VERDICT_LESS : VERDICT_EQUAL;
}

static enum diff_verdict judge_time(const struct diff *d, const struct diff_number *n, double p,
	double smallest)
{
	if (n->p < 0 || n->base == n->new_value)
		return VERDICT_EQUAL;
	if (!is_large(&d->settings, n))
		return VERDICT_NOISE;
	if (p <= DIFF_ALPHA)
		return n->new_value > n->base ? VERDICT_SLOWER : VERDICT_FASTER;
	return smallest > DIFF_ALPHA ? VERDICT_UNKNOWN : VERDICT_NOISE;
}

static void measure(struct diff *d, struct samples *s, size_t row, size_t metric,
	struct sample_memo *memo)
{
	struct diff_number *n = diff_number(d, row, metric);

	samples_reset(s);
	samples_add(s, d, &d->rows[row], metric);
	*n = (struct diff_number){.base = median_of(s, s->base, s->n_base),
		.new_value = median_of(s, s->new_side, s->n_new),
		.p = -1,
		.adjusted_p = -1};
	if (diff_is_time(&d->metrics[metric]) && !are_all_zero(s))
		n->p = sample_mann_whitney(s->base, s->n_base, s->new_side, s->n_new, memo);
}

/* All rows but the total are one family of tests. */
static bool judge_times(struct diff *d, size_t metric)
{
	double smallest = sample_smallest_p(d->base.runs.n, d->new_side.runs.n);
	double *p = mem_array(d->n + 1, sizeof(*p)), *adjusted = mem_array(d->n + 1, sizeof(*p));
	size_t n = 0, k = 0;
	bool ok = p && adjusted;

	for (size_t i = 1; ok && i < d->n; i++)
		if (diff_number(d, i, metric)->p >= 0)
			p[n++] = diff_number(d, i, metric)->p;
	ok = ok && sample_adjust(p, adjusted, n);
	for (size_t i = 0; ok && i < d->n; i++) {
		struct diff_number *number = diff_number(d, i, metric);

		if (i && number->p >= 0)
			number->adjusted_p = adjusted[k++];
		number->verdict = i
			? judge_time(d, number, number->adjusted_p, smallest * (double)n)
			: judge_time(d, number, number->p, smallest);
	}
	d->n_tests = n > d->n_tests ? n : d->n_tests;
	mem_free(p);
	mem_free(adjusted);
	return ok;
}

bool verdicts_make(struct diff *d)
{
	struct samples s = {0};
	struct sample_memo memo = {0};
	bool ok = samples_init(&s, d);

	d->numbers = mem_array(d->n + 1, d->n_metrics * sizeof(*d->numbers));
	ok = ok && d->numbers;
	for (size_t i = 0; ok && i < d->n; i++)
		for (size_t m = 0; m < d->n_metrics; m++)
			measure(d, &s, i, m, &memo);
	mem_free(s.base);
	for (size_t m = 0; ok && m < d->n_metrics; m++) {
		if (diff_is_time(&d->metrics[m])) {
			ok = judge_times(d, m);
			continue;
		}
		for (size_t i = 0; i < d->n; i++)
			diff_number(d, i, m)->verdict = judge_exact(diff_number(d, i, m));
	}
	return ok;
}

bool diff_is_notable(const struct diff *d, size_t row)
{
	const struct diff_row *r = &d->rows[row];

	for (size_t m = 0; m < d->n_metrics; m++) {
		const struct diff_number *n = diff_number(d, row, m);

		if (n->base < d->metrics[m].minimum && n->new_value < d->metrics[m].minimum)
			return false;
	}
	if (r->state != DIFF_SAME || r->is_moved)
		return true;
	for (size_t m = 0; m < d->n_metrics; m++) {
		const struct diff_number *n = diff_number(d, row, m);

		if (n->verdict == VERDICT_EQUAL)
			continue;
		if (!diff_is_time(&d->metrics[m]) || is_large(&d->settings, n))
			return true;
	}
	return false;
}

enum tfprof_status diff_compare_rows(const struct diff *d, const uint32_t *rows, size_t n,
	size_t metric, struct diff_sum *sum, struct tfprof_error *err)
{
	bool is_time = diff_is_time(&d->metrics[metric]);
	struct samples s = {0};

	if (!samples_init(&s, d))
		return error_no_memory(err);
	for (size_t i = 0; i < n; i++)
		samples_add(&s, d, &d->rows[rows[i]], metric);
	*sum = (struct diff_sum){.base = median_of(&s, s.base, s.n_base),
		.new_value = median_of(&s, s.new_side, s.n_new),
		.p = -1,
		.is_decidable = true,
		.is_distinct = true};
	if (is_time) {
		sum->p = sample_mann_whitney(s.base, s.n_base, s.new_side, s.n_new, NULL);
		sum->is_distinct = sum->p <= DIFF_ALPHA;
		sum->is_decidable = sample_smallest_p(s.n_base, s.n_new) <= DIFF_ALPHA ||
			sum->base == sum->new_value;
	}
	mem_free(s.base);
	return TFPROF_OK;
}
