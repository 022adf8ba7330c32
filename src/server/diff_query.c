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

static enum tfprof_status set_model(const struct shown_profile *shown, struct tfprof_input *input,
	struct tfprof_diff_side *side, struct tfprof_error *err)
{
	if (shown->inputs.n != 1 || !tfprof_model_recognize(shown->inputs.at[0].path))
		return error_set(err, TFPROF_ARGUMENT, "view=model: expected model files");
	*input = tfprof_input_file(shown->inputs.at[0].path);
	*side = (struct tfprof_diff_side){.model = input, .reading = shown->reading};
	return TFPROF_OK;
}

static enum tfprof_status make_diff(void *context, tfprof_profile *profile,
	const volatile int *cancel, void **object, struct tfprof_error *err)
{
	const struct diff_request *r = context;
	bool is_of_models = strcmp(r->view, "model") == 0;
	int view = is_of_models ? TFPROF_OP : tfprof_view_from_name(r->view);
	struct tfprof_diff_side sides[N_SIDES];
	struct tfprof_input inputs[N_SIDES];
	const char *names[N_SIDES];
	tfprof_result *result = NULL;
	enum tfprof_status status =
		tfprof_options_set_for(r->options, "diff", "order_by", r->order, err);

	(void)profile;
	if (status == TFPROF_OK && view < 0)
		status = error_set(err, TFPROF_ARGUMENT, "view=%.100s: no such view", r->view);
	for (size_t i = 0; status == TFPROF_OK && i < N_SIDES; i++) {
		names[i] = r->sides[i]->inputs.at[0].path;
		sides[i] = (struct tfprof_diff_side){.profiles = &r->sides[i]->profile,
			.names = &names[i],
			.n = 1};
		if (is_of_models)
			status = set_model(r->sides[i], &inputs[i], &sides[i], err);
	}
	if (status == TFPROF_OK)
		status = tfprof_diff_run(&sides[0], &sides[1], (enum tfprof_view)view, r->options,
			cancel, &result, err);
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
