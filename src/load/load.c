#include "load/load.h"

#include "base/debug.h"
#include "base/spelling.h"
#include "model/undo.h"

static load_fn *const loaders[] = {
#define X(id, name, ...) load_##name,
	INPUTS(X)
#undef X
};

/* ---- opening ----------------------------------------------------------------- */

static const char *outside(const struct load *l)
{
	return input_get_info(l->kind)->traits & TFPROF_INPUT_BY_STEP ? "added as nodes"
								      : "skipped";
}

static enum tfprof_status check_counts(const struct load *l, struct tfprof_error *err)
{
	struct buf line = {0};
	enum tfprof_status status;

	if (!counts_has_ignored(&l->counts))
		return TFPROF_OK;
	counts_put(&l->counts, input_name(l->in, l->kind), outside(l), &line);
	if (line.failed)
		status = error_no_memory(err);
	else
		status = error_set(err, TFPROF_FORMAT, "%.*s (an error because of %s)",
			(int)strcspn(line.at, "\n"), line.at, SWITCH("strict"));
	buf_clear(&line);
	return status;
}

enum tfprof_status load_check(const struct load *l, const struct model *m, struct tfprof_error *err)
{
	return m->reading == TFPROF_READ_STRICT ? check_counts(l, err) : TFPROF_OK;
}

enum tfprof_status load_audit(const struct tfprof_input *in, enum input_kind kind,
	const struct source *s, struct tfprof_error *err)
{
	const struct schema_message *type = audit_get_type(kind);
	struct load all = {.in = in, .kind = kind, .counts = {.n_entries = UNCOUNTED}};
	struct decoder d = {0};
	enum tfprof_status status;

	if (!type)
		return TFPROF_OK;
	audit_message(&d, type, s->bytes, &all.counts.fields);
	status = input_status(in, kind, s, &d, err);
	return status == TFPROF_OK ? check_counts(&all, err) : status;
}

enum tfprof_status load_open(struct load *l, const struct model *m, struct tfprof_error *err)
{
	enum tfprof_status status;

	if (m->reading == TFPROF_READ_RECOVER)
		return input_recover(&l->source, l->in, &l->kind, l->notes, err);
	status = input_open(&l->source, l->in, &l->kind, err);
	if (status == TFPROF_OK && m->reading == TFPROF_READ_STRICT)
		status = load_audit(l->in, l->kind, &l->source, err);
	return status;
}

/* ---- adding ------------------------------------------------------------------ */

static bool has_trait(const struct load *l, unsigned trait)
{
	return input_get_info(l->kind)->traits & trait;
}

/* Whether what was added before a failure is taken back here (see load.h). */
static bool needs_undo(const struct load *l, const struct model *m)
{
	return has_trait(l, TFPROF_INPUT_BY_STEP | TFPROF_INPUT_EXTRA) ||
		(l->kind == INPUT_GRAPH && m->reading == TFPROF_READ_STRICT);
}

static enum tfprof_status load_or_undo(struct model *m, struct load *l, struct tfprof_error *err)
{
	struct model_undo undo;
	enum tfprof_status status;

	if (!needs_undo(l, m))
		return loaders[l->kind](m, l, err);
	if (!model_undo_begin(&undo, m, l->step, has_trait(l, TFPROF_INPUT_EXTRA)))
		return error_no_memory(err);
	status = loaders[l->kind](m, l, err);
	if (status == TFPROF_OK)
		status = load_check(l, m, err);
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
	if (l->in->path)
		counts_put(&l->counts, l->in->path, outside(l), l->notes);
}

