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

void format_number(struct buf *b, enum unit unit, int64_t value)
{
	for (int i = 0; i < 3; i++)
		if (value >= classes[unit][i].from && classes[unit][i].suffix[0]) {
			buf_printf(b, "%.2f%s", (double)value / (double)classes[unit][i].from,
				classes[unit][i].suffix);
			return;
		}
	buf_int(b, value);
	buf_text(b, plain[unit]);
}
