/* Events through the public API. */
#include "lib/result.h"
#include "write/events_table.h"

static enum tfprof_status run(tfprof_result *r, int64_t step, struct tfprof_error *err)
{
	const struct model *m = &r->profile->model;
	enum tfprof_status status = profile_check_step(r->profile, step, err);

	if (status == TFPROF_OK)
		status = events_table_make(&r->answer.table, m, step, err);
	/* A table does not need the profile any more, so nothing is kept when it
	 * changes. */
	r->is_detached = true;
	r->n_rows = r->answer.table.n_rows;
	return status;
}

enum tfprof_status tfprof_events_run(tfprof_profile *p, int64_t step, tfprof_result **result,
	struct tfprof_error *err)
{
	tfprof_result *r = result_new(p);
	enum tfprof_status status;

	*result = NULL;
	if (!r)
		return error_no_memory(err);
	r->is_table = true;
	status = result_lock(r, PROFILE_LOADED, err);
	if (status == TFPROF_OK) {
		status = run(r, step, err);
		status = result_unlock(r, status, err);
	}
	if (status != TFPROF_OK) {
		tfprof_result_free(r);
		return status;
	}
	*result = r;
	return TFPROF_OK;
}
