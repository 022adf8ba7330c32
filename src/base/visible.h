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

/* Whether all bytes are printable ASCII: eight at a time, as every name of a report is
 * looked at. */
static inline bool visible_is_plain(struct span text)
{
	const uint64_t ones = 0x0101010101010101, highs = 0x8080808080808080;
	uint64_t bad = 0, word;
	size_t i = 0;

	for (; i + sizeof(word) <= text.n; i += sizeof(word)) {
		memcpy(&word, text.at + i, sizeof(word));
		/* below 0x20, above 0x7e, or beyond ASCII */
		bad |= (word - ones * 0x20) | (word + ones) | word;
	}
	bad &= highs;
	for (; i < text.n; i++)
		bad |= text.at[i] < 0x20 || text.at[i] > 0x7e;
	return !bad;
}

static inline void visible_put(struct buf *b, struct span text)
{
	if (visible_is_plain(text))
		buf_span(b, text);
	else
		visible_put_slow(b, text, false);
}

#endif
