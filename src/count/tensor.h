/* What is known of a tensor without running anything: its type, its shape and, if it is
 * small, its value.
 *
 *     tensor ── dtype             a DataType; 0: unknown
 *            ── rank, dims[]      -1: unknown
 *            ── values[]          if known; at most TENSOR_MAX_VALUES
 *            ── parameter         the variable or weight it is, + 1
 *            ── element, length   of a list of tensors
 *            ── buffer            where it lives, for the peak of memory
 */
#ifndef TFPROF_COUNT_TENSOR_H
#define TFPROF_COUNT_TENSOR_H

#include <stdint.h>

#include "base/arena.h"

enum {
	TENSOR_MAX_RANK = 8,      /* beyond it, a shape counts as unknown */
	TENSOR_MAX_VALUES = 4096, /* beyond it, values do */
};

/* Of a tensor of integers or of real numbers, by its type. */
union number {
	int64_t i;
	double d;
};

struct tensor {
	int16_t dtype;
	int8_t rank;
	int64_t dims[TENSOR_MAX_RANK];
	const union number *values; /* elements of them; NULL: unknown */
	uint32_t parameter;
	uint32_t buffer;
	uint32_t producer; /* the serial number of the record that made it; 0: none did */
	const struct tensor *element; /* NULL: no list, or nothing is known of it */
	int64_t length;               /* -1: unknown */
};

static inline struct tensor tensor_unknown(int dtype)
{
	return (struct tensor){.dtype = (int16_t)dtype, .rank = -1, .length = -1};
}

/* Of a shape; `dims` may be NULL for rank 0. Too high a rank makes it unknown. */
struct tensor tensor_make(int dtype, const int64_t *dims, int64_t rank);
/* Of the shape in a TensorShapeProto. */
struct decoder;
struct tensor tensor_read(struct decoder *d, int dtype, struct span shape);

/* How many elements; -1 if unknown. Saturates. */
int64_t tensor_elements(const struct tensor *t);
bool tensor_is_known(const struct tensor *t);
/* Bytes of its elements; 0 if unknown, or if they have no fixed size. */
int64_t tensor_bytes(const struct tensor *t);

/* Room for the values of a known shape, which the caller fills in; NULL if they are too
 * many, or on allocation failure: a value is never worth failing for. */
union number *tensor_make_values(struct tensor *t, struct arena *arena);

/* One value as an integer, whatever its type. False if it is unknown. */
bool tensor_get_int(const struct tensor *t, size_t i, int64_t *value);
/* A list of integers, such as a shape. -1 if they are unknown or more than `max`. */
int tensor_get_ints(const struct tensor *t, int64_t *at, int max);

/* The same tensor, with what it points to in another arena. False on allocation
 * failure. */
bool tensor_copy(struct tensor *to, const struct tensor *from, struct arena *arena);

/* Whether two are known to be the same in all that matters to a rule. */
bool tensor_same_shape(const struct tensor *a, const struct tensor *b);

bool dtype_is_real(int dtype);
bool dtype_is_complex(int dtype);
/* 0 if it varies or is unknown. */
int64_t dtype_bytes(int dtype);
/* "float32" */
const char *dtype_text(int dtype);

/* Products and sums of what is not negative; INT64_MAX if they do not fit. */
static inline int64_t count_multiply(int64_t a, int64_t b)
{
	int64_t c;

	return __builtin_mul_overflow(a, b, &c) ? INT64_MAX : c;
}

static inline int64_t count_add(int64_t a, int64_t b)
{
	int64_t c;

	return __builtin_add_overflow(a, b, &c) ? INT64_MAX : c;
}

#endif
