#include "advise/stats.h"

#include <math.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/median.h"

struct stats_spread stats_spread(double *values, size_t n)
{
	struct stats_spread s = {.median = median_of_doubles(values, n)};
	double sum = 0;

	for (size_t i = 0; i < n; i++) {
		values[i] = fabs(values[i] - s.median);
		sum += values[i];
	}
	s.scale = median_of_doubles(values, n) / 0.6745;
	if (s.scale == 0)
		s.scale = 1.253314 * sum / (double)n;
	return s;
}

double stats_score(const struct stats_spread *s, double value)
{
	return s->scale > 0 ? (value - s->median) / s->scale : 0;
}

/* Whether the values from `least` on are apart from all smaller ones. */
static bool is_apart(const double *values, size_t n, double least)
{
	static const double shares[] = {1, 1, 1, .994, .97, .91, .87, .84, .81, .79, .77};
	enum { N = sizeof(shares) / sizeof(*shares), MANY = 20 };
	double share = n < N ? shares[n] : n < MANY ? shares[N - 1] : .64;
	double smallest = least, next = 0;

	for (size_t i = 0; i < n; i++) {
		smallest = values[i] < smallest ? values[i] : smallest;
		if (values[i] < least && values[i] > next)
			next = values[i];
	}
	return next > 0 && least - next >= share * (least - smallest);
}

double stats_smallest_outlier(const double *values, size_t n, const struct stats_spread *s,
	double limit, double excess)
{
	double least = INFINITY;

	for (size_t i = 0; i < n; i++)
		if (stats_score(s, values[i]) > limit && values[i] >= (1 + excess) * s->median &&
			values[i] < least)
			least = values[i];
	return isfinite(least) && is_apart(values, n, least) ? least : INFINITY;
}

static int by_start(const void *a, const void *b)
{
	const struct interval *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

size_t intervals_join(struct interval *at, size_t n)
{
	size_t joined = 0;

	if (n)
		qsort(at, n, sizeof(*at), by_start);
	for (size_t i = 0; i < n; i++) {
		if (at[i].end <= at[i].start)
			continue;
		if (joined && at[i].start <= at[joined - 1].end) {
			if (at[i].end > at[joined - 1].end)
				at[joined - 1].end = at[i].end;
		} else {
			at[joined++] = at[i];
		}
	}
	return joined;
}

int64_t intervals_length(const struct interval *at, size_t n)
{
	int64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += at[i].end - at[i].start;
	return sum;
}

int64_t intervals_outside(const struct interval *a, size_t n_a, const struct interval *b,
	size_t n_b)
{
	int64_t sum = intervals_length(a, n_a);
	size_t i = 0, k = 0;

	while (i < n_a && k < n_b) {
		int64_t start = a[i].start > b[k].start ? a[i].start : b[k].start;
		int64_t end = a[i].end < b[k].end ? a[i].end : b[k].end;

		if (end > start)
			sum -= end - start;
		if (a[i].end < b[k].end)
			i++;
		else
			k++;
	}
	return sum;
}

bool intervals_group(struct interval_groups *out, struct arena *arena,
	const struct grouped_interval *items, size_t n_items, size_t n_groups)
{
	out->at = arena_array(arena, n_items, sizeof(*out->at));
	out->first = arena_zero(arena, n_groups + 1, sizeof(*out->first));
	out->n = arena_zero(arena, n_groups, sizeof(*out->n));
	if (!out->at || !out->first || !out->n)
		return false;
	for (size_t i = 0; i < n_items; i++)
		out->first[items[i].group + 1]++;
	for (size_t g = 0; g < n_groups; g++)
		out->first[g + 1] += out->first[g];
	for (size_t i = 0; i < n_items; i++) {
		uint32_t g = items[i].group;

		out->at[out->first[g] + out->n[g]++] = items[i].interval;
	}
	for (size_t g = 0; g < n_groups; g++)
		out->n[g] = intervals_join(out->at + out->first[g], out->n[g]);
	return true;
}

double stats_imbalance(double max, double sum, size_t n)
{
	double mean = n ? sum / (double)n : 0;

	return n > 1 && max > 0 ? (max - mean) / max * (double)n / (double)(n - 1) : 0;
}
