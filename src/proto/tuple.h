/* The numbers of a Tuple, packed or not. */
#ifndef TFPROF_PROTO_TUPLE_H
#define TFPROF_PROTO_TUPLE_H

#include "proto/decoder.h"

typedef void tuple_fn(void *context, int64_t value);

/* Calls each(context, number) for all of them. Always inline: the function is known at
 * each call, and loading a profile reads a Tuple per exec. */
static inline __attribute__((always_inline)) void tuple_read(struct decoder *d, struct span message,
	tuple_fn *each, void *context)
{
	struct wire_reader r = wire_reader(message), packed;
	struct wire_field f;
	uint64_t value;

	while (decoder_next(d, &r, &f)) {
		if (f.tag == WIRE_VARINT(TUPLE_INT64_VALUES)) {
			each(context, (int64_t)f.value);
		} else if (f.tag == WIRE_LEN(TUPLE_INT64_VALUES)) {
			packed = wire_reader(f.bytes);
			while (decoder_next_packed(d, &packed, &value))
				each(context, (int64_t)value);
		}
	}
}

#endif
