/* The ways data went: links over which tasks sent each other tensors, and the
 * copies between hosts and their accelerators. */
#ifndef TFPROF_ADVISE_LINKS_H
#define TFPROF_ADVISE_LINKS_H

#include "advise/activity.h"

struct link {
	enum transfer_kind kind;
	uint32_t from, to; /* tasks, of TRANSFER_TENSOR; from may be NONE */
	uint32_t device;   /* of copies: the copy engine */
	int64_t n_steps;   /* in which it was used: a task's entries of a step are missing
			      now and then, which must not thin out the figures */
	int64_t n_transfers, bytes;
	int64_t time_us; /* of all transfers together */
	int64_t busy_us; /* in which some transfer ran */
	const struct moved *longest;
};

typedef VEC(struct link) links_vec;

/* By time, longest first: of tensors, or of copies, one for each engine and
 * direction. False when memory is out. */
bool links_find(links_vec *links, const struct activity *a, bool copies);

#endif
