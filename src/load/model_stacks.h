/* The call stacks of what a model file runs: the debug information in its graph, and what
 * TensorFlow saved beside it (debug_info.h). */
#ifndef TFPROF_LOAD_MODEL_STACKS_H
#define TFPROF_LOAD_MODEL_STACKS_H

#include "load/debug_info.h"

struct model_stacks {
	struct debug_info infos[2];
	size_t n;
	struct source beside;
};

/* `in_graph` may be empty, and is of the load's source. A file beside the model that is damaged
 * is an error, or a note if what is whole is taken. Clear in any case. */
enum tfprof_status model_stacks_read(struct model_stacks *s, const struct model *m,
	const struct load *l, struct span in_graph, struct tfprof_error *err);
enum tfprof_status model_stacks_keep(struct model_stacks *s, struct model *m,
	struct tfprof_error *err);
void model_stacks_clear(struct model_stacks *s);

/* Gives a node the stack of what it is in the file, unless it has one. */
void model_stacks_set(const struct model_stacks *s, struct model *m, uint32_t node,
	struct span name, struct span function);

#endif