static void explain(const struct load *l, const struct model *m, size_t n_bytes, size_t n_before,
	double start_ms)
{
	const char *path = l->in->path ? l->in->path : "memory";

	if (has_trait(l, TFPROF_INPUT_BY_STEP))
		debug_print(DEBUG_LOAD, "%s: added as step %lld", path, (long long)l->step);
	debug_print(DEBUG_LOAD,
		"%s: read as %s: %zu bytes, %zu nodes were there, %zu are new, in %.1fms", path,
		input_get_info(l->kind)->name, n_bytes, n_before, m->nodes.n - n_before,
		debug_now_ms() - start_ms);
}

enum tfprof_status load_any(struct model *m, enum input_kind *kind, const struct tfprof_input *in,
	int64_t step, struct buf *notes, struct tfprof_error *err)
{
	struct load l = {.in = in,
		.kind = *kind,
		.step = step,
		.notes = notes,
		.counts = {.n_entries = UNCOUNTED}};
	bool explains = debug_is_on(DEBUG_LOAD);
	double start_ms = explains ? debug_now_ms() : 0;
	size_t n_before = m->nodes.n;
	enum tfprof_status status = load_open(&l, m, err);
	size_t n_bytes = l.source.bytes.n; /* a loader may keep the source */

	if (status == TFPROF_OK)
		status = model_index_names(m) ? load_or_undo(m, &l, err) : error_no_memory(err);
	if (status == TFPROF_OK) {
		model_divide_turns(m);
		note_counts(&l);
		if (explains)
			explain(&l, m, n_bytes, n_before, start_ms);
	}
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

static enum tfprof_status open_given(struct load *l, const struct model *m,
	struct tfprof_error *err)
{
	return is_given(l->in) ? load_open(l, m, err) : TFPROF_OK;
}

/* Leaves it to the caller to take back what was added before an error. */
static enum tfprof_status add_step(struct model *m, struct load *graph, struct load *run,
	struct load *op_log, struct tfprof_error *err)
{
	struct run_meta *rm = NULL;
	enum tfprof_status status = run_meta_read(&rm, run, err);

	if (status == TFPROF_OK)
		status = open_given(op_log, m, err);
	if (status == TFPROF_OK && is_given(op_log->in))
		status = op_log_check(op_log, err);
	if (status == TFPROF_OK)
		status = open_given(graph, m, err);
	if (status == TFPROF_OK && is_given(graph->in))
		status = load_graph(m, graph, err);
	if (status == TFPROF_OK)
		status = run_meta_apply(rm, m, run, err);
	if (status == TFPROF_OK && is_given(op_log->in))
		status = load_op_log(m, op_log, err);
	if (status == TFPROF_OK && is_given(graph->in))
		status = load_check(graph, m, err);
	if (status == TFPROF_OK)
		status = load_check(run, m, err);
	if (status == TFPROF_OK && is_given(op_log->in))
		status = load_check(op_log, m, err);
	run_meta_free(rm);
	return status;
}

enum tfprof_status load_step(struct model *m, int64_t step, const struct tfprof_input *graph,
	const struct tfprof_input *run_meta, const struct tfprof_input *op_log, struct buf *notes,
	struct tfprof_error *err)
{
	struct load loads[] = {
		{.in = graph, .kind = INPUT_GRAPH, .notes = notes},
		{.in = run_meta, .kind = INPUT_RUN_META, .step = step, .notes = notes},
		{.in = op_log, .kind = INPUT_OP_LOG, .notes = notes},
	};
	enum tfprof_status status = load_open(&loads[1], m, err);
	struct model_undo undo;

	if (status == TFPROF_OK &&
		(!model_index_names(m) || !model_undo_begin(&undo, m, step, is_given(op_log))))
		status = error_no_memory(err);
	else if (status == TFPROF_OK) {
		status = add_step(m, &loads[0], &loads[1], &loads[2], err);
		if (status == TFPROF_OK) {
			model_undo_end(&undo);
			model_divide_turns(m);
		} else {
			model_undo(&undo, m);
		}
	}
	for (size_t i = 0; i < sizeof(loads) / sizeof(*loads); i++)
		source_close(&loads[i].source);
	return status;
}
