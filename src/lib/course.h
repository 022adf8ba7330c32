/* The course of steps, as lanes of a timeline: one of steps, one of their parts. */
#ifndef TFPROF_LIB_COURSE_H
#define TFPROF_LIB_COURSE_H

#include "lib/profile.h"
#include "lib/timeline.h"
#include "load/xplane/threads.h"

enum course_lane { COURSE_STEPS, COURSE_PARTS, N_COURSE_LANES };

extern const struct span course_lane_names[N_COURSE_LANES];

/* A step or a moment, in microseconds since the epoch. */
struct course_event {
	enum course_lane lane;
	enum thread_kind kind;
	int64_t start_us, end_us;
	struct span name;
};

/* False ends it. */
typedef bool course_event_fn(void *context, const struct course_event *e);

/* Those that overlap a stretch. False if `fn` was, or on allocation failure. */
bool course_each(const struct course *course, int64_t from_us, int64_t until_us,
	course_event_fn *fn, void *context);

#endif
