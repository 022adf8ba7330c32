/* What the bare scans share. */
#ifndef TFPROF_BENCH_EACH_H
#define TFPROF_BENCH_EACH_H

#include "proto/wire.h"

/* Calls `scan` for each field of a tag. */
static void each(struct span message, uint32_t tag, void (*scan)(struct span))
{
	struct wire_reader r = wire_reader(message);
	struct wire_field f;

	while (wire_next(&r, &f))
		if (f.tag == tag)
			scan(f.bytes);
}

#endif
