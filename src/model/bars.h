/* What a viewer draws of a lane: executions wide enough to see, and the narrow ones
 * between them joined.
 *
 *     events    |██████| |||| || |||||████|
 *     bars    |██████| |▒▒▒▒▒▒▒▒▒▒▒▒▒|████|     ▒ n executions, busy so long
 *
 * Found in time that grows with the number of bars, not of executions, so that a
 * lane of a million can be drawn at any width. */
#ifndef TFPROF_MODEL_BARS_H
#define TFPROF_MODEL_BARS_H

#include "model/events.h"

struct bar {
	uint32_t row;    /* the execution or, of several, the longest that was looked at */
	uint32_t n_rows; /* joined into it */
	int64_t start_us, end_us;
	int64_t busy_us;
};

/* Non-zero stops. */
typedef int bar_fn(void *context, const struct bar *bar);

/* The bars of a lane that overlap [from_us, until_us), by start. Executions shorter
 * than min_us are joined with those that start within min_us after them. Needs
 * events_sum(). */
void bars_find(const struct events *e, uint32_t lane, int64_t from_us, int64_t until_us,
	int64_t min_us, bar_fn *fn, void *context);

#endif
