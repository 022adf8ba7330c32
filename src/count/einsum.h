/* The equation of an Einsum with the sizes of its letters. */
#ifndef TFPROF_COUNT_EINSUM_H
#define TFPROF_COUNT_EINSUM_H

#include "base/span.h"
#include "count/tensor.h"

enum {
	EINSUM_DOTS = 52, /* a letter for each dimension of "...", after a-z and A-Z */
	EINSUM_LETTERS = EINSUM_DOTS + TENSOR_MAX_RANK,
	EINSUM_MAX_OPERANDS = 8,
	EINSUM_UNUSED = -2,
};

struct einsum_operand {
	uint8_t letters[TENSOR_MAX_RANK];
	int n;
};

struct einsum {
	struct einsum_operand operands[EINSUM_MAX_OPERANDS], result;
	size_t n;
	int64_t size[EINSUM_LETTERS]; /* -1: unknown */
};

/* False if the equation does not fit the operands. */
bool einsum_read(struct einsum *s, struct span equation, const struct tensor *const *in,
	size_t n_in);

#endif
