/* Copies and collectives of accelerators: how long they are in flight, and how much of that nothing
 * hides (accelerator_transfer). */
#ifndef TFPROF_LOAD_XPLANE_TRANSFERS_H
#define TFPROF_LOAD_XPLANE_TRANSFERS_H

#include "load/xplane/apply.h"

struct transfer_sum {
	uint32_t target;
	struct accelerator_transfer found;
};

/* What was begun in a run and has not been waited for. */
struct transfer_begun {
	uint32_t target;
	int64_t start_ps;
};

/* One execution of a collective, on one device. */
struct collective_run {
	uint32_t sum, device;
	size_t order;
	int64_t exposed_ps;
};

struct transfers {
	struct apply *apply;
	VEC(struct transfer_sum) at;
	uint32_t *sum_of; /* by target: its place + 1; 0: none */
	VEC(struct transfer_begun) begun;
	VEC(struct collective_run) collectives;
};

/* These return false on allocation failure. */
bool transfers_init(struct transfers *x, struct apply *a);
void transfers_clear(struct transfers *x);

/* Operations of a core, in order of time; a run of a program begins, which is not waited for in
 * others. */
void transfers_begin_run(struct transfers *x);
bool transfers_add(struct transfers *x, const struct trace_op *op, uint32_t device);
/* All streams of a GPU. */
bool transfers_add_gpu(struct transfers *x, uint32_t device);

/* Whether a target is a collective, or waits for one. */
bool transfers_is_collective(const struct trace *t, uint32_t target);
/* … of a GPU: by the name of its kernel, too. */
bool transfers_is_collective_kernel(const struct trace *t, const struct trace_device_op *op,
	uint32_t target);

/* Adds all of them to the model. */
bool transfers_put(struct transfers *x);

#endif
