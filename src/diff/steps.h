/* How long steps of traces take on two sides, and what that time goes to (model/anatomy.h).
 *
 * If a side has one run, its steps are the sample; if both have several, their means are. */
#ifndef TFPROF_DIFF_STEPS_H
#define TFPROF_DIFF_STEPS_H

#include "diff/diff_sum.h"
#include "model/anatomy.h"

/* What is compared of a step: times in nanoseconds, then shares of the wall in millionths. */
enum { STEP_WALL, STEP_GAP, STEP_SHARES, N_STEP_VALUES = STEP_SHARES + N_ANATOMY_PARTS };

struct step_values {
	int64_t at[N_STEP_VALUES];
};

struct step_side {
	VEC(struct step_values) steps, runs; /* runs: means of their steps */
	struct span causes[N_ANATOMY_PARTS]; /* the largest of each part, of the last run */
	struct arena arena;
};

void step_side_clear(struct step_side *s);

/* Adds the steady steps of a run, or the one of this number if it is not negative. False on
 * allocation failure. */
bool step_side_add(struct step_side *s, const struct anatomy *a, int64_t only);

/* Compares medians of a value. Without steps on a side nothing is decidable. False on allocation
 * failure. */
bool step_sides_compare(const struct step_side *base, const struct step_side *new_side,
	unsigned value, struct diff_sum *sum);

/* "step 20.1 ms to 22.5 ms, +12 %: input +9 points (MapDataset:1), compute unchanged"; nothing
 * without steps on both sides. False on allocation failure. */
bool step_sides_put(const struct step_side *base, const struct step_side *new_side, struct buf *b);

#endif
