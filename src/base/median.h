/* The median: of an even number of values, the mean of the two in the middle. Whoever says
 * "median" means this. */
#ifndef TFPROF_BASE_MEDIAN_H
#define TFPROF_BASE_MEDIAN_H

#include <stddef.h>
#include <stdint.h>

/* Both sort the values, and are 0 without any. A mean of integers is rounded towards zero. */
int64_t median_of_ints(int64_t *values, size_t n);
double median_of_doubles(double *values, size_t n);

#endif
