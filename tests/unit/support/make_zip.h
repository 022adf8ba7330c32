/* A zip archive with one stored member, byte by byte as its specification (APPNOTE.TXT) says. */
#ifndef TESTS_MAKE_ZIP_H
#define TESTS_MAKE_ZIP_H

#include <string.h>

#include "base/buf.h"

static inline void put_number(struct buf *b, uint32_t value, int n)
{
	while (n-- > 0) {
		buf_char(b, (char)value);
		value >>= 8;
	}
}

/* Version, flags, method, time, date, CRC (not checked), sizes, length of the name and of what
 * follows it. */
static inline void put_member(struct buf *b, struct span name, uint32_t size)
{
	put_number(b, 20, 2);
	for (int i = 0; i < 4; i++)
		put_number(b, 0, 2);
	put_number(b, 0, 4);
	put_number(b, size, 4);
	put_number(b, size, 4);
	put_number(b, (uint32_t)name.n, 2);
	put_number(b, 0, 2);
}

static inline struct buf make_zip(const char *name, struct span content, const char *comment)
{
	struct buf b = {0};
	uint32_t directory;

	buf_text(&b, "PK\x03\x04");
	put_member(&b, span_of(name), (uint32_t)content.n);
	buf_text(&b, name);
	buf_span(&b, content);
	directory = (uint32_t)b.n;
	buf_text(&b, "PK\x01\x02");
	put_number(&b, 20, 2);
	put_member(&b, span_of(name), (uint32_t)content.n);
	put_number(&b, 0, 2); /* comment */
	put_number(&b, 0, 2); /* disk */
	put_number(&b, 0, 2); /* attributes */
	put_number(&b, 0, 4);
	put_number(&b, 0, 4); /* where the member is */
	buf_text(&b, name);
	put_number(&b, 0x06054b50, 4);
	put_number(&b, 0, 4); /* disks */
	put_number(&b, 1, 2);
	put_number(&b, 1, 2);
	put_number(&b, (uint32_t)b.n - directory - 12, 4);
	put_number(&b, directory, 4);
	put_number(&b, (uint32_t)strlen(comment), 2);
	buf_text(&b, comment);
	return b;
}

#endif
