#include "server/diff_query.h"

#include <string.h>

#include "base/error.h"

enum { N_SIDES = 2 };

struct diff_request {
	const struct shown_profile *sides[N_SIDES]; /* base, new */
	const char *view, *order;
	tfprof_options *options;
};

bool diff_is_asked(const struct call *c)
{
	const char *value = call_get(c, "diff");

	return value && strcmp(value, "1") == 0;
}

static enum tfprof_status compare_models(const struct diff_request *r,
	const tfprof_diff_options *diff_options, tfprof_result **result, struct tfprof_error *err)
{
	struct tfprof_input inputs[N_SIDES];
	tfprof_model_options *options;
	enum tfprof_status status;

	for (size_t i = 0; i < N_SIDES; i++) {
		if (r->sides[i]->inputs.n != 1 ||
			!tfprof_model_recognize(r->sides[i]->inputs.at[0].path))
			return error_set(err, TFPROF_ARGUMENT, "view=model: expected model files");
		inputs[i] = tfprof_input_file(r->sides[i]->inputs.at[0].path);
	}
	options = tfprof_model_options_new();
	if (!options)
		return error_no_memory(err);
	tfprof_model_options_set_reading(options, r->sides[0]->reading);
	status = tfprof_diff_run_models(&inputs[0], &inputs[1], options, r->options, diff_options,
		result, err);
	tfprof_model_options_free(options);
	return status;
}

static enum tfprof_status compare_views(const struct diff_request *r,
	const tfprof_diff_options *diff_options, const volatile int *cancel, tfprof_result **result,
	struct tfprof_error *err)
{
	struct tfprof_diff_side sides[N_SIDES];
	const char *names[N_SIDES];
	int view = tfprof_view_from_name(r->view);

	if (view < 0)
		return error_set(err, TFPROF_ARGUMENT, "view=%.100s: no such view", r->view);
	for (size_t i = 0; i < N_SIDES; i++) {
		names[i] = r->sides[i]->inputs.at[0].path;
		sides[i] = (struct tfprof_diff_side){&r->sides[i]->profile, &names[i], 1};
	}
	return tfprof_diff_run(&sides[0], &sides[1], (enum tfprof_view)view, r->options,
		diff_options, cancel, result, err);
}

static enum tfprof_status make_diff(void *context, tfprof_profile *profile,
	const volatile int *cancel, void **object, struct tfprof_error *err)
{
	const struct diff_request *r = context;
	tfprof_diff_options *diff_options = tfprof_diff_options_new();
	tfprof_result *result = NULL;
	enum tfprof_status status = diff_options
		? tfprof_diff_options_set(diff_options, "order_by", r->order, err)
		: error_no_memory(err);

	(void)profile;
	if (status == TFPROF_OK)
		status = strcmp(r->view, "model") == 0
			? compare_models(r, diff_options, &result, err)
			: compare_views(r, diff_options, cancel, &result, err);
	tfprof_diff_options_free(diff_options);
	*object = result;
	return status;
}

static enum tfprof_status open_request(struct call *c, struct diff_request *r,
	struct tfprof_error *err)
{
	struct shown_profile *profile;
	enum tfprof_status status = TFPROF_OK;

	for (int64_t i = 0; status == TFPROF_OK && i < N_SIDES; i++) {
		status = store_get(c->store, i, &profile, err);
		r->sides[i] = profile;
	}
	return status == TFPROF_OK ? view_given_options(c, &r->options, err) : status;
}

enum tfprof_status diff_query(struct call *c, struct kept **kept, struct tfprof_error *err)
{
	const char *view = call_get(c, "view"), *order = call_get(c, "order"), *text;
	struct diff_request r = {.view = view ? view : "", .order = order ? order : "delta"};
	struct maker maker = {make_diff, view_count_result_bytes, view_free_result, &r};
	struct buf key = {0};
	size_t length;
	enum tfprof_status status = open_request(c, &r, err);

	*kept = NULL;
	if (status != TFPROF_OK)
		return status;
	text = tfprof_options_get_text(r.options, &length);
	buf_printf(&key, "diff %s %s\n", r.view, r.order);
	buf_put(&key, text ? text : "", text ? length : 0);
	status = key.failed || !text
		? error_no_memory(err)
		: store_use(c->store, 1, key.at, &maker, &c->cancel, kept, err);
	buf_clear(&key);
	tfprof_options_free(r.options);
	return status;
}
