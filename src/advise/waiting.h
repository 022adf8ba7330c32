/* How long tasks wait for tensors from others. */
#ifndef TFPROF_ADVISE_WAITING_H
#define TFPROF_ADVISE_WAITING_H

#include "advise/activity.h"

/* Over the steps in which the task received something. */
struct waiting {
	int64_t n_steps, span_us;
	int64_t wait_us; /* in RecvTensor, while nothing of the task ran */
};

/* By task: `waiting` has room for all of them and is zero. False when memory
 * is out. */
bool waiting_find(struct waiting *waiting, const struct activity *a);

#endif
