/* What instructions of a compiled program cost, counted from their shapes.
 *
 *     struct hlo_costs costs = {0};
 *     if (!hlo_costs_count(&costs, &program)) → allocation failed
 *     costs.of_op[i], costs.of_block[b], costs.total
 *     hlo_costs_clear(&costs);
 *
 * A fusion costs what is in it. Loops, conditionals and calls cost nothing: what they run are ops
 * of their own. The cost of a block includes what its loops run: as often as the compiler knows
 * that they do, or once; then it is also unknown. opcodes.h says which opcode has which rule. */
#ifndef TFPROF_HLO_COST_H
#define TFPROF_HLO_COST_H

#include "hlo/program.h"

struct hlo_cost {
	int64_t float_ops;        /* arithmetic, one per element; also of integers */
	int64_t matrix_float_ops; /* the part of float_ops in matrix products and convolutions */
	/* Products with the padding of convolutions, which the compiler leaves out; operations of
	 * a graph count them. */
	int64_t padding_float_ops;
	int64_t transcendentals;
	int64_t bytes;      /* read and written */
	int64_t sent_bytes; /* between devices, from each */
	int64_t unknown;    /* ops whose float operations cannot be counted, and such loops */
};

struct hlo_costs {
	struct hlo_cost *of_op, *of_block, total;
};

bool hlo_costs_count(struct hlo_costs *c, const struct hlo_program *p);
void hlo_costs_clear(struct hlo_costs *c);

/* How often a loop runs, if the compiler knew; -1. */
int64_t hlo_trip_count(const struct hlo_op *loop);

#endif
