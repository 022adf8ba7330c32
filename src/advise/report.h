/* Writes findings. */
#ifndef TFPROF_ADVISE_REPORT_H
#define TFPROF_ADVISE_REPORT_H

#include "advise/advise.h"
#include "base/sink.h"
#include "write/json.h"

/* As text, with a section per checker. */
void advice_write_text(const struct advice *a, struct sink *out);
/* As an AdviceProto. */
enum tfprof_status advice_write_message(const struct advice *a, struct sink *out,
	struct tfprof_error *err);
/* What JSON has besides the findings as nodes (docs/advise.md); `context` is an
 * advice_members. */
struct advice_members {
	const struct advice *advice;
	const struct tfprof_advice_options *options;
};
void advice_put_members(const void *context, struct json *j);

/* "warning", "medium" */
const char *advice_level_name(enum tfprof_level level);
const char *advice_confidence_name(enum confidence confidence);

#endif
