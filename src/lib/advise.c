/* Advice through the public API. */
#include "advise/report.h"
#include "lib/profile.h"
#include "lib/result.h"

static enum tfprof_status get_view(void *context, struct query *q, struct tfprof_error *err)
{
	struct tfprof_profile *p = context;

	switch (q->kind) {
	case TFPROF_SCOPE: return profile_tree(p, SLOT_SCOPE, &q->tree, err);
	case TFPROF_GRAPH: return profile_tree(p, SLOT_GRAPH, &q->tree, err);
	case TFPROF_OP: return profile_groups(p, &q->groups, err);
	case TFPROF_CODE:
		return profile_tree(p,
			q->options->number[OPT_SOURCE_LINES] ? SLOT_CODE_SOURCE : SLOT_CODE,
			&q->tree, err);
	}
	return error_set(err, TFPROF_ARGUMENT, "unknown view");
}

static enum tfprof_status open_output(struct sink *out, const struct tfprof_advice_options *o,
	tfprof_result *r, struct tfprof_error *err)
{
	if (o->outfile)
		return sink_open(out, o->outfile, SINK_BY_SUFFIX, err);
	return sink_open_buf(out, &r->text, SINK_PLAIN, err);
}

static enum tfprof_status write_output(const struct advice *a,
	const struct tfprof_advice_options *o, tfprof_result *r, struct tfprof_error *err)
{
	struct sink out;
	enum tfprof_status status;

	if (o->output == ADVICE_NONE)
		return TFPROF_OK;
	status = open_output(&out, o, r, err);
	if (status != TFPROF_OK)
		return status;
	if (o->output == ADVICE_JSON)
		advice_write_json(a, o, &out);
	else
		advice_write_text(a, &out);
	return sink_commit(&out, err);
}

static enum tfprof_status run(struct tfprof_profile *p, const struct tfprof_advice_options *o,
	const volatile int *cancel, tfprof_result *r, struct tfprof_error *err)
{
	struct advise_views views = {get_view, p};
	struct advice a;
	enum tfprof_status status = advise_run(&a, &p->model, o, &views, cancel, err);

	if (status == TFPROF_OK)
		status = write_output(&a, o, r, err);
	if (status == TFPROF_OK) {
		advice_write_message(&a, &r->message);
		buf_span(&r->notes, buf_get(&a.notes));
		r->level = advice_level(&a);
		if (r->text.failed || r->notes.failed || r->message.failed)
			status = error_no_memory(err);
	}
	advice_clear(&a);
	return status;
}

enum tfprof_status tfprof_advise_run(tfprof_profile *p, const tfprof_advice_options *options,
	const volatile int *cancel, tfprof_result **result, struct tfprof_error *err)
{
	tfprof_advice_options *all = options ? NULL : tfprof_advice_options_new();
	tfprof_result *r = mem_zero(sizeof(*r));
	enum tfprof_status status;

	*result = NULL;
	if (!r || (!options && !all)) {
		status = error_no_memory(err);
	} else {
		status = profile_lock(p, PROFILE_COMPLETE, err);
		if (status == TFPROF_OK) {
			if (options && options->outfile)
				status = profile_check_outfile(p, options->outfile, err);
			if (status == TFPROF_OK)
				status = run(p, options ? options : all, cancel, r, err);
			status = profile_unlock(p, status, err);
		}
	}
	tfprof_advice_options_free(all);
	if (status != TFPROF_OK) {
		tfprof_result_free(r);
		return status;
	}
	*result = r;
	return TFPROF_OK;
}
