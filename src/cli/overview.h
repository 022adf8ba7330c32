/* What the program prints about files it was given without a command: what was found,
 * totals, what is missing, and commands worth trying. */
#ifndef TFPROF_CLI_OVERVIEW_H
#define TFPROF_CLI_OVERVIEW_H

#include "base/buf.h"
#include "request.h"

enum tfprof_status overview_put(struct buf *out, const struct request *r, tfprof_profile *profile,
	struct tfprof_error *err);

#endif
