/* Which values of a program are the same memory: a tuple's elements are its operands, a loop's
 * result is what it was given and what its body makes, …
 *
 * A set of values that are the same is named by one of them. */
#ifndef TFPROF_HLO_SAME_H
#define TFPROF_HLO_SAME_H

#include "hlo/program.h"

struct hlo_same {
	uint32_t *set; /* by value */
};

bool hlo_same_find(struct hlo_same *s, const struct hlo_program *p);
void hlo_same_clear(struct hlo_same *s);

#endif
