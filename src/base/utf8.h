/* UTF-8. Text from users may be invalid. */
#ifndef TFPROF_BASE_UTF8_H
#define TFPROF_BASE_UTF8_H

#include <stdint.h>

#include "base/span.h"

/* Replaces invalid bytes: U+FFFD. */
#define UTF8_REPLACEMENT "\xef\xbf\xbd"

/* The length of the sequence at `p`, of n bytes to come; if it is invalid, minus the
 * length of its longest valid beginning, at least 1 (Unicode's table 3-7). */
int utf8_sequence(const unsigned char *p, size_t n);

/* The character of a valid sequence. */
uint32_t utf8_decode(const unsigned char *p, int length);

bool utf8_is_valid(struct span text);

/* Encodes a character up to U+10FFFF in up to 4 bytes; returns where they end. */
char *utf8_put(char *to, uint32_t c);

/* How many of the first n bytes of a text to keep, so that no character is cut. */
size_t utf8_cut(struct span text, size_t n);

/* The columns a text takes on a terminal: 2 for ideographs, syllables of Hangul and emoji, 0 for
 * marks that combine, 1 for others, also for each byte that is not UTF-8. */
size_t utf8_width(struct span text);

#endif
