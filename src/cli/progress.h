/* What goes on while files are read, for people: only where stderr is a
 * terminal. */
#ifndef TFPROF_CLI_PROGRESS_H
#define TFPROF_CLI_PROGRESS_H

#include <tfprof/tfprof.h>

/* Watches a profile that is about to read: once a second has passed, one line
 * tells bytes and nodes so far. It is wiped at the end. */
void progress_begin(tfprof_profile *profile);
void progress_end(void);

/* A line saying what begins now. */
void progress_say(const char *line);

#endif
