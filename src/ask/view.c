/* The views scope, graph, op and code: queries, which differ in how they arrange nodes
 * (src/view/). */
#include "ask/view.h"

#include "ask/gaps.h"
#include "ask/kernels.h"

enum { PEAK_MASK = 1 << METRIC_PEAK_BYTES };

static const char *const view_names[] = {
#define X(id, name, ...) #name,
	TFPROF_VIEW_LIST(X)
#undef X
};

const char *tfprof_view_get_name(size_t view)
{
	return view < N_VIEWS ? view_names[view] : NULL;
}

int tfprof_view_from_name(const char *name)
{
	for (int i = 0; i < N_VIEWS; i++)
		if (strcmp(view_names[i], name) == 0)
			return i;
	return -1;
}

void view_rows_free(struct view_rows *rows)
{
	query_clear(&rows->query);
	columns_clear(&rows->columns);
	mem_free(rows);
}

enum question_state view_state(const struct question *question, const struct tfprof_options *o,
	enum format format)
{
	bool is_text = format == FORMAT_STDOUT || format == FORMAT_FILE || format == FORMAT_NONE;

	if (!is_text || options_select(o, SEL_INPUT_SHAPES))
		return QUESTION_COMPLETE;
	return question == &op_question || question == &scope_question ? QUESTION_LOADED
								       : QUESTION_INDEXED;
}

bool view_needs_peaks(const struct question *question, const struct tfprof_options *o)
{
	if (question == &layers_question)
		return (options_is_given(o, OPT_SELECT) && options_select(o, SEL_PEAK_BYTES)) ||
			(options_is_given(o, OPT_ORDER_BY) && o->order == ORDER_PEAK_BYTES);
	return question->state == QUESTION_BY_FORMAT &&
		(o->tolerant || query_asked_metrics(o) & PEAK_MASK);
}

/* ---- the query --------------------------------------------------------------- */

/* Runs it, or runs it again for more metrics. */
static enum tfprof_status run_query(struct view_rows *rows, unsigned metrics,
	struct tfprof_error *err)
{
	struct query again = rows->query;
	enum tfprof_status status;

	again.metrics |= metrics;
	again.arena = rows->asked.lend_arena(rows->asked.profile);
	again.account = again.start = again.trim = again.show = again.hide = NULL;
	status = query_run(&again, err);
	if (status != TFPROF_OK) {
		query_clear(&again);
		return status;
	}
	query_clear(&rows->query);
	rows->query = again;
	return TFPROF_OK;
}

/* Whether a format shows what an option would omit, which was not set. */
static bool shows_all(const struct tfprof_options *o, enum option_id option, enum format format)
{
	return !options_is_given(o, option) && format != FORMAT_STDOUT && format != FORMAT_FILE;
}

static bool shows_only_accounted(const struct query *q, enum format format)
{
	return q->kind == TFPROF_SCOPE && !q->options->number[OPT_ALL_SCOPES] &&
		!shows_all(q->options, OPT_ALL_SCOPES, format);
}

void view_set_extent(struct view_rows *rows, enum format format)
{
	struct query *q = &rows->query;

	q->all_depths = shows_all(q->options, OPT_MAX_DEPTH, format);
	q->counts_cut = !q->all_depths && !options_is_given(q->options, OPT_MAX_DEPTH);
	q->only_accounted = shows_only_accounted(q, format);
}

bool view_has_extent(const struct view_rows *rows, enum format format)
{
	const struct query *q = &rows->query;
	bool all_depths = shows_all(q->options, OPT_MAX_DEPTH, format);
	bool only_accounted = shows_only_accounted(q, format);

	return (q->all_depths == all_depths || (all_depths && !q->n_cut)) &&
		(q->only_accounted == only_accounted || (!only_accounted && !q->n_unlisted) ||
			regexes_accept_all(q->account));
}

/* Those of the answer itself, found or not. */
static size_t count_rows(const struct query *q)
{
	bool lists_only_accounted = options_is_given(q->options, OPT_ALL_SCOPES);

	return q->n + q->n_cut + (lists_only_accounted ? 0 : q->n_unlisted);
}

enum tfprof_status view_vary(struct view_rows *rows, struct tfprof_error *err)
{
	struct query *q = &rows->query;

	q->account = q->start = q->trim = q->show = q->hide = NULL;
	q->arena = (struct arena){0};
	return query_run(q, err);
}

void view_restore(struct view_rows *rows, const struct query *whole)
{
	query_clear(&rows->query);
	rows->query = *whole;
}

/* All at once: whoever asks for one metric that was not selected asks for others. Peaks of
 * compiled programs may not be there. */
enum tfprof_status view_need_metrics(struct view_rows *rows, unsigned metrics,
	struct tfprof_error *err)
{
	unsigned all = ALL_METRICS & ~(metrics & PEAK_MASK ? 0 : PEAK_MASK);

