/* Rules that need no more than shapes. */
#include <math.h>

#include "hlo/cost_rule.h"

void hlo_rule_move(struct hlo_counter *c, const struct hlo_op *op, struct hlo_cost *cost)
{
}

void hlo_rule_nothing(struct hlo_counter *c, const struct hlo_op *op, struct hlo_cost *cost)
{
	cost->bytes = 0;
}

void hlo_rule_element(struct hlo_counter *c, const struct hlo_op *op, struct hlo_cost *cost)
{
	cost->float_ops = hlo_result(c->program, op)->elements;
}

void hlo_rule_transcendental(struct hlo_counter *c, const struct hlo_op *op, struct hlo_cost *cost)
{
	cost->transcendentals = hlo_result(c->program, op)->elements;
}

/* ---- data movement ------------------------------------------------------- */

/* The result is the copy, the operand again, and what waits for it. */
void hlo_rule_copy_start(struct hlo_counter *c, const struct hlo_op *op, struct hlo_cost *cost)
{
	cost->bytes = hlo_product(2, hlo_operand_value(c->program, op, 0)->bytes);
}

static int64_t operand_bytes(const struct hlo_counter *c, const struct hlo_op *op, uint32_t from,
	uint32_t to)
{
	int64_t bytes = 0;

	for (uint32_t i = from; i < to && i < op->n_operands; i++)
		hlo_add(&bytes, hlo_operand_value(c->program, op, i)->bytes);
	return bytes;
}

/* Only the slice is read. Like XLA, this counts one of the indices, each a few bytes. */
void hlo_rule_slice(struct hlo_counter *c, const struct hlo_op *op, struct hlo_cost *cost)
{
	cost->bytes = hlo_sum(hlo_product(2, hlo_result(c->program, op)->bytes),
		operand_bytes(c, op, 1, 2));
}

/* Only the slice is written. */
void hlo_rule_update_slice(struct hlo_counter *c, const struct hlo_op *op, struct hlo_cost *cost)
{
	cost->bytes =
		hlo_sum(hlo_product(2, operand_bytes(c, op, 1, 2)), operand_bytes(c, op, 2, 3));
}

void hlo_rule_gather(struct hlo_counter *c, const struct hlo_op *op, struct hlo_cost *cost)
{
	cost->bytes = hlo_sum(hlo_product(2, hlo_result(c->program, op)->bytes),
		operand_bytes(c, op, 1, 2));
}

/* Operands: n arrays, the indices, n arrays of updates. */
void hlo_rule_scatter(struct hlo_counter *c, const struct hlo_op *op, struct hlo_cost *cost)
{
	uint32_t n = op->n_operands / 2;

	cost->bytes = hlo_sum(hlo_product(3, operand_bytes(c, op, n + 1, op->n_operands)),
		operand_bytes(c, op, n, n + 1));
	hlo_add_calls(c, op, hlo_operand_value(c->program, op, n + 1)->elements, cost);
}

/* ---- functions of elements ----------------------------------------------- */

void hlo_rule_map(struct hlo_counter *c, const struct hlo_op *op, struct hlo_cost *cost)
{
	hlo_add_calls(c, op, hlo_result(c->program, op)->elements, cost);
}

void hlo_rule_reduce(struct hlo_counter *c, const struct hlo_op *op, struct hlo_cost *cost)
{
	uint32_t first = hlo_first_array(c->program, op->value);
	int64_t outputs = first == NONE ? 0 : c->program->values.at[first].elements;

	hlo_add_calls(c, op, hlo_operand_value(c->program, op, 0)->elements - outputs, cost);
}

/* Comparisons of a sort by merging. */
void hlo_rule_sort(struct hlo_counter *c, const struct hlo_op *op, struct hlo_cost *cost)
{
	const struct hlo_value *sorted = hlo_operand_value(c->program, op, 0);
	int64_t length, rounds = 0;

	hlo_read_numbers(&c->d, op->message, HLO_INSTRUCTION_DIMENSIONS, &c->numbers);
	length = hlo_dim(c->program, sorted, c->numbers.n ? c->numbers.at[0] : 0);
	while (rounds < 62 && INT64_C(1) << rounds < length)
		rounds++;
	cost->unknown = length < 0;
	cost->float_ops = hlo_product(sorted->elements, rounds);
}

/* ---- transforms and decompositions --------------------------------------- */

/* Five for each of n·log₂(length) butterflies; half of that for real input or output. */
void hlo_rule_fft(struct hlo_counter *c, const struct hlo_op *op, struct hlo_cost *cost)
{
	enum { RFFT = 2, IRFFT = 3 };
	uint64_t type = hlo_find_number(&c->d, op->message, HLO_INSTRUCTION_FFT_TYPE);
	const struct hlo_value *result = hlo_result(c->program, op);
	const struct hlo_value *real = type == RFFT ? hlo_operand_value(c->program, op, 0) : result;
	double rounds = 0, n;

	hlo_read_numbers(&c->d, op->message, HLO_INSTRUCTION_FFT_LENGTH, &c->numbers);
	for (size_t i = 0; i < c->numbers.n; i++)
		if (c->numbers.at[i])
			rounds += log2((double)c->numbers.at[i]);
	n = 5 * (double)real->elements * rounds;
	if (type == RFFT || type == IRFFT)
		n /= 2;
	/* Powers of two have exact logarithms; the sum of others may be a little short. */
	cost->float_ops = n < (double)HLO_MOST ? (int64_t)(n + 1e-6) : HLO_MOST;
}

void hlo_rule_cholesky(struct hlo_counter *c, const struct hlo_op *op, struct hlo_cost *cost)
{
	const struct hlo_value *result = hlo_result(c->program, op);
	int64_t d = result->n_dims ? hlo_dim(c->program, result, result->n_dims - 1) : -1;

	cost->unknown = d < 0;
	cost->float_ops = d < 0 ? 0 : hlo_product(result->elements, d) / 3;
	cost->bytes /= 2;
}

void hlo_rule_triangular_solve(struct hlo_counter *c, const struct hlo_op *op,
	struct hlo_cost *cost)
{
	const struct hlo_value *a = hlo_operand_value(c->program, op, 0);
	const struct hlo_value *result = hlo_result(c->program, op);
	int64_t d = a->n_dims ? hlo_dim(c->program, a, a->n_dims - 1) : -1;

	cost->unknown = d < 0;
	cost->float_ops = d < 0 ? 0 : hlo_product(hlo_product(2, result->elements), d);
	cost->bytes = hlo_sum(a->bytes / 2, hlo_sum(operand_bytes(c, op, 1, 2), result->bytes));
}
