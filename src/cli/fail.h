/* Errors of the program itself, in the library's form (a status and one line), and
 * exit statuses. */
#ifndef TFPROF_CLI_FAIL_H
#define TFPROF_CLI_FAIL_H

#include <tfprof/tfprof.h>

enum exit_status {
	EXIT_OK = 0,
	EXIT_INPUT = 1,   /* a file could not be read or written, or is not a profile */
	EXIT_USAGE = 2,   /* invalid command line, option or script line */
	EXIT_ADVICE = 3,  /* a finding reached --fail_on, or a limit is exceeded */
	EXIT_UNKNOWN = 4, /* too few runs to tell whether a limit is exceeded */
	EXIT_INTERRUPTED = 130,
};

/* Fills `err` and returns `status`. */
enum tfprof_status fail(struct tfprof_error *err, enum tfprof_status status, const char *format,
	...) __attribute__((format(printf, 3, 4)));
enum tfprof_status fail_no_memory(struct tfprof_error *err);

enum exit_status fail_exit_status(enum tfprof_status status);

#endif
