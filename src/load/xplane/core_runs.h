/* Runs of programs on a core, told from what ran on it.
 *
 *     XLA Modules   ├ jit_f(7) ───────┤   ├ jit_f(7) ───────┤      where it is recorded
 *     XLA Ops    c d├ a ┤├ b ┤├ c ┤├ d┤   ├ a ┤├ b ┤├ c ┤├ d┤      c, d: of no run
 *
 * Where it is not, a run begins with another program, and when an instruction runs again: it does
 * so once in a run, unless it is within another. */
#ifndef TFPROF_LOAD_XPLANE_CORE_RUNS_H
#define TFPROF_LOAD_XPLANE_CORE_RUNS_H

#include "load/xplane/trace.h"

struct core_runs {
	const struct trace *t;
	const struct trace_line *line;
	size_t first, end; /* recorded runs of the device; none: first == end */
	uint32_t *seen_in; /* by target: the run that it was last seen in */
	uint32_t n;        /* runs so far, of all lines */
	uint64_t program;  /* of the last */
	size_t recorded;   /* the place of the last */
	bool is_in_run;    /* what came last is of it */
	int64_t around_ps; /* the end of what lies within nothing */
};

enum core_run { RUN_NONE, RUN_BEGINS, RUN_CONTINUES };

/* These return false on allocation failure. Once for a trace. */
bool core_runs_init(struct core_runs *r, struct trace *t);
void core_runs_clear(struct core_runs *r);

void core_runs_begin_line(struct core_runs *r, const struct trace_line *line);
/* What the next operation of the line is to a run. */
enum core_run core_runs_add(struct core_runs *r, size_t op);

/* Counts the runs of each core that records none. False on allocation failure. */
bool core_runs_count(struct trace *t);

#endif
