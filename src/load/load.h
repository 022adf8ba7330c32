/* The loaders: each adds all of its input to a model, or nothing. */
#ifndef TFPROF_LOAD_LOAD_H
#define TFPROF_LOAD_LOAD_H

#include "model/model.h"

/* Steps of `add`: graph, then run metadata, then op log; each may be NULL. */
enum tfprof_status model_add_graph(struct model *m, const struct tfprof_input *in,
	struct tfprof_error *err);
enum tfprof_status model_add_op_log(struct model *m, const struct tfprof_input *in,
	struct tfprof_error *err);
enum tfprof_status model_load_profile(struct model *m, const struct tfprof_input *in,
	struct tfprof_error *err);

/* Reads the edges of a loaded profile, unless they are there; with shapes also
 * its outputs and which of them edges come from. Who looks at any of these calls
 * this first. */
enum tfprof_status model_read_flow(struct model *m, bool shapes, struct tfprof_error *err);

/* Takes the place of a checkpoint added before. Nodes that come later are
 * marked by the second. */
enum tfprof_status model_add_checkpoint(struct model *m, const char *path,
	struct tfprof_error *err);
bool model_mark_checkpoint(struct model *m, size_t from);

/* Run metadata in two halves, so that a step can be taken back before it
 * changed anything. */
struct run_meta;
enum tfprof_status run_meta_read(struct run_meta **rm, const struct tfprof_input *in, int64_t step,
	struct tfprof_error *err);
/* `notes` gets lines for the user (entries without a start time). */
enum tfprof_status run_meta_apply(struct run_meta *rm, struct model *m, int64_t step,
	struct buf *notes, struct tfprof_error *err);
void run_meta_free(struct run_meta *rm);

/* Checks an op log without adding it. */
enum tfprof_status op_log_check(const struct tfprof_input *in, struct tfprof_error *err);

#endif
