/* One request to the API, and its answer: what routes see, free of HTTP.
 *
 *     parameters ──route──> body (JSON), or an error, or a file to send
 */
#ifndef TFPROF_SERVER_CALL_H
#define TFPROF_SERVER_CALL_H

#include <stdatomic.h>
#include <tfprof/tfprof.h>

#include "base/buf.h"
#include "base/vec.h"
#include "write/json.h"

struct store;

struct parameter {
	char *name, *value;
};

struct call {
	struct store *store;
	VEC(struct parameter) parameters;
	volatile int cancel; /* polled by queries */

	struct buf body;
	unsigned http_status;
	int file; /* sent instead of the body, unless -1 */
	const char *file_name, *file_type;
};

/* NULL if the request does not have it. */
const char *call_get(const struct call *c, const char *name);

/* The number of a parameter, or `missing`; out of range or no number is an error. */
enum tfprof_status call_get_int(const struct call *c, const char *name, int64_t missing,
	int64_t min, int64_t max, int64_t *value, struct tfprof_error *err);

/* The column that a request is about: parameter `metric_column`, or time. */
const char *call_get_metric(const struct call *c);

/* Answers with an error: {"error": {"status": …, "text": …}}. */
void call_fail(struct call *c, enum tfprof_status status, const struct tfprof_error *err);

/* Whether that was since the query was cancelled. */
bool call_was_cancelled(const struct call *c);

/* As before it was answered. */
void call_reset(struct call *c);

void call_clear(struct call *c);

/* A route writes one JSON value. */
typedef enum tfprof_status route_fn(struct call *c, struct json *out, struct tfprof_error *err);

/* Answers with what a route writes, or with its error. */
void call_answer(struct call *c, route_fn *route);

#endif
