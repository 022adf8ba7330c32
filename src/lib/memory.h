/* Memory over time, moment by moment. Not public: only the page draws it. */
#ifndef TFPROF_LIB_MEMORY_H
#define TFPROF_LIB_MEMORY_H

#include <tfprof/tfprof.h>

/* Calls `fn` for what nodes took and gave back (bytes below 0), by time, until it returns other
 * than 0. */
typedef int memory_change_fn(void *context, uint64_t node, int64_t time_micros, int64_t bytes);
void memory_each_change(const tfprof_memory *memory, size_t device, memory_change_fn *fn,
	void *context);

#endif
