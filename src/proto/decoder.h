/* Decodes messages. The first error sticks, so it is checked once, at the end:
 *
 *     struct decoder d = {0};
 *     struct wire_reader r = wire_reader(message);
 *     struct wire_field f;
 *     while (decoder_next(&d, &r, &f))
 *             switch (f.tag) {
 *             case WIRE_LEN(NODE_DEF_NAME): name = f.bytes; break;
 *             case WIRE_LEN(NODE_DEF_ATTR): read_attr(&d, f.bytes); break;
 *             }
 *     if (d.failed) → malformed at byte d.bad, or out of memory if that is NULL
 *
 * Nested messages use the decoder of the outer one. After an error the values read
 * are incomplete but safe to use; a loop over many messages stops at d.failed. */
#ifndef TFPROF_PROTO_DECODER_H
#define TFPROF_PROTO_DECODER_H

#include "proto/fields.h"
#include "proto/wire.h"

struct decoder {
	const char *bad; /* malformed here; NULL: out of memory */
	bool failed;
};

static inline void decoder_fail(struct decoder *d, const char *bad)
{
	if (d->failed)
		return;
	d->failed = true;
	d->bad = bad;
}

/* Notes a failed allocation and returns `ok`: decoder_alloc(&d, vec_push(…)). */
static inline bool decoder_alloc(struct decoder *d, bool ok)
{
	if (!ok)
		decoder_fail(d, NULL);
	return ok;
}

/* Notes the error of a reader at its end, if any. Returns false. */
static inline bool decoder_end(struct decoder *d, const struct wire_reader *r)
{
	if (r->bad)
		decoder_fail(d, r->bad);
	return false;
}

/* The next field of a message; false at its end. */
static inline bool decoder_next(struct decoder *d, struct wire_reader *r, struct wire_field *f)
{
	return wire_next(r, f) || decoder_end(d, r);
}

/* The next field with this tag. */
static inline bool decoder_find(struct decoder *d, struct wire_reader *r, uint32_t tag,
	struct wire_field *f)
{
	while (decoder_next(d, r, f))
		if (f->tag == tag)
			return true;
	return false;
}

/* Checks a message that is not decoded now, without its nested messages. */
static inline void decoder_check(struct decoder *d, struct span message)
{
	const char *bad;

	if (!wire_check(message, &bad))
		decoder_fail(d, bad);
}

/* The next item of a packed field. */
static inline bool decoder_next_packed(struct decoder *d, struct wire_reader *r, uint64_t *value)
{
	return wire_packed_next(r, value) || decoder_end(d, r);
}

/* An entry of a map. Members that the map's type does not have, or that are absent,
 * are 0 or empty; .at of an absent value is NULL. */
struct map_entry {
	int64_t key, number;
	struct span text_key, value;
};

/* Inlined: saved profiles have one or two per node, and a call costs 2 % of loading them. */
static inline __attribute__((always_inline)) struct map_entry map_entry_read(struct decoder *d,
	struct span message)
{
	struct wire_reader r = wire_reader(message);
	struct wire_field f;
	struct map_entry entry = {.text_key = {"", 0}};

	while (decoder_next(d, &r, &f))
		switch (f.tag) {
		case WIRE_VARINT(MAP_KEY): entry.key = (int64_t)f.value; break;
		case WIRE_LEN(MAP_KEY): entry.text_key = f.bytes; break;
		case WIRE_VARINT(MAP_VALUE): entry.number = (int64_t)f.value; break;
		case WIRE_LEN(MAP_VALUE): entry.value = f.bytes; break;
		}
	return entry;
}

#endif
