#include "proto/text_scan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/utf8.h"

enum { S = SCAN_SPACE, N = SCAN_SPACE | SCAN_STOP, Q = SCAN_STOP, L = SCAN_LETTER, D = SCAN_DIGIT };

/* STOP ends the plain part of a quoted string. */
/* clang-format off */
const unsigned char scan_class[256] = {
	/* 00 */ 0, 0, 0, 0, 0, 0, 0, 0, 0, S, N, S, S, S, 0, 0,
	/* 10 */ 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	/* 20 */ S, 0, Q, 0, 0, 0, 0, Q, 0, 0, 0, 0, 0, 0, 0, 0,
	/* 30 */ D, D, D, D, D, D, D, D, D, D, 0, 0, 0, 0, 0, 0,
	/* 40 */ 0, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L,
	/* 50 */ L, L, L, L, L, L, L, L, L, L, L, 0, Q, 0, 0, L,
	/* 60 */ 0, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L,
	/* 70 */ L, L, L, L, L, L, L, L, L, L, L, 0, 0, 0, 0, 0,
};
/* clang-format on */

void scan_clear(struct text_scan *s)
{
	if (s->c_locale)
		freelocale(s->c_locale);
	s->c_locale = (locale_t)0;
}

void scan_position(const struct text_scan *s, const char *at, size_t *line, size_t *column)
{
	const char *begin = s->start, *newline;

	*line = *column = 1;
	while (begin < at && (newline = memchr(begin, '\n', (size_t)(at - begin)))) {
		begin = newline + 1;
		++*line;
	}
	for (; begin < at; begin++) /* count UTF-8 characters, not bytes */
		*column += ((unsigned char)*begin & 0xc0) != 0x80;
}

enum tfprof_status scan_place(struct text_scan *s, const char *at)
{
	char place[64];
	size_t line, column;

	s->bad = at;
	if (!s->err)
		return TFPROF_FORMAT;
	scan_position(s, at, &line, &column);
	snprintf(place, sizeof(place), "line %zu column %zu", line, column);
	return error_prefix(s->err, TFPROF_FORMAT, place);
}

void scan_comments(struct text_scan *s)
{
	while (s->at < s->end && (*s->at == '#' || scan_is(*s->at, SCAN_SPACE))) {
		if (*s->at == '#') {
			const char *newline = memchr(s->at, '\n', (size_t)(s->end - s->at));

			s->at = newline ? newline : s->end;
		} else {
			s->at++;
		}
	}
}

struct span scan_shown(const struct text_scan *s)
{
	const char *at = s->at;

	if (at == s->end)
		return SPAN("the end of the text");
	if (*at == '-' || *at == '+')
		at++;
	while (at < s->end && (scan_is(*at, SCAN_LETTER | SCAN_DIGIT) || *at == '.'))
		at++;
	if (at == s->at) /* a whole UTF-8 character */
		do
			at++;
		while (at < s->end && ((unsigned char)*at & 0xc0) == 0x80);
	return (struct span){s->at, (size_t)(at - s->at)};
}

/* ---- numbers ----------------------------------------------------------- */

static int digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 16;
}

static bool word_continues(const struct text_scan *s)
{
	return s->at < s->end && (scan_is(*s->at, SCAN_LETTER | SCAN_DIGIT) || *s->at == '.');
}

/* Space may follow the sign. */
static bool take_sign(struct text_scan *s)
{
	if (scan_take(s, '-')) {
		scan_space(s);
		return true;
	}
	scan_take(s, '+');
	return false;
}

enum tfprof_status scan_integer(struct text_scan *s, struct scan_integer *number)
{
	const char *from = s->at;
	struct span shown;
	uint64_t n = 0;
	unsigned base = 10;
	const char *digits;
	bool fits = true;

