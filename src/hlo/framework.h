/* What the source calls an op of a compiled program, also where the compiler has lost it.
 *
 *     fusion.3 = fusion(…)              no op_name of its own
 *       └─ convert ◄─ multiply  ◄─ …    the first op_name with a '/', from the root through
 * operands
 *
 * Names without a '/' are arguments of the function ("x", "args[0]"): nobody wrote an operation of
 * that name. */
#ifndef TFPROF_HLO_FRAMEWORK_H
#define TFPROF_HLO_FRAMEWORK_H

#include "hlo/program.h"

/* The op whose op_name is that of `op`: itself, or a member of a fusion; NONE if there is none.
 * *ok is set to false on allocation failure. */
uint32_t hlo_find_named(const struct hlo_program *p, uint32_t op, bool *ok);

/* The matrix product or convolution, else the reduction, scatter, gather or sort that a fusion is
 * there for. By block; zero is empty. */
struct hlo_heroes {
	uint32_t *of_block; /* an op; NONE */
};

bool hlo_heroes_find(struct hlo_heroes *h, const struct hlo_program *p);
void hlo_heroes_clear(struct hlo_heroes *h);

/* The hero of a fusion; NONE if `op` is no fusion or has none. */
uint32_t hlo_find_hero(const struct hlo_program *p, const struct hlo_heroes *h, uint32_t op);

/* Whether a type is only about layout ("transpose", "reshape"). */
bool hlo_is_layout_type(struct span type);

/* The opcode that a fusion stands for: of its hero, or of the member next to its root that does
 * more than pass on a value. Of another op, its own. */
struct span hlo_get_opcode(const struct hlo_program *p, const struct hlo_heroes *h, uint32_t op);

#endif
