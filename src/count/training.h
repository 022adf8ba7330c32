/* An estimate of the memory that a training step takes: what its forward pass keeps for the
 * backward pass (keep.h), the gradients, and the largest moment of the backward pass.
 *
 *     record        forward: kept            backward, in reverse: alive
 *     0 Conv2D      y0                       y0 + dx, dy + gradients of 1 and 2
 *     1 ReLU        y1                       y0, y1 + dx, dy + gradients of 2
 *     2 Dense       (y1 is kept already)     y0, y1 + dx, dy of the loss
 *
 * It is that of a step compiled by XLA for CPUs, where arguments are updated in place: gradients
 * live until all are known. What nothing trainable comes before needs no backward pass. */
#ifndef TFPROF_COUNT_TRAINING_H
#define TFPROF_COUNT_TRAINING_H

#include "count/walk.h"

/* A step of the backward pass. */
struct training_part {
	int64_t kept;      /* that were made here, and what is inside */
	int64_t gradients; /* of its weights */
};

struct training {
	struct training_part *parts; /* by record */
	int64_t kept, gradients, indices;
	/* The largest moment. */
	size_t peak; /* its record; SIZE_MAX: there is no backward pass */
	int64_t peak_kept, peak_gradients, peak_scratch;
	size_t n_unknown; /* layers without a rule */
	bool has_loop;    /* what turns of loops keep is counted by operation, and is more */
};

/* Bytes per element, relative to those of the file, as a fraction of `whole`. */
struct training_scale {
	int activations, gradients, whole;
};

/* Of a walk that kept all and is finished. False on allocation failure; clear in any case. */
bool training_estimate(struct training *t, const struct walk *w, const struct training_scale *scale,
	bool all_is_trainable);
void training_clear(struct training *t);

#endif
