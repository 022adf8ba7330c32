#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>

void buf_fill(struct buf *b, char c, size_t n)
{
	if (!n || !buf_reserve(b, n))
		return;
	memset(b->at + b->n, c, n);
	b->n += n;
	b->at[b->n] = '\0';
}

void buf_int(struct buf *b, int64_t value)
{
	char digits[24];
	size_t i = sizeof(digits);
	uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;

	do {
		digits[--i] = (char)('0' + rest % 10);
		rest /= 10;
	} while (rest);
	if (value < 0)
		digits[--i] = '-';
	buf_put(b, digits + i, sizeof(digits) - i);
}

void buf_printf(struct buf *b, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(NULL, 0, format, args);
	va_end(args);
	if (n < 0) {
		b->failed = true;
		return;
	}
	if (!buf_reserve(b, (size_t)n))
		return;
	va_start(args, format);
	vsnprintf(b->at + b->n, (size_t)n + 1, format, args);
	va_end(args);
	b->n += (size_t)n;
}
