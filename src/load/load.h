/* Bytes to a model: one loader for each kind of input (inputs.h), each in its own
 * file. A loader adds all of its input, or nothing: what it added before a failure it takes
 * back (model_truncate_nodes()). For kinds that come by step or are extras, and for graphs read
 * strictly, load_any() does so (model/undo.h). A trace is read before any of it is added; what
 * was added stays if memory runs out then. */
#ifndef TFPROF_LOAD_LOAD_H
#define TFPROF_LOAD_LOAD_H

#include "load/counts.h"
#include "load/input.h"
#include "model/model.h"

/* An input being loaded. */
struct load {
	const struct tfprof_input *in;
	enum input_kind kind;
	struct source source; /* its bytes, unless it is a path to files */
	int64_t step;         /* of a kind that comes by step */
	struct buf *notes;    /* gets lines for the user */
	struct load_counts counts;
};

/* Opens the input as the model is to be read (enum tfprof_reading): what is whole of it, or
 * only if it has nothing that its type does not have. */
enum tfprof_status load_open(struct load *l, const struct model *m, struct tfprof_error *err);
/* An error if the model is read strictly, and some of the input was ignored. */
enum tfprof_status load_check(const struct load *l, const struct model *m,
	struct tfprof_error *err);

/* The same for any field at any depth that its type does not have, before it is loaded. */
enum tfprof_status load_audit(const struct tfprof_input *in, enum input_kind kind,
	const struct source *s, struct tfprof_error *err);

/* A loader may keep the source (model_keep). Its bytes may be anything, also none: the kind
 * is what the caller said, and only if it did not, what they look like. */
typedef enum tfprof_status load_fn(struct model *m, struct load *l, struct tfprof_error *err);

#define X(id, name, ...) load_fn load_##name;
INPUTS(X)
#undef X

/* Opens and loads an input; INPUT_UNKNOWN is recognized by its content. */
enum tfprof_status load_any(struct model *m, enum input_kind *kind, const struct tfprof_input *in,
	int64_t step, struct buf *notes, struct tfprof_error *err);
/* The same for a kind that is known. */
enum tfprof_status load_input(struct model *m, enum input_kind kind, const struct tfprof_input *in,
	int64_t step, struct buf *notes, struct tfprof_error *err);

/* Adds one step, all or nothing: a graph, run metadata, an op log, in this order;
 * graph and op log may be NULL. */
enum tfprof_status load_step(struct model *m, int64_t step, const struct tfprof_input *graph,
	const struct tfprof_input *run_meta, const struct tfprof_input *op_log, struct buf *notes,
	struct tfprof_error *err);

/* A model is loaded or complete; only a complete one has edges, outputs and their
 * shapes. Most inputs make it complete. A saved profile leaves these in its bytes, for
 * this function to read. Call it before using any of them. On failure the model is
 * unchanged. */
enum tfprof_status model_complete(struct model *m, struct tfprof_error *err);

static inline bool model_is_complete(const struct model *m)
{
	return !m->flow.is_pending;
}

/* Counts the float operations of nodes of loaded graphs that have none, and sets shapes of
 * outputs and parameters of frozen graphs, which files do not have. What a node calls is its
 * own. */
enum tfprof_status model_count_float_ops(struct model *m, struct buf *notes,
	struct tfprof_error *err);

/* Keeps what could not be counted for totals to say. False on allocation failure. */
struct uncounted;
bool model_keep_uncounted(struct model *m, struct uncounted *u);

/* Marks the nodes from index `from` on that have a tensor in the checkpoint. */
bool model_mark_checkpoint(struct model *m, size_t from);

/* Run metadata in two halves: finding its entries changes nothing; adding them may fail
 * halfway, at a damaged one, so the caller takes back what was added (model/undo.h). */
struct run_meta;
enum tfprof_status run_meta_read(struct run_meta **rm, struct load *l, struct tfprof_error *err);
enum tfprof_status run_meta_apply(struct run_meta *rm, struct model *m, struct load *l,
	struct tfprof_error *err);
void run_meta_free(struct run_meta *rm);

/* Checks an op log without adding it. */
enum tfprof_status op_log_check(const struct load *l, struct tfprof_error *err);

/* Whether an entry is of a node of a function, "node@function" as in TensorFlow's debug
 * information. It waits for a trace in which the function ran. */
static inline bool op_log_is_of_function(struct span name)
{
	return name.n && memchr(name.at, '@', name.n);
}

/* Adds an entry of an op log that the model keeps to a node. False on allocation failure. */
bool op_log_add_entry(struct model *m, size_t source, uint32_t node, struct span message);

#endif
