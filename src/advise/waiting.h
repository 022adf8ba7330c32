/* How long tasks wait for tensors from others. */
#ifndef TFPROF_ADVISE_WAITING_H
#define TFPROF_ADVISE_WAITING_H

#include "advise/activity.h"

/* Sums over the steps in which the task received a tensor. */
struct waiting {
	int64_t n_steps, span_us;
	int64_t wait_us; /* in RecvTensor while nothing else of the task ran */
};

/* `waiting` must have a zeroed item per task. False on allocation failure. */
bool waiting_find(struct waiting *waiting, const struct activity *a);

#endif
