#include "load/load.h"

#include "model/undo.h"

static load_fn *const loaders[] = {
#define X(id, name, ...) load_##name,
	INPUTS(X)
#undef X
};

/* Other loaders take back what they added themselves. */
static bool needs_undo(enum input_kind kind)
{
	return kind == INPUT_RUN_META || kind == INPUT_OP_LOG;
}

static enum tfprof_status load_or_undo(struct model *m, struct load *l, struct tfprof_error *err)
{
	struct model_undo undo;
	enum tfprof_status status;

	if (!needs_undo(l->kind))
		return loaders[l->kind](m, l, err);
	if (!model_undo_begin(&undo, m, l->step, l->kind == INPUT_OP_LOG))
		return error_no_memory(err);
	status = loaders[l->kind](m, l, err);
	if (status == TFPROF_OK)
		model_undo_end(&undo);
	else
		model_undo(&undo, m);
	return status;
}

/* What the model did not take of a file. Memory without a name comes from a program that
 * knows what it gives. */
static void note_counts(const struct load *l)
{
	bool adds = input_get_info(l->kind)->traits & TFPROF_INPUT_BY_STEP;

	if (l->in->path)
		counts_put(&l->counts, l->in->path, adds ? "added as nodes" : "skipped", l->notes);
}

enum tfprof_status load_any(struct model *m, enum input_kind *kind, const struct tfprof_input *in,
	int64_t step, struct buf *notes, struct tfprof_error *err)
{
	struct load l = {.in = in,
		.kind = *kind,
		.step = step,
		.notes = notes,
		.counts = {.n_entries = UNCOUNTED}};
	enum tfprof_status status = input_open(&l.source, in, &l.kind, err);

	if (status == TFPROF_OK)
		status = model_index_names(m) ? load_or_undo(m, &l, err) : error_no_memory(err);
	if (status == TFPROF_OK)
		note_counts(&l);
	source_close(&l.source);
	*kind = l.kind;
	return status;
}

enum tfprof_status load_input(struct model *m, enum input_kind kind, const struct tfprof_input *in,
	int64_t step, struct buf *notes, struct tfprof_error *err)
{
	return load_any(m, &kind, in, step, notes, err);
}

/* ---- steps ------------------------------------------------------------------- */

static bool is_given(const struct tfprof_input *in)
{
	return in && (in->path || in->data);
}

static enum tfprof_status open_given(struct load *l, struct tfprof_error *err)
{
	return is_given(l->in) ? input_open(&l->source, l->in, &l->kind, err) : TFPROF_OK;
}

/* Everything is checked before anything is added. */
static enum tfprof_status add_step(struct model *m, struct load *graph, struct load *run,
	struct load *op_log, struct tfprof_error *err)
{
	struct run_meta *rm = NULL;
	enum tfprof_status status = run_meta_read(&rm, run, err);

	if (status == TFPROF_OK)
		status = open_given(op_log, err);
	if (status == TFPROF_OK && is_given(op_log->in))
		status = op_log_check(op_log, err);
	if (status == TFPROF_OK)
		status = open_given(graph, err);
	if (status == TFPROF_OK && is_given(graph->in))
		status = load_graph(m, graph, err);
	if (status == TFPROF_OK)
		status = run_meta_apply(rm, m, run, err);
	if (status == TFPROF_OK && is_given(op_log->in))
		status = load_op_log(m, op_log, err);
	run_meta_free(rm);
	return status;
}

enum tfprof_status load_step(struct model *m, int64_t step, const struct tfprof_input *graph,
	const struct tfprof_input *run_meta, const struct tfprof_input *op_log, struct buf *notes,
	struct tfprof_error *err)
{
	struct load loads[] = {
		{.in = graph, .kind = INPUT_GRAPH},
		{.in = run_meta, .kind = INPUT_RUN_META, .step = step, .notes = notes},
		{.in = op_log, .kind = INPUT_OP_LOG},
	};
	enum tfprof_status status = input_open(&loads[1].source, run_meta, &loads[1].kind, err);
	struct model_undo undo;

	if (status == TFPROF_OK &&
		(!model_index_names(m) || !model_undo_begin(&undo, m, step, is_given(op_log))))
		status = error_no_memory(err);
	else if (status == TFPROF_OK) {
		status = add_step(m, &loads[0], &loads[1], &loads[2], err);
		if (status == TFPROF_OK)
			model_undo_end(&undo);
		else
			model_undo(&undo, m);
	}
	for (size_t i = 0; i < sizeof(loads) / sizeof(*loads); i++)
		source_close(&loads[i].source);
	return status;
}
