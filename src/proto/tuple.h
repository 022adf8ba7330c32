/* Iterates over the numbers of a Tuple, packed or not. */
#ifndef TFPROF_PROTO_TUPLE_H
#define TFPROF_PROTO_TUPLE_H

#include "proto/decoder.h"

struct tuple {
	struct wire_reader r, packed;
};

static inline struct tuple tuple(struct span message)
{
	return (struct tuple){.r = wire_reader(message)};
}

/* Always inline: loading a profile reads one Tuple per exec, and a call per number costs
 * 2 % of that. */
static inline __attribute__((always_inline)) bool tuple_next(struct decoder *d, struct tuple *t,
	int64_t *value)
{
	struct wire_field f;
	uint64_t number;

	while (!decoder_next_packed(d, &t->packed, &number)) {
		if (!decoder_next(d, &t->r, &f))
			return false;
		number = f.value;
		if (f.tag == WIRE_VARINT(TUPLE_INT64_VALUES))
			break;
		if (f.tag == WIRE_LEN(TUPLE_INT64_VALUES))
			t->packed = wire_reader(f.bytes);
	}
	*value = (int64_t)number;
	return true;
}

#endif
