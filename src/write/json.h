/* Writes JSON to a sink piece by piece, in constant memory.
 *
 *     struct json j = json_writer(&sink);
 *     json_open_object(&j);
 *     json_put_text(&j, "name", "conv1");
 *     json_key(&j, "sizes");
 *     json_open_array(&j);
 *     json_int(&j, 3);
 *     json_close_array(&j);
 *     json_close_object(&j);              // {"name":"conv1","sizes":[3]}
 *
 * The writer adds commas; the caller must match brackets and give every member a key.
 * Errors stick in the sink.
 *
 * Text may hold any bytes: each maximal invalid UTF-8 sequence becomes one U+FFFD (as
 * in browsers and Python's `replace`). Integers are written in full; readers that keep
 * numbers as doubles round those beyond 2^53. A double is the shortest text that reads
 * back as the same double and always has a point or an exponent; NaN and infinity,
 * which JSON lacks, are null. */
#ifndef TFPROF_WRITE_JSON_H
#define TFPROF_WRITE_JSON_H

#include <stdint.h>

#include "base/sink.h"
#include "base/span.h"

struct json {
	struct sink *sink;
	bool comma; /* the next value needs a comma before it */
};

static inline struct json json_writer(struct sink *sink)
{
	return (struct json){sink, false};
}

void json_open_object(struct json *j);
void json_close_object(struct json *j);
void json_open_array(struct json *j);
void json_close_array(struct json *j);

/* Ends the line, after a comma if needed. */
void json_line(struct json *j);

/* The key of the next value. */
void json_key(struct json *j, const char *key);
void json_key_span(struct json *j, struct span key);

/* Values: array items, what follows a key, or the whole document. */
void json_string(struct json *j, struct span text);
void json_text(struct json *j, const char *text);
void json_int(struct json *j, int64_t value);
void json_double(struct json *j, double value);
void json_bool(struct json *j, bool value);
void json_null(struct json *j);

/* A string in parts. A UTF-8 sequence must not span two parts. */
void json_open_string(struct json *j);
void json_add_span(struct json *j, struct span part);
void json_add_text(struct json *j, const char *part);
void json_close_string(struct json *j);

/* A member: key and value. */
void json_put_string(struct json *j, const char *key, struct span text);
void json_put_text(struct json *j, const char *key, const char *text);
void json_put_int(struct json *j, const char *key, int64_t value);
void json_put_double(struct json *j, const char *key, double value);
void json_put_bool(struct json *j, const char *key, bool value);

#endif
