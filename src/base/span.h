/* Text or bytes that someone else owns. */
#ifndef TFPROF_BASE_SPAN_H
#define TFPROF_BASE_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct span {
	const char *at;
	size_t n;
};

#define SPAN(literal) ((struct span){literal, sizeof(literal) - 1})

static inline struct span span_of(const char *text)
{
	return (struct span){text, strlen(text)};
}

static inline bool span_equal(struct span a, struct span b)
{
	return a.n == b.n && (a.n == 0 || memcmp(a.at, b.at, a.n) == 0);
}

/* Plain byte order; a prefix comes first. */
static inline int span_compare(struct span a, struct span b)
{
	size_t n = a.n < b.n ? a.n : b.n;
	int c = n ? memcmp(a.at, b.at, n) : 0;

	return c ? c : (a.n > b.n) - (a.n < b.n);
}

static inline bool span_starts(struct span text, struct span start)
{
	return text.n >= start.n && span_equal((struct span){text.at, start.n}, start);
}

static inline bool span_ends(struct span text, struct span end)
{
	return text.n >= end.n && span_equal((struct span){text.at + text.n - end.n, end.n}, end);
}

/* What follows the first n bytes; there must be at least n. */
static inline struct span span_from(struct span text, size_t n)
{
	return (struct span){text.at + n, text.n - n};
}

/* Where `needle` first occurs in `hay`; hay.n if it does not. */
static inline size_t span_find(struct span hay, struct span needle)
{
	const char *hit;

	if (needle.n == 0)
		return 0;
	hit = hay.n ? memmem(hay.at, hay.n, needle.at, needle.n) : NULL;
	return hit ? (size_t)(hit - hay.at) : hay.n;
}

static inline bool span_contains(struct span hay, struct span needle)
{
	return needle.n == 0 || span_find(hay, needle) < hay.n;
}

/* What is before the first `c`; all of the text if it has none. */
static inline struct span span_before(struct span text, char c)
{
	const char *hit = text.n ? memchr(text.at, c, text.n) : NULL;

	return hit ? (struct span){text.at, (size_t)(hit - text.at)} : text;
}

/* What is after the last `c`; all of the text if it has none. */
static inline struct span span_after_last(struct span text, char c)
{
	const char *hit = text.n ? memrchr(text.at, c, text.n) : NULL;

	return hit ? span_from(text, (size_t)(hit + 1 - text.at)) : text;
}

/* Removes what is before the first `c`, and this `c`, from the text and returns it; all of the
 * text if it has none. */
static inline struct span span_cut(struct span *text, char c)
{
	struct span head = span_before(*text, c);

	if (text->n)
		*text = span_from(*text, head.n + (head.n < text->n));
	return head;
}

/* A copy that ends in a NUL, for mem_free(); NULL on allocation failure. */
char *span_copy(struct span text);

#endif
