#include "model/device.h"

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

void device_lower(struct buf *b, struct span name)
{
	b->n = 0;
	buf_span(b, name);
	for (size_t i = 0; i < b->n; i++)
		if (b->at[i] >= 'A' && b->at[i] <= 'Z')
			b->at[i] = (char)(b->at[i] - 'A' + 'a');
}

static bool cut_tail(struct span *s, struct span tail)
{
	if (s->n < tail.n || memcmp(s->at + s->n - tail.n, tail.at, tail.n) != 0)
		return false;
	s->n -= tail.n;
	return true;
}

/* .*\/(device:gpu|gpu|device:cpu|cpu):\d+ */
static bool is_canonical(struct span s)
{
	size_t digits = s.n;

	if (s.n && memchr(s.at, '\n', s.n))
		return false;
	while (s.n && is_digit(s.at[s.n - 1]))
		s.n--;
	if (s.n == digits || !cut_tail(&s, SPAN(":")))
		return false;
	if (!cut_tail(&s, SPAN("gpu")) && !cut_tail(&s, SPAN("cpu")))
		return false;
	cut_tail(&s, SPAN("device:"));
	return cut_tail(&s, SPAN("/"));
}

unsigned device_kind(struct span lower)
{
	unsigned kind = 0;

	if (is_canonical(lower))
		kind |= DEVICE_CANONICAL;
	if (span_contains(lower, SPAN("stream:all")))
		kind |= DEVICE_STREAM_ALL;
	if (span_contains(lower, SPAN("gpu")))
		kind |= DEVICE_ACCELERATOR;
	if (span_contains(lower, SPAN("cpu")))
		kind |= DEVICE_CPU;
	return kind;
}

void device_host(struct buf *b, struct span lower)
{
	b->n = 0;
	for (size_t i = 0; i < lower.n;) {
		size_t end = i + 4;

		if (lower.n - i > 4 && memcmp(lower.at + i, "gpu:", 4) == 0 &&
			is_digit(lower.at[end])) {
			while (end < lower.n && is_digit(lower.at[end]))
				end++;
			buf_text(b, "cpu:0");
			i = end;
		} else {
			buf_char(b, lower.at[i++]);
		}
	}
}
