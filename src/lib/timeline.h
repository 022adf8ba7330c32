/* What the page draws beside executions: threads of the hosts, steps and their parts, and what
 * leads from one event to another. Not public: nothing else needs it. */
#ifndef TFPROF_LIB_TIMELINE_H
#define TFPROF_LIB_TIMELINE_H

#include <tfprof/tfprof.h>

/* The course of the steps of a trace: from when until when each lasted by the question `step`, and
 * which of their parts each moment was. Does not change with the profile and may outlive it. It is
 * empty if that is not known, or if several hosts were traced, whose clocks differ. Making it
 * takes as long as answering `step`. */
struct course;

enum tfprof_status course_new(tfprof_profile *profile, struct course **course,
	struct tfprof_error *err);
void course_free(struct course *course);
size_t course_get_n_bytes(const struct course *course);
/* False if it is not known. */
int course_get_step(const struct course *course, int64_t step, int64_t *start_micros,
	int64_t *end_micros);

/* What the threads of the hosts did meanwhile, from the profile's traces: Python frames, stages of
 * tf.data, dispatch, compilation. Its devices are "Python", "tf.data" and "Host threads", and, with
 * a course, "Steps", whose lanes are the steps and their parts; its nodes are names of events,
 * which tfprof_timeline_get_name() tells. Without a trace it has no lanes. */
enum tfprof_status timeline_new_threads(tfprof_profile *profile, int64_t from_micros,
	int64_t until_micros, const struct course *course, tfprof_timeline **timeline,
	struct tfprof_error *err);

/* What leads from one event of threads to another, or to what it launched on a device. */
struct flow_end {
	int64_t lane;   /* of the timeline of threads; -1: of a device */
	int64_t device; /* its number; -1: of a thread */
	int64_t start_micros, end_micros;
	const char *name; /* of the event, or of the device's line: `name_length` bytes */
	size_t name_length;
};
/* False past the last. */
int timeline_read_flow(const tfprof_timeline *threads, size_t i, struct flow_end *from,
	struct flow_end *to);

#endif
