/* What the program adds to the overview of a profile: commands worth trying, with its files as
 * they were given. */
#ifndef TFPROF_CLI_OVERVIEW_H
#define TFPROF_CLI_OVERVIEW_H

#include "base/buf.h"
#include "request.h"

enum tfprof_status overview_put_suggestions(struct buf *out, const struct request *r,
	tfprof_result *overview, struct tfprof_error *err);

#endif
