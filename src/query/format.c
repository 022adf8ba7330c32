#include "query/format.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* For numbers below a thousand, a million, a billion, and above; an empty last suffix
 * means the one before it is the largest. Copied as four bytes, of which n count. */
static const struct suffix {
	char text[4];
	unsigned char n;
} suffixes[][4] = {
	[UNIT_COUNT] = {{"", 0}, {"k", 1}, {"m", 1}, {"b", 1}},
	[UNIT_MICROS] = {{"us", 2}, {"ms", 2}, {"sec", 3}, {"", 0}},
	[UNIT_BYTES] = {{"B", 1}, {"KB", 2}, {"MB", 2}, {"", 0}},
};

static inline char *put_suffix(char *at, const struct suffix *suffix)
{
	memcpy(at, suffix->text, sizeof(suffix->text));
	return at + suffix->n;
}

/* Whether the double nearest to value / divisor rounds up, where the third digit is
 * exactly 5 and nothing follows. */
static bool tie_goes_up(int64_t value, int64_t divisor, int64_t hundredths)
{
	double quotient = (double)value / (double)divisor;
	double error = fma(quotient, (double)divisor, -(double)value);

	return error > 0 || (error == 0 && hundredths % 2);
}

/* Writes what printf("%.2f") makes of value / divisor, using integers. Only values so
 * large that the quotient's error exceeds a tie need printf. Reports pass a constant
 * `divisor`, so that dividing is cheap. */
static inline char *put_quotient(char *at, int64_t value, uint64_t divisor)
{
	uint64_t step = divisor / 100, hundredths = (uint64_t)value / step;
	uint64_t rest = (uint64_t)value % step;

	if (value >= (int64_t)1 << 53)
		return at +
			snprintf(at, FORMAT_MAX - sizeof(suffixes[0][0].text), "%.2f",
				(double)value / (double)divisor);
	hundredths += 2 * rest > step ||
		(2 * rest == step && tie_goes_up(value, (int64_t)divisor, (int64_t)hundredths));
	at = buf_write_int(at, (int64_t)(hundredths / 100));
	*at++ = '.';
	*at++ = (char)('0' + hundredths % 100 / 10);
	*at++ = (char)('0' + hundredths % 10);
	return at;
}

enum { THOUSAND = 1000, MILLION = 1000000, BILLION = 1000000000 };

char *format_write(char *at, enum unit unit, int64_t value)
{
	if (value < THOUSAND)
		return put_suffix(buf_write_int(at, value), &suffixes[unit][0]);
	if (value < MILLION)
		return put_suffix(put_quotient(at, value, THOUSAND), &suffixes[unit][1]);
	if (value < BILLION || !suffixes[unit][3].n)
		return put_suffix(put_quotient(at, value, MILLION), &suffixes[unit][2]);
	return put_suffix(put_quotient(at, value, BILLION), &suffixes[unit][3]);
}

static void end_at(struct buf *b, char *end)
{
	b->n = (size_t)(end - b->at);
	*end = '\0';
}

void format_like_tensorflow(struct buf *b, enum unit unit, int64_t value)
{
	if (buf_reserve(b, FORMAT_MAX))
		end_at(b, format_write(b->at + b->n, unit, value));
}

/* A number that rounds to a thousand of a unit is one of the next. */
static const char *choose_unit(enum unit unit, int64_t value, uint64_t *divisor)
{
	static const char *const names[][6] = {
		[UNIT_COUNT] = {"", "k", "M", "G", "T", "P"},
		[UNIT_MICROS] = {"us", "ms", "s"},
		[UNIT_BYTES] = {"B", "KB", "MB", "GB", "TB", "PB"},
	};
	int i = 0;

	*divisor = 1;
	while (i < 5 && names[unit][i + 1] &&
		value >= (int64_t)(*divisor * THOUSAND - *divisor / 200)) {
		*divisor *= THOUSAND;
		i++;
	}
	return names[unit][i];
}

void format_number(struct buf *b, enum unit unit, int64_t value)
{
	uint64_t divisor;
	const char *name = choose_unit(unit, value, &divisor);

	if (!buf_reserve(b, FORMAT_MAX))
		return;
	end_at(b,
		divisor == 1 ? buf_write_int(b->at + b->n, value)
			     : put_quotient(b->at + b->n, value, divisor));
	buf_text(b, name);
}

/* Digits, signs and exponents are copied; the locale's decimal point, possibly several bytes,
 * becomes a point. */
void format_write_double(char *at, double value)
{
	char text[FORMAT_MAX];
	bool is_integer = true;

	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	for (const char *c = text; *c; c++) {
		if ((*c >= '0' && *c <= '9') || *c == '-' || *c == '+') {
			*at++ = *c;
		} else if (*c == 'e') {
			*at++ = *c;
			is_integer = false;
		} else if (is_integer) {
			*at++ = '.';
			is_integer = false;
		}
	}
	memcpy(at, is_integer ? ".0" : "", is_integer ? 3 : 1);
}
