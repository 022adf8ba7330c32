/* Reads the protobuf wire format in place: no allocation, no copy, no
 * recursion, no size limit.
 *
 *     struct wire_reader r = wire_reader(bytes);
 *     struct wire_field f;
 *     while (wire_next(&r, &f))
 *             switch (f.tag) {
 *             case WIRE_LEN(NODE_DEF_NAME): name = f.bytes; break;
 *             case WIRE_LEN(NODE_DEF_OP): op = f.bytes; break;
 *             }                      // anything else is skipped
 *     if (r.bad) → malformed at byte r.bad
 *
 * A nested message is a reader over f.bytes. As in protobuf, a field of a known number
 * but another wire type is an unknown field. */
#ifndef TFPROF_PROTO_WIRE_H
#define TFPROF_PROTO_WIRE_H

#include <stdint.h>

#include "base/prefetch.h"
#include "base/span.h"

enum wire_type { WIRE_T_VARINT, WIRE_T_I64, WIRE_T_LEN, WIRE_T_START, WIRE_T_END, WIRE_T_I32 };

#define WIRE_VARINT(number) ((uint32_t)(number) << 3 | WIRE_T_VARINT)
#define WIRE_I64(number) ((uint32_t)(number) << 3 | WIRE_T_I64)
#define WIRE_LEN(number) ((uint32_t)(number) << 3 | WIRE_T_LEN)
#define WIRE_I32(number) ((uint32_t)(number) << 3 | WIRE_T_I32)

struct wire_reader {
	const char *at, *end;
	const char *bad; /* where the bytes are malformed, or NULL */
};

struct wire_field {
	uint32_t tag;      /* field number and wire type, see WIRE_LEN(…) */
	uint64_t value;    /* varint and fixed */
	struct span bytes; /* length-delimited; for a group, its content */
};

static inline struct wire_reader wire_reader(struct span bytes)
{
	/* adding even 0 to NULL is undefined */
	return (struct wire_reader){bytes.at, bytes.n ? bytes.at + bytes.n : bytes.at, NULL};
}

/* The general cases, out of line. They get copies, so that the originals, whose address
 * is not taken, stay in registers. */
bool wire_varint_slow(struct wire_reader *r, uint64_t *value);
bool wire_next_slow(struct wire_reader *r, struct wire_field *f);

static inline bool wire_varint_general(struct wire_reader *r, uint64_t *value)
{
	struct wire_reader copy = *r;
	uint64_t v = 0;
	bool ok = wire_varint_slow(&copy, &v);

	*r = copy;
	*value = v;
	return ok;
}

static inline bool wire_next_general(struct wire_reader *r, struct wire_field *f)
{
	struct wire_reader copy = *r;
	struct wire_field field = {0};
	bool ok = wire_next_slow(&copy, &field);

	*r = copy;
	*f = field;
	return ok;
}

/* Joins the low seven bits of each byte. */
static inline uint64_t wire_pack_groups(uint64_t word)
{
	word &= 0x7f7f7f7f7f7f7f7f;
	word = (word & 0x007f007f007f007f) | (word & 0x7f007f007f007f00) >> 1;
	word = (word & 0x00003fff00003fff) | (word & 0x3fff00003fff0000) >> 2;
	return (word & 0x000000000fffffff) | (word & 0x0fffffff00000000) >> 4;
}

/* One byte is the common case, two bytes are most lengths of messages. Up to eight are
 * decoded without a loop; longer ones (negative numbers) and those near the end byte by
 * byte. */
static inline bool wire_varint(struct wire_reader *r, uint64_t *value)
{
	if (r->at < r->end && (unsigned char)*r->at < 0x80) {
		*value = (unsigned char)*r->at++;
		return true;
	}
	if (r->end - r->at >= 8) {
		uint64_t word, stops;

		memcpy(&word, r->at, 8);
		stops = ~word & 0x8080808080808080;
		if (stops & 0x8000) {
			*value = (word & 0x7f) | (word >> 1 & 0x3f80);
			r->at += 2;
			return true;
		}
		if (stops) {
			/* all bits up to the first stop */
			*value = wire_pack_groups(word & (stops ^ (stops - 1)));
			r->at += __builtin_ctzll(stops) / 8 + 1;
			return true;
		}
	}
	return wire_varint_general(r, value);
}

/* The next field; false at the end or when the bytes are malformed. */
static inline bool wire_next(struct wire_reader *r, struct wire_field *f)
{
	uint64_t n;
	unsigned char tag;

	*f = (struct wire_field){0};
	if (r->at >= r->end)
		return false;
	tag = (unsigned char)*r->at;
	if ((unsigned char)(tag - 8) < 0x80 - 8) {
		if ((tag & 7) == WIRE_T_LEN) {
			const char *start = r->at++;

			if (wire_varint(r, &n) && n <= (uint64_t)(r->end - r->at)) {
				f->tag = tag;
				f->bytes = (struct span){r->at, (size_t)n};
				r->at += n;
				return true;
			}
			r->at = start;
		} else if ((tag & 7) == WIRE_T_VARINT) {
			r->at++;
			f->tag = tag;
			return wire_varint(r, &f->value);
		}
	}
	return wire_next_general(r, f);
}

/* Takes the next field if it is a varint of this number, below 16, and well-formed. */
static inline bool wire_take_varint(struct wire_reader *r, uint32_t number, uint64_t *value)
{
	struct wire_reader after = *r;

	if (after.at >= after.end || *after.at != (char)WIRE_VARINT(number))
		return false;
	after.at++;
	if (!wire_varint(&after, value))
		return false;
	*r = after;
	return true;
}

/* For loops over many fields that are faster than memory: prefetches as many bytes as
 * this field took, 1 KB ahead. */
PREFETCHES wire_prefetch(const struct wire_reader *r, const struct wire_field *f)
{
	enum { AHEAD = 1024, ROOM = 2048 };

	if (r->end - r->at >= ROOM)
		prefetch_bytes(r->at + AHEAD, f->bytes.n);
}

/* The next item of a packed repeated field. */
static inline bool wire_packed_next(struct wire_reader *r, uint64_t *value)
{
	return r->at < r->end && wire_varint(r, value);
}

/* Whether the message is well-formed, not counting nested messages. */
bool wire_check(struct span message, const char **bad);

/* Splits a message between fields into n pieces of about the same size, some possibly
 * empty. There are no splits after malformed bytes: their piece extends to the end. */
void wire_split(struct span message, struct span *pieces, size_t n);

#endif
