/* What goes wrong in the program itself, said in the library's way: a status
 * and one line; and what it means for the exit status. */
#ifndef TFPROF_CLI_FAIL_H
#define TFPROF_CLI_FAIL_H

#include <tfprof/tfprof.h>

enum exit_status {
	EXIT_FINE = 0,
	EXIT_INPUT = 1,  /* a file could not be read or written, or is no profile */
	EXIT_USAGE = 2,  /* the command line, an option or a line is wrong */
	EXIT_ADVICE = 3, /* a finding reached --fail_on */
	EXIT_INTERRUPTED = 130,
};

/* Fills the error; gives the status back. */
enum tfprof_status fail(struct tfprof_error *err, enum tfprof_status status, const char *format,
	...) __attribute__((format(printf, 3, 4)));
enum tfprof_status fail_no_memory(struct tfprof_error *err);

enum exit_status fail_exit_status(enum tfprof_status status);

#endif
