/* What the overview page says of a profile, from figures. */
#ifndef TFPROF_SERVER_OVERVIEW_H
#define TFPROF_SERVER_OVERVIEW_H

#include "base/buf.h"
#include "base/vec.h"
#include "server/call.h"
#include "server/store.h"

struct overview_step {
	int64_t step;
	struct tfprof_step_info info;
};

struct overview_family {
	const char *name, *title;
	int64_t us;
};

enum { MAX_FAMILIES = 16 };

struct overview {
	struct tfprof_summary summary;
	VEC(struct overview_step) steps;
	struct overview_family families[MAX_FAMILIES];
	size_t n_families;
	int64_t total_us; /* of all operations, averaged over steps */
	struct buf sentence;
};

/* Clear in any case. */
enum tfprof_status overview_make(struct overview *o, struct call *c, struct shown_profile *profile,
	struct tfprof_error *err);
void overview_clear(struct overview *o);

#endif
