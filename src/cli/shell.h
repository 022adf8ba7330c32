/* The shell: lines from a terminal, a pipe or a script, each one a command. */
#ifndef TFPROF_CLI_SHELL_H
#define TFPROF_CLI_SHELL_H

#include "fail.h"

/* Reads stdin to its end. `options` are the defaults to start with and are
 * taken over. Gives the exit status: that of the first line that failed (a
 * person at a terminal has seen it and gets 0). */
int shell_run(tfprof_profile *profile, tfprof_options *options);

#endif
