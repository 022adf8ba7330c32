/* The shell: reads commands, one per line, from a terminal, a pipe or a script. */
#ifndef TFPROF_CLI_SHELL_H
#define TFPROF_CLI_SHELL_H

#include <tfprof/tfprof.h>

/* Reads stdin to its end. Takes ownership of `options`, the initial defaults. Returns
 * the exit status of the first line that failed; at a terminal, 0. */
int shell_run(tfprof_profile *profile, tfprof_options *options);

#endif
