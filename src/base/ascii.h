/* Kinds of ASCII characters, whatever the locale. */
#ifndef TFPROF_BASE_ASCII_H
#define TFPROF_BASE_ASCII_H

#include "base/span.h"

static inline bool ascii_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline bool ascii_is_letter(char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

static inline char ascii_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

static inline bool ascii_is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* How many digits a text begins with. */
static inline size_t ascii_leading_digits(struct span text)
{
	size_t n = 0;

	while (n < text.n && ascii_is_digit(text.at[n]))
		n++;
	return n;
}

/* How many digits a text ends with. */
static inline size_t ascii_trailing_digits(struct span text)
{
	size_t n = 0;

	while (n < text.n && ascii_is_digit(text.at[text.n - 1 - n]))
		n++;
	return n;
}

/* The text without white space at its ends. */
static inline struct span ascii_trim(struct span text)
{
	while (text.n && ascii_is_space(text.at[text.n - 1]))
		text.n--;
	while (text.n && ascii_is_space(text.at[0]))
		text = span_from(text, 1);
	return text;
}

#endif
