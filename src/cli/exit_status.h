/* What the program exits with. */
#ifndef TFPROF_CLI_EXIT_STATUS_H
#define TFPROF_CLI_EXIT_STATUS_H

#include <tfprof/tfprof.h>

enum exit_status {
	EXIT_OK = 0,
	EXIT_INPUT = 1,  /* a file could not be read or written, or is not a profile */
	EXIT_USAGE = 2,  /* invalid command line, option or script line */
	EXIT_ADVICE = 3, /* a finding reached --fail_on, or a limit is exceeded */
	EXIT_UNKNOWN =
		4, /* whether a limit is exceeded cannot be told: too few runs, or not counted */
	EXIT_INTERRUPTED = 130,
};

enum exit_status exit_status_of(enum tfprof_status status);

#endif
