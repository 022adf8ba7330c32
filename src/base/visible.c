#include "base/visible.h"

#include "base/utf8.h"

static bool is_harmless(uint32_t code)
{
	if (code < 0x20 || (code >= 0x7f && code < 0xa0))
		return false;
	switch (code) {
	case 0x061c: /* Arabic letter mark */
	case 0x200e: /* left-to-right and right-to-left mark */
	case 0x200f:
	case 0x2028: /* line and paragraph separator */
	case 0x2029: return false;
	}
	/* embeddings, overrides and isolates */
	return !(code >= 0x202a && code <= 0x202e) && !(code >= 0x2066 && code <= 0x2069);
}

static void put_escape(struct buf *b, uint32_t code)
{
	static const char letters[] = {['\n'] = 'n', ['\r'] = 'r', ['\t'] = 't'};

	buf_char(b, '\\');
	if (code < sizeof(letters) && letters[code])
		buf_char(b, letters[code]);
	else if (code < 0x80)
		buf_printf(b, "x%02x", (unsigned)code);
	else
		buf_printf(b, "u%04x", (unsigned)code);
}

void visible_mask(char *text, size_t n)
{
	unsigned char *at = (unsigned char *)text, *end = at + n;

	while (at < end) {
		int size = utf8_sequence(at, (size_t)(end - at));

		if (size < 0 || !is_harmless(utf8_decode(at, size)))
			memset(at, '?', (size_t)(size < 0 ? -size : size));
		at += size < 0 ? -size : size;
	}
}

void visible_put_slow(struct buf *b, struct span text, bool keeps_lines)
{
	const unsigned char *at = (const unsigned char *)text.at, *end = at + text.n;

	while (at < end) {
		int n = utf8_sequence(at, (size_t)(end - at));

		if (n < 0) {
			for (; n < 0; n++)
				buf_printf(b, "\\x%02x", *at++);
			continue;
		}
		if (is_harmless(utf8_decode(at, n)) || (keeps_lines && *at == '\n'))
			buf_put(b, at, (size_t)n);
		else
			put_escape(b, utf8_decode(at, n));
		at += n;
	}
}
