/* A growing byte buffer whose failure sticks: keep writing, and check `failed` once at
 * the end. The bytes always end in a NUL that is not counted, unless nothing was ever
 * written. */
#ifndef TFPROF_BASE_BUF_H
#define TFPROF_BASE_BUF_H

#include <stdint.h>
#include <string.h>

#include "base/mem.h"
#include "base/span.h"

struct buf {
	char *at;
	size_t n, cap;
	bool failed;
};

/* Room for `more` bytes and the NUL. */
static inline bool buf_reserve(struct buf *b, size_t more)
{
	if (b->cap - b->n > more)
		return true;
	if (b->failed || more == SIZE_MAX ||
		!mem_grow((void **)&b->at, &b->cap, b->n, more + 1, 1)) {
		b->failed = true;
		return false;
	}
	return true;
}

static inline void buf_put(struct buf *b, const void *bytes, size_t n)
{
	if (!n || !buf_reserve(b, n))
		return;
	memcpy(b->at + b->n, bytes, n);
	b->n += n;
	b->at[b->n] = '\0';
}

static inline void buf_span(struct buf *b, struct span s)
{
	buf_put(b, s.at, s.n);
}

static inline void buf_text(struct buf *b, const char *text)
{
	buf_put(b, text, strlen(text));
}

static inline void buf_char(struct buf *b, char c)
{
	if (!buf_reserve(b, 1))
		return;
	b->at[b->n++] = c;
	b->at[b->n] = '\0';
}

/* Decimal digits, into memory that has room for BUF_INT_MAX; returns the end. */
enum { BUF_INT_MAX = 20 };
char *buf_write_int(char *at, int64_t value);

void buf_fill(struct buf *b, char c, size_t n);
void buf_int(struct buf *b, int64_t value);
void buf_printf(struct buf *b, const char *format, ...) __attribute__((format(printf, 2, 3)));

static inline struct span buf_get(const struct buf *b)
{
	return (struct span){b->at ? b->at : "", b->n};
}

/* Empties it, but keeps its memory. */
static inline void buf_reset(struct buf *b)
{
	b->n = 0;
	if (b->at)
		b->at[0] = '\0';
}

static inline void buf_clear(struct buf *b)
{
	mem_free(b->at);
	*b = (struct buf){0};
}

#endif
