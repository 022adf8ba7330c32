/* Memory over time: what allocators had in use, and who held it.
 *
 *     curve ── readings    (time, bytes), by time: what was in use
 *           ── changes     (time, bytes, holder), by time: taken and given back
 *
 * Traces have a curve per allocator, of all its events. Run metadata has one per device: an
 * allocator was read when a node was done, and the records of its allocations are the changes. */
#ifndef TFPROF_ASK_CURVES_H
#define TFPROF_ASK_CURVES_H

#include "model/model.h"

struct memory_reading {
	int64_t time_us, bytes;
};

struct memory_change {
	int64_t time_us, bytes; /* below 0: given back */
	int64_t requested;      /* of the piece, before rounding; 0: not known */
	uint32_t node;          /* NONE: not known */
	uint32_t shape;         /* string id; 0: not known */
};

struct memory_curve {
	uint32_t name;                       /* string id: an allocator or a device */
	const struct memory_pool *pool;      /* NULL: of run metadata */
	VEC(struct memory_reading) readings; /* at least one */
	VEC(struct memory_change) changes;
	int64_t peak_bytes, peak_us;
	size_t n_changes_at_peak; /* of the changes, those up to the peak */
	int64_t reserved_bytes;   /* at the peak */
	bool counts_all;          /* what no change accounts for was there before */
};

struct memory_curves {
	VEC(struct memory_curve) at; /* accelerators first, then the larger peak */
};

/* Of a step, or all (-1). False on allocation failure; clear in any case. */
bool memory_curves_read(struct memory_curves *c, const struct model *m, int64_t step);
void memory_curves_clear(struct memory_curves *c);
/* Whether there is something to read. */
bool memory_curves_exist(const struct model *m);

#endif
