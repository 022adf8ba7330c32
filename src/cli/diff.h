/* The command diff: loads two sides, compares them, says what the budgets say. */
#ifndef TFPROF_CLI_DIFF_H
#define TFPROF_CLI_DIFF_H

#include "request.h"

/* Prints the comparison; *exit_status is set unless this fails. */
enum tfprof_status diff_report(const struct request *r, int *exit_status, struct tfprof_error *err);

#endif
