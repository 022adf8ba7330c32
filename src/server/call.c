#include "server/call.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cancel.h"
#include "base/error.h"

const char *call_get(const struct call *c, const char *name)
{
	for (size_t i = 0; i < c->parameters.n; i++)
		if (strcmp(c->parameters.at[i].name, name) == 0)
			return c->parameters.at[i].value;
	return NULL;
}

enum tfprof_status call_get_int(const struct call *c, const char *name, int64_t missing,
	int64_t min, int64_t max, int64_t *value, struct tfprof_error *err)
{
	const char *text = call_get(c, name);
	char *end;
	long long number;

	*value = missing;
	if (!text)
		return TFPROF_OK;
	errno = 0;
	number = strtoll(text, &end, 10);
	if (end == text || *end || errno || number < min || number > max)
		return error_set(err, TFPROF_ARGUMENT,
			"%s=%.100s: expected a number from %" PRId64 " to %" PRId64, name, text,
			min, max);
	*value = number;
	return TFPROF_OK;
}

const char *call_get_metric(const struct call *c)
{
	const char *column = call_get(c, "metric_column");

	return column ? column : "exec_micros";
}

static const char *status_word(enum tfprof_status status)
{
	static const char *const words[] = {
		[TFPROF_OK] = "ok",
		[TFPROF_NO_MEMORY] = "no_memory",
		[TFPROF_IO] = "io",
		[TFPROF_FORMAT] = "format",
		[TFPROF_ARGUMENT] = "argument",
		[TFPROF_REGEX] = "regex",
		[TFPROF_STEP] = "step",
		[TFPROF_CANCELLED] = "cancelled",
		[TFPROF_UNSUPPORTED] = "unsupported",
	};

	return words[status];
}

static unsigned http_status_of(enum tfprof_status status)
{
	switch (status) {
	case TFPROF_NO_MEMORY:
	case TFPROF_CANCELLED: return 503;
	case TFPROF_IO:
	case TFPROF_FORMAT: return 500;
	case TFPROF_STEP: return 404;
	default: return 400;
	}
}

void call_fail(struct call *c, enum tfprof_status status, const struct tfprof_error *err)
{
	struct sink out;
	struct json j;

	c->body.n = 0;
	c->http_status = http_status_of(status);
	if (sink_open_buf(&out, &c->body, SINK_PLAIN, NULL) != TFPROF_OK)
		return;
	j = json_writer(&out);
	json_open_object(&j);
	json_key(&j, "error");
	json_open_object(&j);
	json_put_text(&j, "status", status_word(status));
	json_put_text(&j, "text",
		status == TFPROF_CANCELLED ? "the query took longer than 10 seconds" : err->text);
	json_close_object(&j);
	json_close_object(&j);
	sink_commit(&out, NULL);
}

void call_answer(struct call *c, route_fn *route)
{
	struct tfprof_error err = {0};
	struct sink out;
	struct json j;
	enum tfprof_status status = sink_open_buf(&out, &c->body, SINK_PLAIN, &err);

	if (status == TFPROF_OK) {
		j = json_writer(&out);
		status = is_cancelled(&c->cancel) ? TFPROF_CANCELLED : route(c, &j, &err);
		if (status == TFPROF_OK)
			status = sink_commit(&out, &err);
		else
			sink_abandon(&out);
	}
	/* Whatever a query that was stopped says it lacks. */
	if (status != TFPROF_OK)
		call_fail(c, is_cancelled(&c->cancel) ? TFPROF_CANCELLED : status, &err);
}

bool call_was_cancelled(const struct call *c)
{
	return c->http_status == 503 && is_cancelled(&c->cancel);
}

static void close_file(struct call *c)
{
	if (c->file >= 0)
		close(c->file);
	c->file = -1;
}

void call_reset(struct call *c)
{
	close_file(c);
	buf_clear(&c->body);
	c->http_status = 200;
	c->cancel = 0;
}

void call_clear(struct call *c)
{
	for (size_t i = 0; i < c->parameters.n; i++) {
		mem_free(c->parameters.at[i].name);
		mem_free(c->parameters.at[i].value);
	}
	vec_clear(&c->parameters);
	buf_clear(&c->body);
	close_file(c);
}
