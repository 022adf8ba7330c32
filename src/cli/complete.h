/* Completes a line of the shell: commands, options, their values, file names, and
 * the profile's node names and types. */
#ifndef TFPROF_CLI_COMPLETE_H
#define TFPROF_CLI_COMPLETE_H

#include "candidates.h"
#include "line.h"

/* Finds candidates for the last word of `l`, the line up to the cursor. They borrow
 * from `l`. */
void complete_line(struct candidates *c, const struct line *l, tfprof_profile *profile);

#endif
