/* Plain tables of a profile through the public API. */
#include "write/tables.h"

#include "lib/result.h"

static const struct table_kind {
	const char *name;
	enum table_needs needs;
	table_maker *make;
} kinds[] = {
#define X(name, needs) {#name, needs, table_make_##name},
	TABLES(X)
#undef X
};

enum { N_KINDS = sizeof(kinds) / sizeof(*kinds) };

const char *tfprof_table_get_name(size_t i)
{
	return i < N_KINDS ? kinds[i].name : NULL;
}

static enum tfprof_status find_kind(const char *name, const struct table_kind **kind,
	struct tfprof_error *err)
{
	struct buf expected = {0};
	enum tfprof_status status;

	for (size_t i = 0; i < N_KINDS; i++) {
		if (strcmp(kinds[i].name, name) == 0) {
			*kind = &kinds[i];
			buf_clear(&expected);
			return TFPROF_OK;
		}
		buf_text(&expected, i ? ", " : "");
		buf_text(&expected, kinds[i].name);
	}
	status = error_set(err, TFPROF_ARGUMENT, "table: expected one of: %s, got '%s'",
		expected.at ? expected.at : "", name);
	buf_clear(&expected);
	return status;
}

/* The tree of call stacks; NULL if the profile has none. */
static enum tfprof_status find_code(tfprof_result *r, const struct tree **code,
	struct tfprof_error *err)
{
	struct query *q = &r->query;
	enum tfprof_status status;

	if (!r->profile->model.has_trace)
		return TFPROF_OK;
	r->options = tfprof_options_new();
	if (!r->options)
		return error_no_memory(err);
	q->kind = TFPROF_CODE;
	q->options = r->options;
	status = profile_view(r->profile, q, err);
	if (status == TFPROF_OK)
		*code = q->tree;
	return status == TFPROF_UNSUPPORTED ? TFPROF_OK : status;
}

static enum tfprof_status run(tfprof_result *r, const struct table_kind *kind, int64_t step,
	const struct tfprof_summary *summary, struct tfprof_error *err)
{
	const struct model *m = &r->profile->model;
	struct table_source source = {.model = m,
		.steps = step_list_of(m, step),
		.summary = summary};
	enum tfprof_status status = profile_check_step(r->profile, step, err);

	if (status == TFPROF_OK && kind->needs == FROM_NAMES)
		status = profile_by_name(r->profile, &source.by_name, err);
	if (status == TFPROF_OK && kind->needs == FROM_CODE)
		status = find_code(r, &source.code, err);
	if (status == TFPROF_OK)
		status = kind->make(&r->answer.table, &source, err);
	r->is_detached = true;
	r->n_rows = r->answer.table.n_rows;
	return status;
}

enum tfprof_status tfprof_table_run(tfprof_profile *p, const char *name, int64_t step,
	tfprof_result **result, struct tfprof_error *err)
{
	const struct table_kind *kind = NULL;
	enum tfprof_status status = find_kind(name, &kind, err);
	struct tfprof_summary summary;
	tfprof_result *r;

	*result = NULL;
	if (status != TFPROF_OK)
		return status;
	r = result_new(p);
	if (!r)
		return error_no_memory(err);
	r->is_table = true;
	tfprof_profile_get_summary(p, &summary);
	status = result_lock(r, PROFILE_INDEXED, err);
	if (status == TFPROF_OK) {
		status = run(r, kind, step, &summary, err);
		status = result_unlock(r, status, err);
	}
	if (status != TFPROF_OK) {
		tfprof_result_free(r);
		return status;
	}
	*result = r;
	return TFPROF_OK;
}
