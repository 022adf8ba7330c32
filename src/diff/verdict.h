/* The numbers of a comparison, and what can be said of them. */
#ifndef TFPROF_DIFF_VERDICT_H
#define TFPROF_DIFF_VERDICT_H

#include "diff/diff.h"

/* What p must not exceed. */
#define DIFF_ALPHA 0.05

/* Fills `numbers` of all rows, whose first is the total. The total has a test of its own;
 * the other rows have many tests, which are corrected for that. False on allocation
 * failure. */
bool verdicts_make(struct diff *d);

#endif
