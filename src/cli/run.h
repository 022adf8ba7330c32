/* Runs a request on a profile. */
#ifndef TFPROF_CLI_RUN_H
#define TFPROF_CLI_RUN_H

#include "exit_status.h"
#include "request.h"

/* For a view, advise or a question; writes nothing yet. The caller frees the result. */
enum tfprof_status run_request(const struct request *r, tfprof_profile *profile,
	const volatile int *cancel, tfprof_result **result, struct tfprof_error *err);

/* Not 0 if a finding reached the level of --fail_on, or a limit is exceeded. */
enum exit_status run_exit_status(const tfprof_result *result);

#endif
