/* Whether two samples of a time differ: a few runs on each side, with heavy tails and no
 * known distribution, so ranks are compared, not means. */
#ifndef TFPROF_DIFF_SAMPLE_H
#define TFPROF_DIFF_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Without ties p depends only on the sizes and the sum of ranks. Rows of a comparison
 * share the sizes, and most have one of a few sums. */
struct sample_memo {
	struct {
		size_t n_a, n_b;
		double sum, p;
	} at[512];
};

/* The chance that two samples of one distribution differ at least this much (Mann and
 * Whitney's test, two-sided): exact for small samples, where ties are rare also for larger
 * ones; otherwise by the normal distribution, corrected for ties and continuity. 1 if a
 * side is empty. `memo` is NULL, or zeroed before the first of many tests. */
double sample_mann_whitney(const int64_t *a, size_t n_a, const int64_t *b, size_t n_b,
	struct sample_memo *memo);

/* The smallest value that sample_mann_whitney() can give for samples of these sizes. */
double sample_smallest_p(size_t n_a, size_t n_b);

/* Adjusts the p of many tests, so that of the adjusted ones up to 0.05, 5 % are expected to be
 * false alarms (Benjamini and Hochberg). False on allocation failure. */
bool sample_adjust(const double *p, double *adjusted, size_t n);

#endif
