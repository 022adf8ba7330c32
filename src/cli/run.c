#include "run.h"

#include "base/error.h"

/* Of the query options, only --output applies to advise. */
static enum tfprof_status advise(const struct request *r, tfprof_profile *profile,
	const volatile int *cancel, tfprof_result **result, struct tfprof_error *err)
{
	tfprof_advice_options *advice = r->advice ? r->advice : tfprof_advice_options_new();
	enum tfprof_status status;

	if (!advice)
		return error_no_memory(err);
	status = tfprof_advice_options_set_output(advice, tfprof_options_get(r->options, "output"),
		err);
	if (status == TFPROF_OK)
		status = tfprof_advise_run(profile, advice, cancel, result, err);
	if (!r->advice)
		tfprof_advice_options_free(advice);
	return status;
}

static enum tfprof_status query(const struct request *r, tfprof_profile *profile,
	const volatile int *cancel, tfprof_result **result, struct tfprof_error *err)
{
	int view = tfprof_view_from_name(r->command->name);

	return tfprof_query_run(profile, (enum tfprof_view)view, r->options, cancel, result, err);
}

enum tfprof_status run_request(const struct request *r, tfprof_profile *profile,
	const volatile int *cancel, tfprof_result **result, struct tfprof_error *err)
{
	*result = NULL;
	if (r->command->id == COMMAND_ADVISE)
		return advise(r, profile, cancel, result, err);
	if (r->command->id == COMMAND_ASK)
		return tfprof_ask(profile, r->command->name, r->options, cancel, result, err);
	return query(r, profile, cancel, result, err);
}

enum exit_status run_exit_status(const struct request *r, const tfprof_result *result)
{
	static const enum exit_status by_verdict[] = {[TFPROF_VERDICT_OK] = EXIT_OK,
		[TFPROF_VERDICT_OVER] = EXIT_ADVICE,
		[TFPROF_VERDICT_UNKNOWN] = EXIT_UNKNOWN};

	if (r->command->id == COMMAND_ADVISE && r->fail_on != TFPROF_LEVEL_NONE &&
		(int)tfprof_result_get_level(result) >= r->fail_on)
		return EXIT_ADVICE;
	return by_verdict[tfprof_result_get_verdict(result)];
}
