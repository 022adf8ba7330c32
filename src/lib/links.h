/* What belongs together on a timeline of threads: calls of the host and what they launched on
 * devices, and work of one thread for another. */
#ifndef TFPROF_LIB_LINKS_H
#define TFPROF_LIB_LINKS_H

#include "base/vec.h"
#include "load/xplane/threads.h"

/* Names are texts of the timeline, lanes are its own. */
struct link_end {
	uint32_t lane; /* NONE: of a device */
	uint32_t name; /* of a device: of its line */
	uint32_t device;
	int64_t start_us, end_us;
};

struct thread_link {
	struct link_end from, to;
};

typedef VEC(struct thread_link) thread_links;

/* Adds the links of a trace: sorts its marks. `texts`: of the timeline, by text of the trace; lanes
 * count from `first_lane`. False on allocation failure. */
bool links_add(thread_links *links, struct threads *threads, const uint32_t *texts,
	uint32_t first_lane);

#endif
