/* Writes findings. */
#ifndef TFPROF_ADVISE_REPORT_H
#define TFPROF_ADVISE_REPORT_H

#include "advise/advise.h"
#include "base/sink.h"

/* Of the JSON. The version changes when a member changes its meaning or goes away, not
 * when one is added. */
#define ADVICE_SCHEMA "tfprof.advice"
enum { ADVICE_VERSION = 1 };

/* As text, with a section per checker. */
void advice_write_text(const struct advice *a, struct sink *out);
/* As an AdviceProto. */
enum tfprof_status advice_write_message(const struct advice *a, struct sink *out,
	struct tfprof_error *err);
/* As JSON; docs/advise.md has the schema. */
void advice_write_json(const struct advice *a, const struct tfprof_advice_options *o,
	struct sink *out);

/* "warning", "medium" */
const char *advice_level_name(enum tfprof_level level);
const char *advice_confidence_name(enum confidence confidence);

#endif
