#include "output/format.h"

#include <stdio.h>

/* The classes of each unit, smallest first; below the first, the plain number
 * and its suffix. */
static const struct {
	const char *plain;
	struct {
		int64_t from;
		const char *suffix;
	} classes[3];
} units[] = {
	[UNIT_COUNT] = {"", {{1000, "k"}, {1000000, "m"}, {1000000000, "b"}}},
	[UNIT_MICROS] = {"us", {{1000, "ms"}, {1000000, "sec"}, {INT64_MAX, ""}}},
	[UNIT_BYTES] = {"B", {{1000, "KB"}, {1000000, "MB"}, {INT64_MAX, ""}}},
};

static char *put_text(char *at, const char *text)
{
	while (*text)
		*at++ = *text++;
	return at;
}

/* What printf("%.2f") makes of value / divisor. In whole numbers, unless the
 * value is so large that the quotient's error matters, or the third digit is
 * exactly 5: then it is up to that error. */
static char *put_quotient(char *at, int64_t value, int64_t divisor)
{
	int64_t step = divisor / 100, hundredths = value / step, rest = value % step;

	if (value >= (int64_t)1 << 53 || 2 * rest == step)
		return at + snprintf(at, FORMAT_MAX - 4, "%.2f", (double)value / (double)divisor);
	hundredths += 2 * rest > step;
	at = buf_write_int(at, hundredths / 100);
	*at++ = '.';
	*at++ = (char)('0' + hundredths % 100 / 10);
	*at++ = (char)('0' + hundredths % 10);
	return at;
}

char *format_write(char *at, enum unit unit, int64_t value)
{
	int class = -1;

	while (class < 2 && value >= units[unit].classes[class + 1].from)
		class++;
	/* The largest number there is belongs to the last class that has a name. */
	while (class >= 0 && !units[unit].classes[class].suffix[0])
		class--;
	if (class < 0)
		return put_text(buf_write_int(at, value), units[unit].plain);
	at = put_quotient(at, value, units[unit].classes[class].from);
	return put_text(at, units[unit].classes[class].suffix);
}

void format_number(struct buf *b, enum unit unit, int64_t value)
{
	if (!buf_reserve(b, FORMAT_MAX))
		return;
	b->n = (size_t)(format_write(b->at + b->n, unit, value) - b->at);
	b->at[b->n] = '\0';
}
