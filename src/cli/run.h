/* Runs a request on a profile. */
#ifndef TFPROF_CLI_RUN_H
#define TFPROF_CLI_RUN_H

#include "request.h"

/* For a view or advise; writes nothing yet. The caller frees the result. */
enum tfprof_status run_request(const struct request *r, tfprof_profile *profile,
	const volatile int *cancel, tfprof_result **result, struct tfprof_error *err);

/* Whether a finding reached the level of --fail_on. */
bool run_reached_fail_on(const struct request *r, const tfprof_result *result);

#endif
