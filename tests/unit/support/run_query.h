/* A query, and what its options say of output. */
#ifndef TFPROF_TESTS_RUN_QUERY_H
#define TFPROF_TESTS_RUN_QUERY_H

#include <tfprof/tfprof.h>

static inline enum tfprof_status run_query(tfprof_profile *p, enum tfprof_view view,
	const tfprof_options *o, const volatile int *cancel, tfprof_result **r,
	struct tfprof_error *err)
{
	enum tfprof_status status = tfprof_ask(p, tfprof_view_get_name(view), o, cancel, r, err);

	if (status == TFPROF_OK)
		status = tfprof_result_output(*r, 0, cancel, NULL, NULL, err);
	if (status != TFPROF_OK) {
		tfprof_result_free(*r);
		*r = NULL;
	}
	return status;
}

static inline enum tfprof_status run_advice(tfprof_profile *p, const tfprof_options *o,
	const volatile int *cancel, tfprof_result **r, struct tfprof_error *err)
{
	enum tfprof_status status = tfprof_ask(p, "advise", o, cancel, r, err);

	if (status == TFPROF_OK)
		status = tfprof_result_output(*r, 0, cancel, NULL, NULL, err);
	if (status != TFPROF_OK) {
		tfprof_result_free(*r);
		*r = NULL;
	}
	return status;
}

#endif
