/* Which ops of a program take an op as an operand. */
#ifndef TFPROF_HLO_USERS_H
#define TFPROF_HLO_USERS_H

#include "hlo/program.h"

struct hlo_users {
	uint32_t *first; /* by op, in .at; one more than there are ops */
	uint32_t *at;    /* ops, in order */
};

/* False on allocation failure; clear in any case. */
bool hlo_users_find(struct hlo_users *u, const struct hlo_program *p);
void hlo_users_clear(struct hlo_users *u);

#endif
