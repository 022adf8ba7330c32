/* What ran on accelerators: what launched it, and which kernels are one execution.
 *
 *     host     hipModuleLaunchKernel ── correlation id 31      a launch: no execution
 *     stream   gemm_1  gemm_2  add                             3 kernels, 2 executions
 *
 * An operation may take several kernels. They are one execution if they follow each other on a
 * stream within one run of their program. */
#ifndef TFPROF_LOAD_XPLANE_DEVICE_OP_H
#define TFPROF_LOAD_XPLANE_DEVICE_OP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"
#include "load/xplane/stats.h"

struct trace;
struct trace_op;

/* The call of the host that made something run on a device. */
struct trace_launch {
	uint64_t id; /* of correlation */
	int64_t start_ps, duration_ps;
	int64_t device; /* as the driver numbers it; -1: not recorded */
	struct span name;
	uint32_t op;     /* of TensorFlow, around it; NONE */
	uint32_t target; /* … what it is of; NONE */
};

/* The host begins a compiled program on a GPU. */
struct trace_mark {
	int64_t start_ps, end_ps;
};

/* Beside an operation of an accelerator's line (trace_line.first_device_op). */
struct trace_device_op {
	int64_t host_start_ps; /* by the host's clock; the operation's times are the device's */
	uint32_t launch;       /* NONE: not known */
	uint32_t kernel;       /* text: its name, of a GPU; 0 */
	uint32_t details;    /* text: its grid, the size of a copy and the like; 0: not recorded */
	uint32_t group : 30; /* of the step that it is of, as recorded, + 1; 0: not recorded */
	bool continues : 1; /* no execution begins with it: that before it on its line does not end,
			       or an event of the host is it */
	bool is_next : 1;   /* it is of another execution than that before it on its line */
	bool is_launched_along : 1; /* another of its launch comes before it */
};

/* Prepares for lookups, once all hosts have been walked. */
void trace_sort_launches(struct trace *t);
/* What launched that which starts at a time on a device, by correlation id; NONE. If several have
 * the id, as when recordings of processes are joined: the last before that time, of the device if
 * the driver numbers devices likewise. */
uint32_t trace_find_launch(const struct trace *t, uint64_t id, int64_t ordinal, int64_t start_ps);

/* Finds which kernels continue an execution. False on allocation failure. */
bool trace_find_executions(struct trace *t);

/* The number of a step that a device recorded: as its event says, at the end of its name ("12",
 * "train 12"), or its group's; or its place among them. */
int64_t device_step_number(const struct xstats *s, struct span name, int64_t place);

/* Where nothing else tells steps, events of a device of one group are one, from the first to the
 * last. False on allocation failure. */
bool trace_use_groups(struct trace *t);
/* By step, the place of what a device recorded of it, + 1; 0 if it did not. NULL on allocation
 * failure. */
uint32_t *trace_list_device_steps(const struct trace *t, uint32_t device);
/* Notes that an operation ran in one. */
void trace_extend_device_step(struct trace *t, uint32_t place, const struct trace_op *op);

/* Tells operations of several programs that have one name apart, by shapes or program. False on
 * allocation failure. */
bool trace_tell_programs_apart(struct trace *t);

#endif
