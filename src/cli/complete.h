/* What may come next in a line of the shell: commands, options, their words,
 * file names, and the node names and types of the profile. */
#ifndef TFPROF_CLI_COMPLETE_H
#define TFPROF_CLI_COMPLETE_H

#include "candidates.h"
#include "line.h"

/* For the last word of the line (typed up to the cursor, split into `l`). The
 * candidates borrow from `l`. */
void complete_line(struct candidates *c, const struct line *l, tfprof_profile *profile);

#endif
