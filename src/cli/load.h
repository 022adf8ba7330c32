/* Files to a profile. What reading them has to say is collected, so that a
 * failure stays one line. */
#ifndef TFPROF_CLI_LOAD_H
#define TFPROF_CLI_LOAD_H

#include <tfprof/tfprof.h>

#include "base/buf.h"
#include "request.h"

struct loaded {
	tfprof_profile *profile;
	struct buf notes; /* lines for stderr: coverage of each run and the like */
	double coverage;  /* of the last run, -1 without one */
};

/* Loads the files of a request, if they go together and are enough to start with. */
enum tfprof_status load_files(struct loaded *l, const struct request *r, struct tfprof_error *err);
/* The same for these inputs, whatever files the request has. */
enum tfprof_status load_given(struct loaded *l, struct tfprof_given *given, size_t n,
	const struct request *r, struct tfprof_error *err);
void load_clear(struct loaded *l);

/* One line: how many nodes, steps and devices, and what is known of them. */
void load_summarize(const struct loaded *l, struct buf *line);

#endif