	if (!(metrics & ~rows->query.metrics))
		return TFPROF_OK;
	if (query_can_add_metrics(&rows->query))
		return query_add_metrics(&rows->query, all, err);
	return run_query(rows, all, err);
}

/* ---- columns ------------------------------------------------------------------ */

/* Columns are not cut. A report may have been all that was asked for so far. */
static enum tfprof_status need_all_rows(struct view_rows *rows, struct tfprof_error *err)
{
	if (view_has_extent(rows, FORMAT_NONE))
		return TFPROF_OK;
	view_set_extent(rows, FORMAT_NONE);
	return run_query(rows, 0, err);
}

bool view_has_columns(const struct view_rows *rows, const enum column_id *ids, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!rows->columns.at[ids[i]].view.name)
			return false;
	return true;
}

enum tfprof_status view_need_columns(struct view_rows *rows, const enum column_id *ids, size_t n,
	struct tfprof_error *err)
{
	enum tfprof_status status;
	unsigned metrics = 0;

	if (view_has_columns(rows, ids, n))
		return TFPROF_OK;
	for (size_t i = 0; i < n; i++)
		metrics |= column_metrics(ids[i]);
	status = need_all_rows(rows, err);
	if (status == TFPROF_OK)
		status = view_need_metrics(rows, metrics, err);
	return status == TFPROF_OK ? columns_make(&rows->columns, &rows->query, ids, n, err)
				   : status;
}

enum tfprof_status view_map_nodes(struct view_rows *rows, struct tfprof_error *err)
{
	enum tfprof_status status = TFPROF_OK;

	if (rows->columns.row_of_node)
		return TFPROF_OK;
	status = need_all_rows(rows, err);
	return status == TFPROF_OK ? columns_map_nodes(&rows->columns, &rows->query, err) : status;
}

/* ---- asking ------------------------------------------------------------------- */

/* TensorFlow's profiler says no more than the first words. */
static enum tfprof_status add_remedy(const struct query *q, enum tfprof_status status,
	struct tfprof_error *err)
{
	const char *reason;

	if (status != TFPROF_UNSUPPORTED || q->kind != TFPROF_CODE || q->options->tolerant ||
		!gap_is_open(q->model, GAP_STACKS))
		return status;
	reason = gap_get_reason(q->model, GAP_STACKS);
	if (reason)
		return error_set(err, status, "No code trace information: %s", reason);
	return error_set(err, status, "No code trace information: add %s",
		gap_get(GAP_STACKS)->remedy);
}

static enum tfprof_status run(struct answer *a, const struct asked *asked, enum tfprof_view view,
	struct tfprof_error *err)
{
	struct tfprof_options *o = asked->options;
	struct query *q;
	unsigned metrics;
	enum tfprof_status status;

	if (view == TFPROF_OP && o->number[OPT_BY] == ROOFLINE_BY_KERNEL)
		return kernels_answer(a, asked, err);
	a->view = mem_zero(sizeof(*a->view));
	if (!a->view || !options_choose_defaults(o, view, !gap_is_open(asked->model, GAP_RUNS)))
		return error_no_memory(err);
	a->view->asked = *asked;
	a->view->asked.cancel = NULL;
	q = &a->view->query;
	*q = (struct query){.model = asked->model,
		.kind = view,
		.options = o,
		.cancel = asked->cancel};
	view_set_extent(a->view, o->output.format);
	/* Options that came as a message are answered by one, which has all metrics. */
	metrics = o->tolerant ? ALL_METRICS : query_metrics(q->model, o) | asked->metrics;
	status = asked->get_view(asked->profile, q, err);
	if (status == TFPROF_OK)
		status = run_query(a->view, metrics, err);
	if (status != TFPROF_OK)
		return add_remedy(q, status, err);
	a->n_rows = count_rows(q);
	view_note(a, q);
	status = query_check_cancelled(q, err); /* by which notes may be missing */
	if (status == TFPROF_OK && asked->visit)
		status = asked->visit(q, asked->context, err);
	q->cancel = NULL;
	return status;
}

#define X(id, word, message, about, paragraph, first_try, ...)                        \
	static enum tfprof_status run_##word(struct answer *a, const struct asked *q, \
		struct tfprof_error *err)                                             \
	{                                                                             \
		return run(a, q, TFPROF_##id, err);                                   \
	}                                                                             \
	const struct question word##_question = {                                     \
		.name = #word,                                                        \
		.summary = about,                                                     \
		.description = paragraph,                                             \
		.example = first_try,                                                 \
		.state = QUESTION_BY_FORMAT,                                          \
		.kept_formats = 1u << FORMAT_FILE | 1u << FORMAT_MESSAGE,             \
		.run = run_##word,                                                    \
	};
TFPROF_VIEW_LIST(X)
#undef X
