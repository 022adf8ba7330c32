/* Queries through the public API. */
#include "ask/gaps.h"
#include "lib/notes.h"
#include "lib/result.h"

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

/* ---- running --------------------------------------------------------------- */

enum tfprof_status profile_check_step(const struct tfprof_profile *p, int64_t step,
	struct tfprof_error *err)
{
	const struct model *m = &p->model;
	struct buf steps = {0};
	enum tfprof_status status;

	if (step < 0 || model_find_step(m, step) != NONE)
		return TFPROF_OK;
	for (size_t i = 0; i < m->steps.n && steps.n < 300; i++) {
		buf_int(&steps, m->steps.at[i]);
		buf_char(&steps, ' ');
	}
	status = error_set(err, TFPROF_STEP, "Options -step=%lld not found. Available steps: %s",
		(long long)step, steps.at ? steps.at : "");
	buf_clear(&steps);
	return status;
}

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

static enum tfprof_status run(tfprof_result *r, struct tfprof_error *err)
{
	struct query *q = &r->query;
	unsigned metrics;
	enum tfprof_status status =
		profile_check_step(r->profile, q->options->number[OPT_STEP], err);

	if (!options_choose_defaults(r->options, r->view, !gap_is_open(q->model, GAP_RUNS)))
		return error_no_memory(err);
	/* Options that came as a message are answered by one, which has all metrics. */
	metrics = q->options->tolerant ? ALL_METRICS
				       : query_metrics(q->model, q->options) |
			writer_get(q->options->output.format)->metrics;
	if (status == TFPROF_OK)
		status = profile_view(r->profile, q, err);
	if (status == TFPROF_OK)
		status = result_run_query(r, metrics, err);
	if (status != TFPROF_OK)
		return add_remedy(q, status, err);
	r->is_ready = true;
	r->n_rows = result_count_rows(r);
	notes_put(q, &r->notes);
	return r->notes.failed ? error_no_memory(err) : TFPROF_OK;
}

static tfprof_result *make_result(tfprof_profile *p, enum tfprof_view view,
	const tfprof_options *options, const volatile int *cancel)
{
	tfprof_result *r = result_new(p);

	if (!r)
		return NULL;
	r->options = tfprof_options_copy(options);
	if (!r->options) {
		tfprof_result_free(r);
		return NULL;
	}
	r->view = view;
	r->query = (struct query){.model = &p->model,
		.kind = view,
		.options = r->options,
		.cancel = cancel};
	result_set_extent(r, options->output.format);
	return r;
}

/* `visit` may be NULL: then the result is all. */
static enum tfprof_status run_locked(tfprof_result *r, enum profile_state state,
	query_visit_fn *visit, void *context, struct tfprof_error *err)
{
	enum tfprof_status status = TFPROF_OK;

	if (r->options->number[OPT_COUNT_FLOAT_OPS])
		status = profile_count_float_ops(r->profile, &r->notes, err);
	if (status == TFPROF_OK)
		status = result_lock(r, state, err);
	if (status != TFPROF_OK)
		return status;
	status = run(r, err);
	if (status == TFPROF_OK && visit)
		status = visit(&r->query, context, err);
	r->query.cancel = NULL;
	return result_unlock(r, status, err);
}

enum tfprof_status tfprof_query_run(tfprof_profile *p, enum tfprof_view view,
	const tfprof_options *options, const volatile int *cancel, tfprof_result **result,
	struct tfprof_error *err)
{
	tfprof_result *r = make_result(p, view, options, cancel);
	enum tfprof_status status = r
		? run_locked(r, result_state(r, r->options->output.format), NULL, NULL, err)
		: error_no_memory(err);

	if (status != TFPROF_OK) {
		tfprof_result_free(r);
		r = NULL;
	}
	*result = r;
	return status;
}

enum tfprof_status profile_visit_query(struct tfprof_profile *p, enum tfprof_view view,
	const tfprof_options *options, const volatile int *cancel, query_visit_fn *visit,
	void *context, struct tfprof_error *err)
{
	tfprof_result *r = make_result(p, view, options, cancel);
	enum tfprof_status status =
		r ? run_locked(r, PROFILE_COMPLETE, visit, context, err) : error_no_memory(err);

	tfprof_result_free(r);
	return status;
}
