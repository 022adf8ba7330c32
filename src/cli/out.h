/* Writes to stdout. Only reports and help go there. */
#ifndef TFPROF_CLI_OUT_H
#define TFPROF_CLI_OUT_H

#include <stdbool.h>

#include <tfprof/tfprof.h>

/* Writes all bytes, or fails. */
enum tfprof_status out_write(const char *bytes, size_t n, struct tfprof_error *err);

/* Whether out_write() failed because the reader closed the pipe, which is not worth
 * reporting. */
bool out_was_closed(void);
/* Whether out_write() has failed for any reason. */
bool out_has_failed(void);
/* The errno of that; 0 if it has not failed. */
int out_get_failure(void);

#endif
