/* The way to stdout. Only reports and help go there. */
#ifndef TFPROF_CLI_OUT_H
#define TFPROF_CLI_OUT_H

#include <stdbool.h>

#include "fail.h"

/* All of it or an error. */
enum tfprof_status out_write(const char *bytes, size_t n, struct tfprof_error *err);

/* Whether an error of out_write() only says that the reader of a pipe had
 * enough, which is nothing to talk about. */
bool out_was_closed(void);
/* Whether stdout is of no more use. */
bool out_has_failed(void);

#endif
