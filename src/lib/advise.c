/* Advice through the public API. */
#include "lib/result.h"

static enum tfprof_status get_view(void *context, struct query *q, struct tfprof_error *err)
{
	return profile_view(context, q, err);
}

static enum tfprof_status run(tfprof_result *r, const volatile int *cancel,
	struct tfprof_error *err)
{
	struct advise_views views = {get_view, r->profile};
	enum tfprof_status status =
		advise_run(&r->advice, &r->profile->model, r->checkers, &views, cancel, err);

	if (status != TFPROF_OK)
		return status;
	r->is_ready = true;
	buf_span(&r->notes, buf_get(&r->advice.notes));
	if (r->notes.failed || !findings_make(&r->answer.table, &r->advice))
		return error_no_memory(err);
	r->n_rows = r->answer.table.n_rows;
	return TFPROF_OK;
}

enum tfprof_status tfprof_advise_run(tfprof_profile *p, const tfprof_advice_options *options,
	const volatile int *cancel, tfprof_result **result, struct tfprof_error *err)
{
	tfprof_result *r = result_new(p);
	enum tfprof_status status;

	*result = NULL;
	if (!r)
		return error_no_memory(err);
	r->is_advice = r->is_table = true;
	r->checkers = options ? advice_options_copy(options) : tfprof_advice_options_new();
	status = r->checkers ? result_lock(r, PROFILE_COMPLETE, err) : error_no_memory(err);
	if (status == TFPROF_OK) {
		status = run(r, cancel, err);
		status = result_unlock(r, status, err);
	}
	if (status != TFPROF_OK) {
		tfprof_result_free(r);
		return status;
	}
	*result = r;
	return TFPROF_OK;
}
