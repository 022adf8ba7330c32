/* What a device name says. All of it looks at the lower-cased name. */
#ifndef TFPROF_MODEL_DEVICE_H
#define TFPROF_MODEL_DEVICE_H

#include "base/buf.h"

enum device_kind {
	DEVICE_CANONICAL = 1,  /* a node can be placed here; its time is cpu time */
	DEVICE_STREAM_ALL = 2, /* its time is accelerator time */
	DEVICE_ACCELERATOR = 4,
	DEVICE_CPU = 8,
};

/* The name in lower case, written over what `b` held. */
void device_lower(struct buf *b, struct span name);

/* Of a lower-cased name: a set of the bits above. */
unsigned device_kind(struct span lower);

/* The host of a device: every gpu:<digits> replaced by cpu:0, written over
 * what `b` held. */
void device_host(struct buf *b, struct span lower);

#endif
