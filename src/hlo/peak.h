/* What is alive in an arena when it is fullest. */
#ifndef TFPROF_HLO_PEAK_H
#define TFPROF_HLO_PEAK_H

#include "hlo/buffers.h"
#include "hlo/schedule.h"

struct hlo_peak {
	int64_t bytes;
	struct span at;     /* the op that reaches it, the first to; empty: none */
	VEC(uint32_t) live; /* buffers */
};

/* As the compiler's heap went: values that share a place count once. False on allocation failure;
 * clear in any case. */
bool hlo_peak_of_heap(struct hlo_peak *peak, const struct hlo_buffers *b, uint32_t trace);

/* Without that: by the lives of values in the order of the schedule. Counts bytes that are covered
 * by any of them. */
bool hlo_peak_of_schedule(struct hlo_peak *peak, const struct hlo_program *p,
	const struct hlo_buffers *b, const struct hlo_same *same, const struct hlo_schedule *s,
	uint32_t allocation);

void hlo_peak_clear(struct hlo_peak *peak);

#endif
