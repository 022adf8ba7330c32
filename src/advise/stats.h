/* Statistics that are robust against outliers. */
#ifndef TFPROF_ADVISE_STATS_H
#define TFPROF_ADVISE_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clamped.h"

/* What stats_score() needs. */
struct stats_spread {
	double median;
	double scale; /* 0: all values are equal */
};

/* Uses `values` as scratch. n > 0. */
struct stats_spread stats_spread(double *values, size_t n);

/* The modified z-score of Iglewicz and Hoaglin: 0.6745 (x - median) / MAD; where
 * more than half of the values are equal and MAD is 0, by the mean absolute
 * deviation: (x - median) / (1.253314 meanAD). */
double stats_score(const struct stats_spread *s, double value);

/* The smallest value that is an outlier, INFINITY if none is: a score above `limit`, at least (1 +
 * excess) times the median and, since a score alone finds one in every fifth run of five noisy
 * steps, apart from all others: of the distance from the smallest value, a share that depends on n
 * must be the gap below the outliers (Dixon's ratio; the limits are stricter than his, since times
 * have long tails). Values are positive. */
double stats_smallest_outlier(const double *values, size_t n, const struct stats_spread *s,
	double limit, double excess);

/* An interval of time. */
struct interval {
	int64_t start, end;
};

/* Sorts n intervals, joins those that overlap or touch and removes empty ones; returns
 * how many are left. */
size_t intervals_join(struct interval *at, size_t n);
/* The total length of joined intervals. */
int64_t intervals_length(const struct interval *at, size_t n);
/* The total length of joined `a` outside joined `b`. */
int64_t intervals_outside(const struct interval *a, size_t n_a, const struct interval *b,
	size_t n_b);

/* Intervals by group, such as a device or task:
 *
 *     group g → at[first[g] … first[g] + n[g]], joined
 */
struct grouped_interval {
	uint32_t group;
	struct interval interval;
};

struct interval_groups {
	struct interval *at;
	size_t *first, *n;
};

struct arena;

/* False on allocation failure. */
bool intervals_group(struct interval_groups *out, struct arena *arena,
	const struct grouped_interval *items, size_t n_items, size_t n_groups);

/* (max - mean) / max * n / (n - 1), from 0 (even) to 1 (one has all). */
double stats_imbalance(double max, double sum, size_t n);

#endif
