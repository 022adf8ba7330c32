/* Writes the protobuf wire format to a buf. Zeros are written, too: the caller decides
 * what is absent. */
#ifndef TFPROF_PROTO_WIRE_WRITE_H
#define TFPROF_PROTO_WIRE_WRITE_H

#include "base/buf.h"
#include "proto/wire.h"

static inline size_t wire_varint_size(uint64_t value)
{
	return (size_t)(9 * (63 - __builtin_clzll(value | 1)) + 73) / 64;
}

/* Writes to memory with enough room; returns the end. */
enum { WIRE_VARINT_MAX = 10 };

static inline char *wire_write_varint(char *at, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		*at++ = (char)(value | 0x80);
	*at++ = (char)value;
	return at;
}

/* Writes a varint without a loop. May overwrite all of the next 10 bytes, whatever the
 * length of the value. Spreads groups of seven bits over a word, the inverse of
 * wire_pack_groups(). */
static inline char *wire_append_varint(char *at, uint64_t value)
{
	uint64_t word = value;
	unsigned bits;

	if (value < 0x80) {
		*at = (char)value;
		return at + 1;
	}
	if (value >> 56)
		return wire_write_varint(at, value);
	word = (word & 0x000000000fffffff) | (word & 0x00fffffff0000000) << 4;
	word = (word & 0x00003fff00003fff) | (word & 0x0fffc0000fffc000) << 2;
	word = (word & 0x007f007f007f007f) | (word & 0x3f803f803f803f80) << 1;
	bits = 8 * (unsigned)(wire_varint_size(value) - 1);
	word |= 0x8080808080808080 & (((uint64_t)1 << bits) - 1);
	memcpy(at, &word, 8);
	return at + bits / 8 + 1;
}

static inline void wire_put_varint(struct buf *b, uint64_t value)
{
	if (!buf_reserve(b, WIRE_VARINT_MAX))
		return;
	b->n = (size_t)(wire_write_varint(b->at + b->n, value) - b->at);
	b->at[b->n] = '\0';
}

static inline void wire_put_int(struct buf *b, uint32_t number, int64_t value)
{
	wire_put_varint(b, WIRE_VARINT(number));
	wire_put_varint(b, (uint64_t)value);
}

/* Like proto3: zero is absent. */
static inline void wire_put_nonzero(struct buf *b, uint32_t number, int64_t value)
{
	if (value)
		wire_put_int(b, number, value);
}

static inline void wire_put_bytes(struct buf *b, uint32_t number, struct span bytes)
{
	wire_put_varint(b, WIRE_LEN(number));
	wire_put_varint(b, bytes.n);
	buf_span(b, bytes);
}

/* A nested message of unknown length: write its content between the two calls. */
static inline size_t wire_open(struct buf *b, uint32_t number)
{
	wire_put_varint(b, WIRE_LEN(number));
	buf_char(b, 0);
	return b->n;
}

void wire_close(struct buf *b, size_t open);

#endif
