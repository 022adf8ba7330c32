#include "output/format.h"

#include <math.h>
#include <stdio.h>

/* Below a thousand, a million, a billion, and above; where there is no larger
 * class, numbers grow. */
static const char *const suffixes[][4] = {
	[UNIT_COUNT] = {"", "k", "m", "b"},
	[UNIT_MICROS] = {"us", "ms", "sec", NULL},
	[UNIT_BYTES] = {"B", "KB", "MB", NULL},
};

static char *put_text(char *at, const char *text)
{
	while (*text)
		*at++ = *text++;
	return at;
}

/* Whether the double nearest to value / divisor, which lies where the third
 * digit is exactly 5 and nothing follows, is rounded up. */
static bool tie_goes_up(int64_t value, int64_t divisor, int64_t hundredths)
{
	double quotient = (double)value / (double)divisor;
	double error = fma(quotient, (double)divisor, -(double)value);

	return error > 0 || (error == 0 && hundredths % 2);
}

/* What printf("%.2f") makes of value / divisor, in whole numbers; only so large
 * that the quotient's error is more than a tie, a value needs printf. `divisor`
 * is a constant where this is called: dividing is cheap then. */
static inline char *put_quotient(char *at, int64_t value, int64_t divisor)
{
	int64_t step = divisor / 100, hundredths = value / step, rest = value % step;

	if (value >= (int64_t)1 << 53)
		return at + snprintf(at, FORMAT_MAX - 4, "%.2f", (double)value / (double)divisor);
	hundredths += 2 * rest > step ||
		(2 * rest == step && tie_goes_up(value, divisor, hundredths));
	at = buf_write_int(at, hundredths / 100);
	*at++ = '.';
	*at++ = (char)('0' + hundredths % 100 / 10);
	*at++ = (char)('0' + hundredths % 10);
	return at;
}

enum { THOUSAND = 1000, MILLION = 1000000, BILLION = 1000000000 };

char *format_write(char *at, enum unit unit, int64_t value)
{
	if (value < THOUSAND)
		return put_text(buf_write_int(at, value), suffixes[unit][0]);
	if (value < MILLION)
		return put_text(put_quotient(at, value, THOUSAND), suffixes[unit][1]);
	if (value < BILLION || !suffixes[unit][3])
		return put_text(put_quotient(at, value, MILLION), suffixes[unit][2]);
	return put_text(put_quotient(at, value, BILLION), suffixes[unit][3]);
}

void format_number(struct buf *b, enum unit unit, int64_t value)
{
	if (!buf_reserve(b, FORMAT_MAX))
		return;
	b->n = (size_t)(format_write(b->at + b->n, unit, value) - b->at);
	b->at[b->n] = '\0';
}
