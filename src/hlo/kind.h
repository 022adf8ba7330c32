/* What the time of an op is spent on, whatever the source calls it: a fusion of transposes is data
 * movement, also if it is named after a convolution. */
#ifndef TFPROF_HLO_KIND_H
#define TFPROF_HLO_KIND_H

#include "hlo/program.h"

/* The first that an op has in it counts. */
#define HLO_KINDS(X)                                                                   \
	X(MATMUL, "matmul")                                                            \
	X(CONVOLUTION, "convolution")                                                  \
	X(COLLECTIVE, "collective")                                                    \
	X(REDUCTION, "reduction")                                                      \
	X(PICK, "gather/scatter/sort")                                                 \
	X(OTHER, "other") /* transforms, solvers */                                    \
	X(ELEMENT, "element-wise")                                                     \
	X(CUSTOM, "custom call")                                                       \
	X(MOVE, "data movement")                                                       \
	X(WAITING, "waiting") /* for a copy or a collective that was started before */ \
	X(CONTROL, "control") /* loops, conditionals, calls: what they run has rows of its own */

enum hlo_kind {
#define X(id, text) HLO_KIND_##id,
	HLO_KINDS(X)
#undef X
		N_HLO_KINDS
};

extern const char *const hlo_kind_texts[];

/* Of one that is not a fusion, as far as its opcode tells. */
enum hlo_kind hlo_kind_of_opcode(enum hlo_opcode opcode);

/* By op. Zero is empty. */
struct hlo_kinds {
	uint8_t *of_op;
};

bool hlo_kinds_find(struct hlo_kinds *k, const struct hlo_program *p);
void hlo_kinds_clear(struct hlo_kinds *k);

/* Whether an operation copies from or to the host's memory. */
bool hlo_is_transfer(const struct hlo_program *p, const struct hlo_op *op);
/* Whether all that it does is to put values into another order: a transpose, a copy within the
 * device, or a fusion of transposes and copies. */
bool hlo_is_layout_change(const struct hlo_program *p, const struct hlo_op *op);
/* Whether it has a matrix product or convolution of 32-bit floating-point numbers in it. */
bool hlo_is_float32_product(const struct hlo_program *p, const struct hlo_op *op);

#endif
