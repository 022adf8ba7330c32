/* When the ops of a program run, one after the other, and how long their values live.
 *
 *     entry:  a   while ──────────────────────────────┐   b
 *     time:   0   1 2 condition │ 3 4 5 body │ 6 while│   7      */
#ifndef TFPROF_HLO_SCHEDULE_H
#define TFPROF_HLO_SCHEDULE_H

#include "hlo/same.h"

struct hlo_life {
	uint32_t first, last; /* times; first > last: never */
};

struct hlo_schedule {
	uint32_t *time;         /* by op; NONE: it does not run by itself */
	VEC(uint32_t) ops;      /* by time */
	struct hlo_life *lives; /* by set of values */
};

bool hlo_schedule_read(struct hlo_schedule *s, const struct hlo_program *p,
	const struct hlo_same *same);
void hlo_schedule_clear(struct hlo_schedule *s);

#endif
