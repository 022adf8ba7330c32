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

size_t utf8_cut(struct span text, size_t n)
{
	size_t back = 0;

	if (n >= text.n)
		return text.n;
	while (back < 3 && back < n && (text.at[n - back] & 0xc0) == 0x80)
		back++;
	return (text.at[n - back] & 0xc0) == 0x80 ? n : n - back;
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
