/* Filling a caller's tfprof_error. Each returns the status, so that a failure
 * is one line:  return error_set(err, TFPROF_FORMAT, "..."); */
#ifndef TFPROF_BASE_ERROR_H
#define TFPROF_BASE_ERROR_H

#include <tfprof/tfprof.h>

#include "base/span.h"

enum tfprof_status error_set(struct tfprof_error *err, enum tfprof_status status,
	const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Gives the error that was just set an id. */
enum tfprof_status error_name(struct tfprof_error *err, enum tfprof_status status, const char *id);
enum tfprof_status error_no_memory(struct tfprof_error *err);

/* Prepends "prefix: " to the text. */
enum tfprof_status error_prefix(struct tfprof_error *err, enum tfprof_status status,
	const char *prefix);

/* For "%.*s": a span, truncated so that the rest of the message fits. */
#define ERROR_SPAN(s) (int)((s).n > 200 ? 200 : (s).n), (s).at ? (s).at : ""

#endif
