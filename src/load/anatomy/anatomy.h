/* A trace (XSpace), or what run metadata told → the anatomy of steps. */
#ifndef TFPROF_LOAD_ANATOMY_ANATOMY_H
#define TFPROF_LOAD_ANATOMY_ANATOMY_H

#include "base/error.h"
#include "model/anatomy.h"
#include "model/source.h"

/* `function`: each call of it is a step; empty to use markers, or find it. Clear the anatomy in
 * any case. Malformed bytes are an error, and so is a file that changed meanwhile. */
enum tfprof_status anatomy_read_source(struct anatomy *a, const struct source *from,
	struct span function, struct tfprof_error *err);

struct model;

/* The same with its first `most` moments. They have none if steps are by the clock of a device,
 * which that of the host has nothing in common with. */
enum tfprof_status anatomy_read_moments(struct anatomy *a, const struct source *from, size_t most,
	struct tfprof_error *err);

/* Of a model without traces, by its executions. */
enum tfprof_status anatomy_read_runs(struct anatomy *a, const struct model *m,
	struct tfprof_error *err);

#endif
