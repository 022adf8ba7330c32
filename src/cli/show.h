/* Shows a report on stdout: coloured on a terminal, paged in the shell. */
#ifndef TFPROF_CLI_SHOW_H
#define TFPROF_CLI_SHOW_H

#include <stdbool.h>

#include "fail.h"

enum tfprof_status show_report(const char *text, size_t length, bool may_page,
	struct tfprof_error *err);

#endif
