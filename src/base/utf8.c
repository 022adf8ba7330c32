#include "base/utf8.h"

int utf8_sequence(const unsigned char *p, size_t n)
{
	unsigned char low = 0x80, high = 0xbf;
	int length;

	if (*p < 0x80)
		return 1;
	if (*p < 0xc2 || *p > 0xf4)
		return -1;
	length = *p < 0xe0 ? 2 : *p < 0xf0 ? 3 : 4;
	if (*p == 0xe0)
		low = 0xa0; /* overlong */
	else if (*p == 0xed)
		high = 0x9f; /* surrogates */
	else if (*p == 0xf0)
		low = 0x90; /* overlong */
	else if (*p == 0xf4)
		high = 0x8f; /* beyond U+10FFFF */
	for (int i = 1; i < length; i++) {
		if ((size_t)i == n || p[i] < low || p[i] > high)
			return -i;
		low = 0x80;
		high = 0xbf;
	}
	return length;
}

uint32_t utf8_decode(const unsigned char *p, int length)
{
	uint32_t c = length == 1 ? *p : *p & (0x7fu >> length);

	for (int i = 1; i < length; i++)
		c = c << 6 | (p[i] & 0x3fu);
	return c;
}

size_t utf8_cut(struct span text, size_t n)
{
	size_t back = 0;

	if (n >= text.n)
		return text.n;
	while (back < 3 && back < n && (text.at[n - back] & 0xc0) == 0x80)
		back++;
	return (text.at[n - back] & 0xc0) == 0x80 ? n : n - back;
}

bool utf8_is_valid(struct span text)
{
	for (size_t i = 0; i < text.n;) {
		int n = utf8_sequence((const unsigned char *)text.at + i, text.n - i);

		if (n < 0)
			return false;
		i += (size_t)n;
	}
	return true;
}

char *utf8_put(char *to, uint32_t c)
{
	if (c < 0x80) {
		*to++ = (char)c;
		return to;
	}
	if (c < 0x800) {
		*to++ = (char)(0xc0 | c >> 6);
	} else {
		if (c < 0x10000) {
			*to++ = (char)(0xe0 | c >> 12);
		} else {
			*to++ = (char)(0xf0 | c >> 18);
			*to++ = (char)(0x80 | (c >> 12 & 0x3f));
		}
		*to++ = (char)(0x80 | (c >> 6 & 0x3f));
	}
	*to++ = (char)(0x80 | (c & 0x3f));
	return to;
}

/* ---- columns ------------------------------------------------------------------ */

struct range {
	uint32_t first, last;
};

static const struct range combining[] = {{0x300, 0x36f}, {0x483, 0x489}, {0x591, 0x5bd},
	{0x610, 0x61a}, {0x64b, 0x65f}, {0x93c, 0x93c}, {0x941, 0x948}, {0x94d, 0x94d},
	{0xe31, 0xe31}, {0xe34, 0xe3a}, {0xe47, 0xe4e}, {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff},
	{0x200b, 0x200f}, {0x20d0, 0x20ff}, {0x302a, 0x302d}, {0x3099, 0x309a}, {0xfe00, 0xfe0f},
	{0xfe20, 0xfe2f}, {0xfeff, 0xfeff}, {0xe0100, 0xe01ef}};

static const struct range wide[] = {{0x1100, 0x115f}, {0x2e80, 0x303e}, {0x3041, 0x4dbf},
	{0x4e00, 0xa4cf}, {0xa960, 0xa97c}, {0xac00, 0xd7a3}, {0xf900, 0xfaff}, {0xfe30, 0xfe6f},
	{0xff01, 0xff60}, {0xffe0, 0xffe6}, {0x16fe0, 0x18aff}, {0x1b000, 0x1b2ff},
	{0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff}, {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd}};

static bool is_in(uint32_t c, const struct range *ranges, size_t n)
{
	for (size_t i = 0; i < n && ranges[i].first <= c; i++)
		if (c <= ranges[i].last)
			return true;
	return false;
}

size_t utf8_width(struct span text)
{
	const unsigned char *p = (const unsigned char *)text.at, *end = p + text.n;
	size_t width = 0;

	while (p < end) {
		int length = utf8_sequence(p, (size_t)(end - p));
		uint32_t c = length > 1 ? utf8_decode(p, length) : 0;

		if (length < 1)
			width += (size_t)-length;
		else if (is_in(c, wide, sizeof(wide) / sizeof(*wide)))
			width += 2;
		else
			width += !is_in(c, combining, sizeof(combining) / sizeof(*combining));
		p += length < 0 ? -length : length;
	}
	return width;
}
