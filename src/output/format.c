#include "output/format.h"

/* The classes of each unit, largest first. */
static const struct {
	int64_t from;
	const char *suffix;
} classes[][3] = {
	[UNIT_COUNT] = {{1000000000, "b"}, {1000000, "m"}, {1000, "k"}},
	[UNIT_MICROS] = {{1000000, "sec"}, {1000, "ms"}, {INT64_MAX, ""}},
	[UNIT_BYTES] = {{1000000, "MB"}, {1000, "KB"}, {INT64_MAX, ""}},
};

static const char *const plain[] = {[UNIT_COUNT] = "", [UNIT_MICROS] = "us", [UNIT_BYTES] = "B"};

/* What printf("%.2f") makes of value / divisor. In whole numbers, unless the
 * value is so large that the quotient's error matters, or the third digit is
 * exactly 5: then it is up to that error. */
static void put_quotient(struct buf *b, int64_t value, int64_t divisor)
{
	int64_t step = divisor / 100, hundredths = value / step, rest = value % step;
	char tail[3];

	if (value >= (int64_t)1 << 53 || 2 * rest == step) {
		buf_printf(b, "%.2f", (double)value / (double)divisor);
		return;
	}
	hundredths += 2 * rest > step;
	buf_int(b, hundredths / 100);
	tail[0] = '.';
	tail[1] = (char)('0' + hundredths % 100 / 10);
	tail[2] = (char)('0' + hundredths % 10);
	buf_put(b, tail, 3);
}

void format_number(struct buf *b, enum unit unit, int64_t value)
{
	for (int i = 0; i < 3; i++)
		if (value >= classes[unit][i].from && classes[unit][i].suffix[0]) {
			put_quotient(b, value, classes[unit][i].from);
			buf_text(b, classes[unit][i].suffix);
			return;
		}
	buf_int(b, value);
	buf_text(b, plain[unit]);
}
