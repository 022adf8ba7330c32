/* The lines typed in earlier sessions: a plain file in the user's state
 * directory, one line each, added to as lines are typed so that sessions side
 * by side do not lose each other's. */
#ifndef TFPROF_CLI_HISTORY_H
#define TFPROF_CLI_HISTORY_H

#include <stddef.h>

typedef void history_line_fn(void *context, const char *line);

/* $XDG_STATE_HOME/tfprof/history or ~/.local/state/tfprof/history; NULL if the
 * environment names neither. The caller frees it. */
char *history_path(void);

/* Calls `fn` with each line, oldest first. A file that grew too long is cut to
 * its latest lines. A file that cannot be read is no history. */
void history_load(const char *path, history_line_fn *fn, void *context);

/* Adds a line; folders are made as needed, for the user alone. */
void history_add(const char *path, const char *line);

#endif
