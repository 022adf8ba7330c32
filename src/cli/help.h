/* Help text, generated from the tables of commands and flags. */
#ifndef TFPROF_CLI_HELP_H
#define TFPROF_CLI_HELP_H

#include <tfprof/tfprof.h>

#include "base/buf.h"
#include "command.h"

/* The overview. In the shell, flags have one dash and input files are omitted. */
void help_overview(struct buf *out, enum command_where where);

/* Help on a command or a flag, given with or without dashes. */
enum tfprof_status help_word(struct buf *out, const char *word, enum command_where where,
	struct tfprof_error *err);

#endif
