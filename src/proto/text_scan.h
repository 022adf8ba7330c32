/* Tokens of protobuf's text format: names, numbers, strings, and the space and
 * comments between them. Knows nothing about messages.
 *
 *     struct text_scan s = {text.at, text.at + text.n, text.at, err, NULL, 0};
 *     scan_space(&s);
 *     name = scan_name(&s);                    // "" if there is none here
 *     status = scan_integer(&s, &number);      // moves past it on success
 *     scan_clear(&s);
 *
 * Errors read "line L column C: what is wrong: what was expected". */
#ifndef TFPROF_PROTO_TEXT_SCAN_H
#define TFPROF_PROTO_TEXT_SCAN_H

#include <locale.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"

struct text_scan {
	const char *at, *end;
	const char *start; /* start of the whole text, for lines and columns */
	struct tfprof_error *err;
	const char *bad;   /* where the last error is */
	locale_t c_locale; /* numbers have a decimal point, whatever the user's locale */
};

void scan_clear(struct text_scan *s);

/* Prefixes the error with "line L column C: ". */
enum tfprof_status scan_place(struct text_scan *s, const char *at);

#define scan_fail(s, where, ...) \
	(error_set((s)->err, TFPROF_FORMAT, __VA_ARGS__), scan_place(s, where))

/* Line and column, from 1; a column is a character, not a byte. */
void scan_position(const struct text_scan *s, const char *at, size_t *line, size_t *column);

enum { SCAN_SPACE = 1, SCAN_LETTER = 2, SCAN_DIGIT = 4, SCAN_STOP = 8 };
extern const unsigned char scan_class[256];

static inline bool scan_is(char c, unsigned classes)
{
	return scan_class[(unsigned char)c] & classes;
}

void scan_comments(struct text_scan *s);

/* Skips space and comments. */
static inline void scan_space(struct text_scan *s)
{
	while (s->at < s->end && scan_is(*s->at, SCAN_SPACE))
		s->at++;
	if (s->at < s->end && *s->at == '#')
		scan_comments(s);
}

/* Skips a character if it is next. */
static inline bool scan_take(struct text_scan *s, char c)
{
	if (s->at == s->end || *s->at != c)
		return false;
	s->at++;
	return true;
}

/* A name ([A-Za-z_][A-Za-z0-9_]*), or an empty span if there is none. */
static inline struct span scan_name(struct text_scan *s)
{
	const char *start = s->at;

	if (s->at < s->end && scan_is(*s->at, SCAN_LETTER))
		while (s->at < s->end && scan_is(*s->at, SCAN_LETTER | SCAN_DIGIT))
			s->at++;
	return (struct span){start, (size_t)(s->at - start)};
}

/* The next token, for messages: a word, a number or one other character. */
struct span scan_shown(const struct text_scan *s);

/* Decimal, 0x… or 0…, with an optional sign. */
struct scan_integer {
	uint64_t magnitude;
	bool negative;
};

enum tfprof_status scan_integer(struct text_scan *s, struct scan_integer *number);
enum tfprof_status scan_float(struct text_scan *s, double *number);
enum tfprof_status scan_bool(struct text_scan *s, bool *value);

/* One or more adjacent quoted strings; appends their decoded bytes. */
enum tfprof_status scan_string(struct text_scan *s, struct buf *out);

#endif
