/* The way to stdout. Only reports and help go there. */
#ifndef TFPROF_CLI_OUTPUT_H
#define TFPROF_CLI_OUTPUT_H

#include "fail.h"

/* All of it or an error. */
enum tfprof_status output_write(const char *bytes, size_t n, struct tfprof_error *err);

/* Whether an error of output_write() only says that the reader of a pipe had
 * enough, which is nothing to talk about. */
int output_was_closed(void);

#endif
