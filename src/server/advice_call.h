/* The options of checkers that a call gives: parameters such as StepOutlierChecker.top=1. */
#ifndef TFPROF_SERVER_ADVICE_CALL_H
#define TFPROF_SERVER_ADVICE_CALL_H

#include "server/call.h"

/* All checkers, with these options, and whether the call gives any. Free them. */
enum tfprof_status advice_call_options(const struct call *c, tfprof_options **options,
	bool *has_settings, struct tfprof_error *err);

/* Calls `fn` with each of them. False if `fn` returned false. */
typedef bool advice_call_fn(void *context, const char *checker, const char *option,
	const char *value);
bool advice_call_each(const struct call *c, advice_call_fn *fn, void *context);

#endif
