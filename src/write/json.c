#include "write/json.h"

#include <math.h>
#include <stdio.h>

#include "base/utf8.h"
#include "query/format.h"

static void begin_value(struct json *j)
{
	if (j->comma)
		sink_char(j->sink, ',');
	j->comma = true;
}

static void open_bracket(struct json *j, char bracket)
{
	begin_value(j);
	sink_char(j->sink, bracket);
	j->comma = false;
}

static void close_bracket(struct json *j, char bracket)
{
	sink_char(j->sink, bracket);
	j->comma = true;
}

void json_open_object(struct json *j)
{
	open_bracket(j, '{');
}

void json_close_object(struct json *j)
{
	close_bracket(j, '}');
}

void json_open_array(struct json *j)
{
	open_bracket(j, '[');
}

void json_close_array(struct json *j)
{
	close_bracket(j, ']');
}

void json_line(struct json *j)
{
	if (j->comma)
		sink_char(j->sink, ',');
	sink_char(j->sink, '\n');
	j->comma = false;
}

/* ---- strings ---------------------------------------------------------- */

static void escape(struct sink *sink, unsigned char c)
{
	static const char letters[] = "btn\vfr"; /* 8, 9, 10, (11), 12, 13 */

	if (c == '"' || c == '\\') {
		sink_char(sink, '\\');
		sink_char(sink, (char)c);
	} else if (c >= 8 && c <= 13 && c != 11) {
		sink_char(sink, '\\');
		sink_char(sink, letters[c - 8]);
	} else {
		char text[7];

		snprintf(text, sizeof(text), "\\u%04x", c);
		sink_put(sink, text, 6);
	}
}

void json_add_span(struct json *j, struct span part)
{
	const unsigned char *at = (const unsigned char *)part.at, *plain = at;
	const unsigned char *end = part.n ? at + part.n : at;

	while (at < end) {
		int length;

		if (*at >= ' ' && *at < 0x7f && *at != '"' && *at != '\\') {
			at++;
			continue;
		}
		length = utf8_sequence(at, (size_t)(end - at));
		if (length > 1) {
			at += length;
			continue;
		}
		sink_put(j->sink, plain, (size_t)(at - plain));
		if (length < 0) {
			sink_text(j->sink, UTF8_REPLACEMENT);
			at -= length;
		} else {
			escape(j->sink, *at++);
		}
		plain = at;
	}
	sink_put(j->sink, plain, (size_t)(at - plain));
}

void json_add_text(struct json *j, const char *part)
{
	json_add_span(j, span_of(part));
}

void json_open_string(struct json *j)
{
	begin_value(j);
	sink_char(j->sink, '"');
}

void json_close_string(struct json *j)
{
	sink_char(j->sink, '"');
}

void json_string(struct json *j, struct span text)
{
	json_open_string(j);
	json_add_span(j, text);
	json_close_string(j);
}

void json_text(struct json *j, const char *text)
{
	json_string(j, span_of(text));
}

void json_key_span(struct json *j, struct span key)
{
	json_string(j, key);
	sink_char(j->sink, ':');
	j->comma = false;
}

void json_key(struct json *j, const char *key)
{
	json_key_span(j, span_of(key));
}

/* ---- other values ----------------------------------------------------- */

void json_int(struct json *j, int64_t value)
{
	begin_value(j);
	sink_int(j->sink, value);
}

void json_double(struct json *j, double value)
{
	char text[FORMAT_MAX];

	if (!isfinite(value)) {
		json_null(j);
		return;
	}
	format_write_double(text, value);
	begin_value(j);
	sink_text(j->sink, text);
}

void json_bool(struct json *j, bool value)
{
	begin_value(j);
	sink_text(j->sink, value ? "true" : "false");
}

void json_null(struct json *j)
{
	begin_value(j);
	sink_text(j->sink, "null");
}

/* ---- members ---------------------------------------------------------- */

void json_put_string(struct json *j, const char *key, struct span text)
{
	json_key(j, key);
	json_string(j, text);
}

void json_put_text(struct json *j, const char *key, const char *text)
{
	json_key(j, key);
	json_text(j, text);
}

void json_put_int(struct json *j, const char *key, int64_t value)
{
	json_key(j, key);
	json_int(j, value);
}

void json_put_double(struct json *j, const char *key, double value)
{
	json_key(j, key);
	json_double(j, value);
}

void json_put_bool(struct json *j, const char *key, bool value)
{
	json_key(j, key);
	json_bool(j, value);
}
