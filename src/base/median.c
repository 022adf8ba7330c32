#include "base/median.h"

#include <stdlib.h>

static int by_int(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static int by_double(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Few values: qsort's calls would cost more than the work. */
static void sort_ints(int64_t *values, size_t n)
{
	if (n > 32) {
		qsort(values, n, sizeof(*values), by_int);
		return;
	}
	for (size_t i = 1; i < n; i++) {
		int64_t value = values[i];
		size_t k = i;

		for (; k > 0 && values[k - 1] > value; k--)
			values[k] = values[k - 1];
		values[k] = value;
	}
}

int64_t median_of_ints(int64_t *values, size_t n)
{
	size_t half = n / 2;

	if (!n)
		return 0;
	sort_ints(values, n);
	if (n % 2)
		return values[half];
	/* without overflow */
	return values[half - 1] / 2 + values[half] / 2 +
		(values[half - 1] % 2 + values[half] % 2) / 2;
}

double median_of_doubles(double *values, size_t n)
{
	if (!n)
		return 0;
	qsort(values, n, sizeof(*values), by_double);
	return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}
