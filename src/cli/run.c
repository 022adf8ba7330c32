#include "run.h"

#include "base/error.h"

enum tfprof_status run_request(const struct request *r, tfprof_profile *profile,
	const volatile int *cancel, tfprof_result **result, struct tfprof_error *err)
{
	return tfprof_ask(profile, r->command->name, r->options, cancel, result, err);
}

enum exit_status run_exit_status(const tfprof_result *result)
{
	static const enum exit_status by_verdict[] = {[TFPROF_VERDICT_OK] = EXIT_OK,
		[TFPROF_VERDICT_OVER] = EXIT_ADVICE,
		[TFPROF_VERDICT_UNKNOWN] = EXIT_UNKNOWN};

	return by_verdict[tfprof_result_get_verdict(result)];
}
