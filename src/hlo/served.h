/* What an op that the compiler added is for. It has no line of its own: a copy from the host's
 * memory serves the op that takes its result.
 *
 *     parameter ── copy-start.2 ── copy-done.2 ── fusion.1   jit(f)/add, train.py:29
 *                       └──────────────┴───────────┘ serve */
#ifndef TFPROF_HLO_SERVED_H
#define TFPROF_HLO_SERVED_H

#include "hlo/users.h"

/* The nearest op with a line that takes what it makes, or else the nearest that made what it takes;
 * the other way round if it takes something `away`, as to the host. NONE: there is none. */
uint32_t hlo_find_served(const struct hlo_program *p, const struct hlo_users *users, uint32_t op,
	bool away);

#endif