	number->negative = take_sign(s);
	if (s->end - s->at > 1 && s->at[0] == '0' && (s->at[1] == 'x' || s->at[1] == 'X')) {
		base = 16;
		s->at += 2;
	} else if (s->at < s->end && *s->at == '0') {
		base = 8;
	}
	for (digits = s->at; s->at < s->end; s->at++) {
		unsigned digit = (unsigned)digit_value(*s->at);

		if (digit >= base)
			break;
		fits = fits && !__builtin_mul_overflow(n, base, &n) &&
			!__builtin_add_overflow(n, digit, &n);
	}
	if (s->at == digits || word_continues(s)) {
		s->at = from;
		shown = scan_shown(s);
		return scan_fail(s, s->at,
			"\"%.*s\" is not an integer: write it like 12, -12, 0x1f or 017",
			ERROR_SPAN(shown));
	}
	if (!fits) {
		s->at = from;
		shown = scan_shown(s);
		return scan_fail(s, s->at, "%.*s is too large: an integer has at most 64 bits",
			ERROR_SPAN(shown));
	}
	number->magnitude = n;
	return TFPROF_OK;
}

/* The product or quotient of two exact doubles is correctly rounded. This covers almost
 * all numbers in files. */
static bool exact_float(uint64_t mantissa, long exponent, double *number)
{
	static const double powers[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10,
		1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

	if (mantissa > (uint64_t)1 << 53 || exponent < -22 || exponent > 22)
		return false;
	*number = exponent < 0 ? (double)mantissa / powers[-exponent]
			       : (double)mantissa * powers[exponent];
	return true;
}

/* All other numbers. strtod needs a NUL after the number. */
static enum tfprof_status library_float(struct text_scan *s, struct span digits, double *number)
{
	char room[128], *copy = room;

	if (!s->c_locale)
		s->c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	if (!s->c_locale)
		return error_no_memory(s->err);
	if (digits.n >= sizeof(room)) {
		copy = mem_alloc(digits.n + 1);
		if (!copy)
			return error_no_memory(s->err);
	}
	memcpy(copy, digits.at, digits.n);
	copy[digits.n] = '\0';
	*number = strtod_l(copy, NULL, s->c_locale);
	if (copy != room)
		mem_free(copy);
	return TFPROF_OK;
}

static bool same_word(struct span word, const char *lower)
{
	size_t n = strlen(lower);

	if (word.n != n)
		return false;
	for (size_t i = 0; i < n; i++)
		if ((word.at[i] | 0x20) != lower[i])
			return false;
	return true;
}

/* inf, infinity and nan, in upper or lower case, optionally followed by f. */
static bool take_named_float(struct text_scan *s, double *number)
{
	const char *start = s->at;
	struct span word = scan_name(s);

	if (same_word(word, "inf") || same_word(word, "inff") || same_word(word, "infinity") ||
		same_word(word, "infinityf")) {
		*number = HUGE_VAL;
		return true;
	}
	if (same_word(word, "nan") || same_word(word, "nanf")) {
		*number = (double)NAN;
		return true;
	}
	s->at = start;
	return false;
}

/* A decimal number. Mantissa and exponent are valid if `exact`. */
struct decimal {
	uint64_t mantissa;
	long exponent;
	bool exact;
	bool any; /* digit seen */
};

static void take_digits(struct text_scan *s, struct decimal *d, long step)
{
	for (; s->at < s->end && scan_is(*s->at, SCAN_DIGIT); s->at++) {
		d->any = true;
		if (d->mantissa > UINT64_MAX / 10 - 1)
			d->exact = false;
		else
			d->mantissa = d->mantissa * 10 + (uint64_t)(*s->at - '0');
		if (d->exact)
			d->exponent += step;
	}
}

static bool take_exponent(struct text_scan *s, struct decimal *d)
{
	long exponent = 0;
	bool negative;

	if (s->at == s->end || (*s->at | 0x20) != 'e')
		return true;
	s->at++;
	negative = scan_take(s, '-');
	if (!negative)
		scan_take(s, '+');
	if (s->at == s->end || !scan_is(*s->at, SCAN_DIGIT))
		return false;
	for (; s->at < s->end && scan_is(*s->at, SCAN_DIGIT); s->at++)
		if (exponent < 100000)
			exponent = exponent * 10 + (*s->at - '0');
	d->exponent += negative ? -exponent : exponent;
	return true;
}

enum tfprof_status scan_float(struct text_scan *s, double *number)
{
	const char *from = s->at;
	struct decimal d = {.exact = true};
	struct span digits, shown;
	bool negative = take_sign(s), good;
	enum tfprof_status status = TFPROF_OK;

	if (take_named_float(s, number)) {
		*number = negative ? -*number : *number;
		return TFPROF_OK;
	}
	digits.at = s->at;
	/* 017 might be meant as octal; hexadecimal floats do not exist here. */
	good = !(s->end - s->at > 1 && s->at[0] == '0' && scan_is(s->at[1], SCAN_DIGIT));
	take_digits(s, &d, 0);
	if (scan_take(s, '.'))
		take_digits(s, &d, -1);
	good = good && d.any && take_exponent(s, &d);
	digits.n = (size_t)(s->at - digits.at);
	if (good && s->at < s->end && (*s->at | 0x20) == 'f')
		s->at++;
	if (!good || word_continues(s)) {
		s->at = from;
		shown = scan_shown(s);
		return scan_fail(s, s->at,
			"\"%.*s\" is not a number: write it like 1, -2.5, 1e-3, inf or nan",
			ERROR_SPAN(shown));
	}
	if (!d.exact || !exact_float(d.mantissa, d.exponent, number))
		status = library_float(s, digits, number);
	if (negative)
		*number = -*number;
	return status;
}

enum tfprof_status scan_bool(struct text_scan *s, bool *value)
{
	struct span shown = scan_shown(s);
	static const char *const yes[] = {"true", "True", "t", "1"};
	static const char *const no[] = {"false", "False", "f", "0"};

	for (size_t i = 0; i < 4; i++) {
		*value = span_equal(shown, span_of(yes[i]));
		if (*value || span_equal(shown, span_of(no[i]))) {
			s->at += shown.n;
			return TFPROF_OK;
		}
	}
	return scan_fail(s, s->at, "\"%.*s\" is not a bool: expected true or false",
		ERROR_SPAN(shown));
}

/* ---- strings ----------------------------------------------------------- */

/* Takes up to `most` digits and returns their number. */
static unsigned take_code(struct text_scan *s, unsigned base, unsigned most, uint32_t *code)
{
	unsigned n = 0;

	for (*code = 0; n < most && s->at < s->end; n++, s->at++) {
		unsigned digit = (unsigned)digit_value(*s->at);

		if (digit >= base)
			break;
		*code = *code * base + digit;
	}
	return n;
}

static bool is_surrogate(uint32_t c, uint32_t first)
{
	return c >= first && c < first + 0x400;
}

/* \uXXXX or \UXXXXXXXX; characters beyond 16 bits may be a pair of the former. */
static enum tfprof_status take_unicode(struct text_scan *s, const char *backslash, char **to)
{
	unsigned length = s->at[-1] == 'u' ? 4 : 8;
	uint32_t code, low;

	if (take_code(s, 16, length, &code) < length)
		return scan_fail(s, backslash, "\\%c is incomplete: expected %u hexadecimal digits",
			length == 4 ? 'u' : 'U', length);
	if (is_surrogate(code, 0xd800) && s->end - s->at > 1 && s->at[0] == '\\' &&
		s->at[1] == 'u') {
		s->at += 2;
		if (take_code(s, 16, 4, &low) == 4 && is_surrogate(low, 0xdc00))
			code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
	}
	if (code > 0x10ffff || is_surrogate(code, 0xd800) || is_surrogate(code, 0xdc00))
		return scan_fail(s, backslash,
			"U+%04X is not a character: "
			"Unicode ends at 10FFFF, and surrogates come in pairs",
			(unsigned)code);
	*to = utf8_put(*to, code);
	return TFPROF_OK;
}

/* Decodes an escape to 1 to 4 bytes. */
static enum tfprof_status take_escape(struct text_scan *s, char **to)
{
	static const char letters[] = "abfnrtv\\'\"?", meanings[] = "\a\b\f\n\r\t\v\\'\"?";
	const char *backslash = s->at++, *letter;
	struct span shown;
	uint32_t code;

	if (s->at == s->end)
		return scan_fail(s, backslash,
			"the text ends in the middle of a string: "
			"expected a character after \\");
	if (*s->at >= '0' && *s->at <= '7') {
		take_code(s, 8, 3, &code);
		if (code > 0xff)
			return scan_fail(s, backslash,
				"\\%o does not fit in a byte: the largest is \\377",
				(unsigned)code);
		*(*to)++ = (char)code;
		return TFPROF_OK;
	}
	letter = *s->at ? strchr(letters, *s->at) : NULL;
	if (letter) {
		s->at++;
		*(*to)++ = meanings[letter - letters];
		return TFPROF_OK;
	}
	switch (*s->at++) {
	case 'x':
	case 'X':
		if (!take_code(s, 16, 2, &code))
			return scan_fail(s, backslash,
				"\\x is incomplete: expected hexadecimal digits");
		*(*to)++ = (char)code;
		return TFPROF_OK;
	case 'u':
	case 'U': return take_unicode(s, backslash, to);
	}
	s->at--;
	shown = scan_shown(s);
	return scan_fail(s, backslash,
		"unknown escape \\%.*s: write \\\\ for a backslash; "
		"expected one of: \\n \\t \\r \\a \\b \\f \\v \\\" \\' \\? \\ooo \\xhh \\uhhhh "
		"\\Uhhhhhhhh",
		ERROR_SPAN(shown));
}

/* The end of the part of a string that needs no decoding. */
static const char *plain_end(const struct text_scan *s)
{
	const char *at = s->at;

	while (at < s->end && !scan_is(*at, SCAN_STOP))
		at++;
	return at;
}

static enum tfprof_status one_string(struct text_scan *s, struct buf *out)
{
	const char *open = s->at, *stop;
	char quote = *s->at++, *to;
	enum tfprof_status status;

	for (;;) {
		stop = plain_end(s);
		buf_put(out, s->at, (size_t)(stop - s->at));
		s->at = stop;
		if (stop == s->end || *stop == '\n')
			return scan_fail(s, open,
				"the string is not closed: expected %c on the same line", quote);
		if (*stop == quote)
			break;
		if (*stop != '\\') {
			buf_char(out, *s->at++); /* the other kind of quote */
			continue;
		}
		/* Escapes often follow one another: the bytes of tensors. */
		while (s->at < s->end && *s->at == '\\') {
			if (!buf_reserve(out, 4))
				return error_no_memory(s->err);
			to = out->at + out->n;
			status = take_escape(s, &to);
			if (status != TFPROF_OK)
				return status;
			out->n = (size_t)(to - out->at);
		}
		out->at[out->n] = '\0';
	}
	s->at++;
	return TFPROF_OK;
}

enum tfprof_status scan_string(struct text_scan *s, struct buf *out)
{
	struct span shown = scan_shown(s);
	enum tfprof_status status;
	const char *after;

	if (s->at == s->end || (*s->at != '"' && *s->at != '\''))
		return scan_fail(s, s->at, "found %.*s, expected a string: put it in quotes",
			ERROR_SPAN(shown));
	do {
		status = one_string(s, out);
		if (status != TFPROF_OK)
			return status;
		after = s->at;
		scan_space(s);
	} while (s->at < s->end && (*s->at == '"' || *s->at == '\''));
	s->at = after;
	return out->failed ? error_no_memory(s->err) : TFPROF_OK;
}
