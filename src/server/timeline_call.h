/* The timeline of a call's step, and of what is selected in it. Times in requests and answers
 * are microseconds from the start of the step. */
#ifndef TFPROF_SERVER_TIMELINE_CALL_H
#define TFPROF_SERVER_TIMELINE_CALL_H

#include "server/selection.h"

/* From when until when a step lasts: from its first operation to its last, and as long as the
 * question `step` says, if it knows: a step begins before its first operation. */
struct step_times {
	int64_t start_us, end_us;
	struct kept *course; /* of all steps; NULL: none. Release it, also on failure */
};

enum tfprof_status timeline_call_find_times(struct call *c, const tfprof_timeline *timeline,
	int64_t step, struct step_times *times, struct tfprof_error *err);

struct timeline_call {
	struct store *store;
	struct kept *kept, *kept_course, *kept_threads, *kept_only;
	const tfprof_timeline *timeline;
	const tfprof_timeline *only; /* of the selection; NULL: nothing is selected */
	tfprof_profile *profile;
	struct selection selection;
	bool is_of_threads; /* nodes are names of events */
	int64_t step;
	int64_t start_us, end_us;
	size_t n_lanes;
};

/* Close it, also on failure. Without a step, or for the average, it is the first. With `of=threads`
 * it is what the hosts' threads did meanwhile. */
enum tfprof_status timeline_call_open(struct timeline_call *t, struct call *c,
	struct tfprof_error *err);
/* What the threads did meanwhile: .kept_threads. */
enum tfprof_status timeline_call_open_threads(struct timeline_call *t, struct call *c,
	struct tfprof_error *err);
void timeline_call_close(struct timeline_call *t);

/* Lanes and a stretch of time: lane … until_lane, from … until. */
struct stretch {
	int64_t first, last, from_us, until_us, min_us;
};
enum tfprof_status timeline_call_stretch(const struct timeline_call *t, const struct call *c,
	struct stretch *s, struct tfprof_error *err);

#endif
