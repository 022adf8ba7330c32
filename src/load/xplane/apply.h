/* From what a trace tells to a model. */
#ifndef TFPROF_LOAD_XPLANE_APPLY_H
#define TFPROF_LOAD_XPLANE_APPLY_H

#include "load/xplane/trace.h"
#include "model/model.h"

struct apply {
	struct model *model;
	struct trace *trace;
	struct span host;    /* its name */
	int64_t base_ns;     /* when picosecond 0 of the trace was */
	uint32_t *nodes;     /* by target */
	uint32_t *devices;   /* string ids, by device */
	uint32_t *lanes;     /* of the model, by line */
	size_t first_new;    /* nodes from here on were made for the trace */
	uint64_t n_outside;  /* operations outside all steps … */
	uint64_t outside_ps; /* … and how long they took */
	struct buf scratch;
};

/* Makes nodes, devices and lanes of the targets and lines. These return false on
 * allocation failure. */
bool apply_targets(struct apply *a);
/* Adds the operations to their nodes. */
bool apply_ops(struct apply *a);
/* Adds what compiled programs tell of the nodes: edges, shapes, call stacks, … */
enum tfprof_status apply_modules(struct apply *a, struct tfprof_error *err);
/* Adds memory. */
bool apply_memory(struct apply *a);

void apply_clear(struct apply *a);

#endif
