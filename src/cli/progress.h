/* Shows progress while files are read, if stderr is a terminal. */
#ifndef TFPROF_CLI_PROGRESS_H
#define TFPROF_CLI_PROGRESS_H

#include <tfprof/tfprof.h>

/* Shows a line with the bytes and nodes read into the profile so far, once reading
 * takes longer than a second. progress_end() clears it. */
void progress_begin(tfprof_profile *profile);
void progress_end(void);

/* Prints a line saying what starts now. */
void progress_say(const char *line);

#endif
