/* /api/ask: the answer of a question, with its options, as the JSON that the program
 * writes. With `or_why=1`, if the profile lacks what the question needs: {"missing": WHY}. With
 * `of_model=1`: of the model file that a trace was given with, as of one that has not run. */
#include <errno.h>

#include <string.h>

#include "base/error.h"
#include "server/routes.h"
#include "server/view_query.h"

static int write_body(void *context, const void *bytes, size_t n)
{
	struct sink *out = context;

	sink_put(out, bytes, n);
	return sink_failed(out) ? EIO : 0;
}

/* Of a model file some questions are estimates: it need not have run. */
static enum tfprof_status ask(struct call *c, const struct shown_profile *p, const char *question,
	const tfprof_options *options, tfprof_result **result, struct tfprof_error *err)
{
	struct tfprof_input input;
	const char *model = view_find_model_file(p);

	if ((p->inputs.n != 1 && !call_get(c, "of_model")) || strcmp(question, "memory") != 0 ||
		!model)
		return tfprof_ask(p->profile, question, options, &c->cancel, result, err);
	input = tfprof_input_file(model);
	return tfprof_model_ask(question, &input, p->reading, options, result, err);
}

enum tfprof_status route_ask(struct call *c, struct json *out, struct tfprof_error *err)
{
	const char *question = call_get(c, "question");
	struct shown_profile *profile;
	tfprof_options *options = NULL;
	tfprof_result *result = NULL;
	int64_t p;
	enum tfprof_status status = view_profile(c, &profile, &p, err);

	if (status == TFPROF_OK)
		status = view_given_options(c, &options, err);
	if (status == TFPROF_OK)
		status = ask(c, profile, question ? question : "", options, &result, err);
	if (status == TFPROF_UNSUPPORTED && call_get(c, "or_why")) {
		json_open_object(out);
		json_put_text(out, "missing", err->text);
		json_close_object(out);
		status = TFPROF_OK;
	} else if (status == TFPROF_OK)
		status = tfprof_result_write(result, "json", write_body, out->sink, err);
	tfprof_result_free(result);
	tfprof_options_free(options);
	return status;
}
