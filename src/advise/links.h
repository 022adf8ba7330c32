/* Links over which tasks sent each other tensors, and copies between hosts and their
 * accelerators. */
#ifndef TFPROF_ADVISE_LINKS_H
#define TFPROF_ADVISE_LINKS_H

#include "advise/activity.h"

struct link {
	enum transfer_kind kind;
	uint32_t from, to; /* TRANSFER_TENSOR: tasks; from may be NONE */
	uint32_t device;   /* copies: the copy engine */
	int64_t n_steps;   /* steps in which it was used: a task's entries of a step are
			      sometimes missing, which must not lower the averages */
	int64_t n_transfers, bytes;
	int64_t time_us; /* sum of all transfers */
	int64_t busy_us; /* time in which any transfer ran */
	const struct step_transfer *longest;
};

typedef VEC(struct link) links_vec;

/* Finds the links of tensors or, if `copies`, one per copy engine and direction, by
 * time, longest first. False on allocation failure. */
bool links_find(links_vec *links, const struct activity *a, bool copies);

#endif
