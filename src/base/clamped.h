/* Arithmetic that stops at the smallest and the largest number: files may hold any. */
#ifndef TFPROF_BASE_CLAMPED_H
#define TFPROF_BASE_CLAMPED_H

#include <stdbool.h>
#include <stdint.h>

static inline int64_t clamped_sum(int64_t a, int64_t b)
{
	int64_t sum;

	if (__builtin_add_overflow(a, b, &sum))
		return b < 0 ? INT64_MIN : INT64_MAX;
	return sum;
}

static inline int64_t clamped_product(int64_t a, int64_t b)
{
	int64_t product;

	if (__builtin_mul_overflow(a, b, &product))
		return (a < 0) != (b < 0) ? INT64_MIN : INT64_MAX;
	return product;
}

/* amount · n / all, of numbers from 0 on; `all` is not 0. */
static inline int64_t clamped_part(int64_t amount, uint64_t n, uint64_t all)
{
	int64_t times = n < INT64_MAX ? (int64_t)n : INT64_MAX;
	int64_t whole = all < INT64_MAX ? (int64_t)all : INT64_MAX;

	return clamped_sum(clamped_product(amount / whole, times),
		clamped_product(amount % whole, times) / whole);
}

static inline void add_clamped(int64_t *sum, int64_t value)
{
	*sum = clamped_sum(*sum, value);
}

static inline int64_t to_int(double value)
{
	return value >= 9.2e18 ? INT64_MAX : value <= -9.2e18 ? INT64_MIN : (int64_t)value;
}

static inline bool is_clamped(int64_t value)
{
	return value == INT64_MIN || value == INT64_MAX;
}

#endif
