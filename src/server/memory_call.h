/* Memory over time, of a call's step or of all of them. */
#ifndef TFPROF_SERVER_MEMORY_CALL_H
#define TFPROF_SERVER_MEMORY_CALL_H

#include "server/timeline_call.h"

/* A tfprof_memory is kept. Release it and close the timeline, also on failure. */
enum tfprof_status memory_open(struct call *c, struct timeline_call *t, struct kept **kept,
	struct tfprof_error *err);

#endif
