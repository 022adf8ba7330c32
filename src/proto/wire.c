#include "proto/wire.h"

static bool fail(struct wire_reader *r, const char *where)
{
	r->bad = where;
	r->at = r->end;
	return false;
}

/* Takes one of nine or ten bytes: negative numbers and ids that are hashes. */
static bool take_long(struct wire_reader *r, uint64_t *value)
{
	uint64_t word;
	unsigned char ninth, tenth;

	if (r->end - r->at < 10)
		return false;
	memcpy(&word, r->at, 8);
	ninth = (unsigned char)r->at[8];
	tenth = ninth < 0x80 ? 0 : (unsigned char)r->at[9];
	if (~word & 0x8080808080808080 || tenth >= 0x80)
		return false;
	*value = wire_pack_groups(word) | (uint64_t)(ninth & 0x7f) << 56 | (uint64_t)tenth << 63;
	r->at += ninth < 0x80 ? 9 : 10;
	return true;
}

bool wire_varint_slow(struct wire_reader *r, uint64_t *value)
{
	const char *start = r->at;
	uint64_t v = 0;

	if (take_long(r, value))
		return true;
	for (unsigned shift = 0; shift < 70; shift += 7) {
		unsigned char byte;

		if (r->at == r->end)
			return fail(r, start);
		byte = (unsigned char)*r->at++;
		if (shift < 64)
			v |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80) {
			*value = v;
			return true;
		}
	}
	return fail(r, start);
}

static bool fixed(struct wire_reader *r, struct wire_field *f, size_t n)
{
	if ((size_t)(r->end - r->at) < n)
		return fail(r, r->at);
	f->value = 0;
	memcpy(&f->value, r->at, n); /* little-endian, like all supported machines */
	r->at += n;
	return true;
}

/* Skips everything up to the end tag of a group, including nested groups. */
static bool group(struct wire_reader *r, struct wire_field *f)
{
	const char *start = r->at;
	uint32_t number = f->tag >> 3;
	size_t depth = 1;
	uint64_t tag, n;

	for (;;) {
		const char *at = r->at;

		if (!wire_varint(r, &tag) || tag >> 3 == 0 || tag > UINT32_MAX)
			return fail(r, at);
		switch (tag & 7) {
		case WIRE_T_VARINT:
			if (!wire_varint(r, &n))
				return false;
			break;
		case WIRE_T_I64:
		case WIRE_T_I32:
			n = (tag & 7) == WIRE_T_I64 ? 8 : 4;
			if ((uint64_t)(r->end - r->at) < n)
				return fail(r, at);
			r->at += n;
			break;
		case WIRE_T_LEN:
			if (!wire_varint(r, &n) || n > (uint64_t)(r->end - r->at))
				return fail(r, at);
			r->at += n;
			break;
		case WIRE_T_START: depth++; break;
		case WIRE_T_END:
			if (--depth)
				break;
			if (tag >> 3 != number)
				return fail(r, at);
			f->bytes = (struct span){start, (size_t)(at - start)};
			return true;
		default: return fail(r, at);
		}
	}
}

bool wire_next_slow(struct wire_reader *r, struct wire_field *f)
{
	const char *start = r->at;
	uint64_t tag, n;

	if (!wire_varint(r, &tag))
		return false;
	if (tag >> 3 == 0 || tag > UINT32_MAX)
		return fail(r, start);
	f->tag = (uint32_t)tag;
	switch (tag & 7) {
	case WIRE_T_VARINT: return wire_varint(r, &f->value);
	case WIRE_T_I64: return fixed(r, f, 8);
	case WIRE_T_I32: return fixed(r, f, 4);
	case WIRE_T_LEN:
		if (!wire_varint(r, &n))
			return false;
		if (n > (uint64_t)(r->end - r->at))
			return fail(r, start);
		f->bytes = (struct span){r->at, (size_t)n};
		r->at += n;
		return true;
	case WIRE_T_START: return group(r, f);
	default: return fail(r, start);
	}
}

/* Skips fields that are numbers of one or two bytes, as nearly all are in messages that
 * are only checked. Returns where something else begins. */
static inline const char *skip_small(const char *at, const char *end)
{
	while (end - at >= 2 && *at && (*at & 0x87) == WIRE_T_VARINT) {
		ptrdiff_t n = 2 + ((unsigned char)at[1] >> 7);

		if (n > end - at || (unsigned char)at[n - 1] >= 0x80)
			break;
		at += n;
	}
	return at;
}

static __attribute__((noinline)) bool check_rest(struct wire_reader r, const char **bad)
{
	struct wire_field f;

	while (wire_next(&r, &f))
		r.at = skip_small(r.at, r.end);
	*bad = r.bad;
	return !r.bad;
}

bool wire_check(struct span message, const char **bad)
{
	struct wire_reader r = wire_reader(message);

	r.at = skip_small(r.at, r.end);
	if (r.at < r.end)
		return check_rest(r, bad);
	*bad = NULL;
	return true;
}

void wire_split(struct span message, struct span *pieces, size_t n)
{
	struct wire_reader r = wire_reader(message);
	struct wire_field f;
	const char *begin = r.at;

	for (size_t i = 0; i < n; i++) {
		size_t goal = i + 1 < n ? message.n / n * (i + 1) : message.n;

		while (i + 1 < n && (size_t)(r.at - message.at) < goal && wire_next(&r, &f))
			;
		/* Reading the piece will report what is malformed. */
		if (i + 1 == n || r.bad)
			r.at = r.end;
		pieces[i] = (struct span){begin, (size_t)(r.at - begin)};
		begin = r.at;
	}
}
