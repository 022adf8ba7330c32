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

static const char pairs[] =
	"0001020304050607080910111213141516171819202122232425262728293031323334353637383940"
	"4142434445464748495051525354555657585960616263646566676869707172737475767778798081"
	"828384858687888990919293949596979899";

/* At least 1000: two digits at a time, from the end. */
static char *write_large(char *at, uint64_t value)
{
	char *end = at + 4;

	for (uint64_t rest = value / 10000; rest; rest /= 10)
		end++;
	at = end;
	for (; value >= 100; value /= 100)
		memcpy(at -= 2, &pairs[2 * (value % 100)], 2);
	if (value >= 10)
		memcpy(at - 2, &pairs[2 * value], 2);
	else
		at[-1] = (char)('0' + value);
	return end;
}

/* Most numbers have up to three digits. */
char *buf_write_int(char *at, int64_t value)
{
	uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;

	if (value < 0)
		*at++ = '-';
	if (rest >= 1000)
		return write_large(at, rest);
	if (rest >= 100) {
		*at++ = (char)('0' + rest / 100);
		memcpy(at, &pairs[2 * (rest % 100)], 2);
		return at + 2;
	}
	if (rest >= 10) {
		memcpy(at, &pairs[2 * rest], 2);
		return at + 2;
	}
	*at = (char)('0' + rest);
	return at + 1;
}

void buf_int(struct buf *b, int64_t value)
{
	if (!buf_reserve(b, BUF_INT_MAX))
		return;
	b->n = (size_t)(buf_write_int(b->at + b->n, value) - b->at);
	b->at[b->n] = '\0';
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
