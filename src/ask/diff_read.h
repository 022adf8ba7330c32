/* Reads queries into the sides of a comparison. */
#ifndef TFPROF_ASK_DIFF_READ_H
#define TFPROF_ASK_DIFF_READ_H

#include "ask/question.h"
#include "diff/diff.h"

/* What is read of each run. */
struct diff_reading {
	enum tfprof_view view;
	tfprof_options *options; /* of the queries; the step is changed */
	enum metric metrics[N_METRICS];
	size_t n_metrics;
	const struct asked *asked;
	unsigned numbers_version; /* of the first run that has one; numbers of others are not
				     compared with it (model/profile_fields.h) */
};

/* Whether something is compared that needs a step, such as a time. */
bool diff_needs_steps(const struct diff_reading *reading);

/* Adds a run: a query for each of its steps or, if `step` is not negative, for this step. */
enum tfprof_status diff_read_run(struct side *side, struct diff_reading *reading, void *profile,
	int64_t step, struct tfprof_error *err);

#endif
