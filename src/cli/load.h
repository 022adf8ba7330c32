/* Files to a profile. What reading them has to say is collected, so that a
 * failure stays one line. */
#ifndef TFPROF_CLI_LOAD_H
#define TFPROF_CLI_LOAD_H

#include "fail.h"
#include "flag.h"
#include "text.h"

struct loaded {
	tfprof_profile *profile;
	struct text notes; /* lines for stderr: coverage of each run and the like */
	double coverage;   /* of the last run, -1 without one */
};

/* Paths are those of a request: one for each kind of input, or NULL. */

/* Whether these files go together and are enough to start with. */
enum tfprof_status load_check(const char **paths, struct tfprof_error *err);
enum tfprof_status load_files(struct loaded *l, const char **paths, struct tfprof_error *err);
void load_clear(struct loaded *l);

/* One line: how many nodes, steps and devices, and what is known of them. */
void load_summarize(const struct loaded *l, struct text *line);

#endif
