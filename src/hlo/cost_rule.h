/* Rules by which the cost of an op is counted, for cost.c. */
#ifndef TFPROF_HLO_COST_RULE_H
#define TFPROF_HLO_COST_RULE_H

#include "hlo/cost.h"

/* How much of a parameter the members of a fusion read. */
struct hlo_use {
	uint32_t parameter; /* whose value the op passes on, as an op; NONE */
	bool is_whole;
	int64_t read;
};

struct hlo_counter {
	const struct hlo_program *program;
	const struct hlo_cost *of_block; /* costs of the blocks that the op calls */
	struct decoder d;
	hlo_numbers numbers, more; /* scratch */
	VEC(struct hlo_use) uses;  /* scratch, by op of a fused block */
	int64_t *fused_bytes;      /* by block, once asked for; -1 */
	int64_t budget;            /* for windows, see window.h */
};

/* Gets the cost of an op that only reads its operands and writes its result, and changes what is
 * different. */
typedef void hlo_rule(struct hlo_counter *c, const struct hlo_op *op, struct hlo_cost *cost);

/* cost_rules.c */
hlo_rule hlo_rule_element, hlo_rule_transcendental, hlo_rule_nothing, hlo_rule_move,
	hlo_rule_copy_start, hlo_rule_slice, hlo_rule_update_slice, hlo_rule_gather,
	hlo_rule_scatter, hlo_rule_reduce, hlo_rule_map, hlo_rule_sort, hlo_rule_fft,
	hlo_rule_cholesky, hlo_rule_triangular_solve;
/* cost_product.c */
hlo_rule hlo_rule_dot, hlo_rule_ragged_dot, hlo_rule_convolution, hlo_rule_reduce_window,
	hlo_rule_select_and_scatter;
/* cost_collective.c */
hlo_rule hlo_rule_all_reduce, hlo_rule_collective;
/* cost_call.c */
hlo_rule hlo_rule_custom_call;
/* cost_fusion.c */
hlo_rule hlo_rule_fusion;

/* A convolution whose input, kernel and output are these values. */
void hlo_count_convolution(struct hlo_counter *c, const struct hlo_op *op,
	const struct hlo_value *input, const struct hlo_value *kernel,
	const struct hlo_value *output, struct hlo_cost *cost);

/* Adds the cost of running a block, but no bytes. */
static inline void hlo_add_calls(const struct hlo_counter *c, const struct hlo_op *op, int64_t n,
	struct hlo_cost *cost)
{
	uint32_t block = hlo_callee(c->program, op, 0);

	if (block == NONE || n <= 0)
		return;
	hlo_add(&cost->float_ops, hlo_product(n, c->of_block[block].float_ops));
	hlo_add(&cost->matrix_float_ops, hlo_product(n, c->of_block[block].matrix_float_ops));
	hlo_add(&cost->padding_float_ops, hlo_product(n, c->of_block[block].padding_float_ops));
	hlo_add(&cost->transcendentals, hlo_product(n, c->of_block[block].transcendentals));
	cost->unknown |= c->of_block[block].unknown > 0;
}

#endif
