/* Text of others, shown to people: nothing in it may move the cursor, change colours,
 * end a line or turn the direction of writing. What could is written as an escape:
 *
 *     \n \r \t      as in C
 *     \x1b          other control characters, and bytes that are not UTF-8
 *     \u202e        control characters beyond ASCII, line and paragraph separators,
 *                   and those of bidirectional text
 *
 * A backslash stays as it is: this is for reading, not for reading back. */
#ifndef TFPROF_BASE_VISIBLE_H
#define TFPROF_BASE_VISIBLE_H

#include "base/buf.h"

void visible_put_slow(struct buf *b, struct span text, bool keeps_lines);

/* Replaces each such byte with a question mark, for callers that cannot allocate. */
void visible_mask(char *text, size_t n);

/* Of eight bytes: nonzero high bits for those below 0x20, above 0x7e, or beyond ASCII. */
static inline uint64_t visible_find_odd(const char *at)
{
	const uint64_t ones = 0x0101010101010101;
	uint64_t word;

	memcpy(&word, at, sizeof(word));
	return (word - ones * 0x20) | (word + ones) | word;
}

/* Whether all bytes are printable ASCII. Every name of a report is looked at, so this takes
 * eight at a time, of which the last may overlap those before. */
static inline bool visible_is_plain(struct span text)
{
	uint64_t odd = 0;
	size_t i = 0;

	if (text.n < sizeof(odd)) {
		while (i < text.n && text.at[i] >= 0x20 && text.at[i] <= 0x7e)
			i++;
		return i == text.n;
	}
	for (; i < text.n - sizeof(odd); i += sizeof(odd))
		odd |= visible_find_odd(text.at + i);
	odd |= visible_find_odd(text.at + text.n - sizeof(odd));
	return !(odd & 0x8080808080808080);
}

static inline void visible_put(struct buf *b, struct span text)
{
	if (visible_is_plain(text))
		buf_span(b, text);
	else
		visible_put_slow(b, text, false);
}

#endif
