/* What the steps of a profile's traces went to (model/anatomy.h), for checkers. */
#ifndef TFPROF_ADVISE_PARTS_H
#define TFPROF_ADVISE_PARTS_H

#include "advise/advise.h"
#include "load/anatomy/hosts.h"

/* Sums over the steps that stand for the rest, as the headline of a step has them. */
struct step_parts {
	enum tfprof_status status; /* of reading the traces */
	struct tfprof_error error;
	struct anatomy_hosts hosts;
	const struct anatomy *anatomy; /* NULL: no trace, or no steps in it */
	struct anatomy_total total;
	anatomy_cause_list causes, gap_causes;
	double period_us; /* from a step to the next: wall and gap */
};

/* Made on first use. *parts is NULL if there are no traces, or no steps in them. */
enum tfprof_status check_parts(struct check *c, const struct step_parts **parts,
	struct tfprof_error *err);
/* Sets the length of each step to its wall, as far as traces tell it. */
void check_set_walls(struct check *c, struct activity *a);
/* What the host did while an accelerator waited for it; NULL: not known. */
const struct anatomy_late *check_late(struct check *c, struct span device);
void step_parts_clear(struct step_parts *parts);

/* Where to look for a part. */
enum part_place { IN_STEPS = 1, IN_GAPS = 2, IN_BOTH = 3 };

struct part_time {
	double share;    /* of the period */
	double micros;   /* per step */
	bool is_unusual; /* without one of the steps, the share is less than half of that */
};
/* N_ANATOMY_PARTS: all of them. */
struct part_time parts_measure(const struct step_parts *parts, enum part_place place,
	unsigned part);

/* ": 8.04ms of 20.10ms per step (40%)". */
void parts_put_time(const struct step_parts *parts, struct part_time time, struct buf *b);
/* "; most in CAUSE, 7.98ms" of the largest cause, or nothing. NULL if there is none. */
const struct anatomy_cause *parts_put_cause(const struct step_parts *parts,
	const anatomy_cause_list *causes, unsigned part, struct buf *b);
/* "; 740.21ms longer than usual: tracing and compiling (CAUSE)", if what a step did besides
 * computing explains half of this excess. Otherwise false. */
bool parts_put_excess(const struct step_parts *parts, struct check *c, int64_t step,
	int64_t excess_us, struct buf *b);
/* Where a cause is: a line of Python, an operation, or a stage of an input pipeline. */
struct place check_cause(struct check *c, const struct step_parts *parts,
	const struct anatomy_cause *cause);

#endif
