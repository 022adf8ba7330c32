/* Lines typed in earlier sessions: a text file in the user's state directory. Each
 * line is appended when it is typed, so that concurrent sessions keep each other's. */
#ifndef TFPROF_CLI_HISTORY_H
#define TFPROF_CLI_HISTORY_H

#include <stddef.h>

typedef void history_line_fn(void *context, const char *line);

/* $XDG_STATE_HOME/tfprof/history or ~/.local/state/tfprof/history; NULL if the
 * environment names neither. The caller frees it. */
char *history_path(void);

/* Calls `fn` with each line, oldest first. Cuts a file that has grown too long to its
 * latest lines. A file that cannot be read counts as empty. */
void history_load(const char *path, history_line_fn *fn, void *context);

/* Appends a line, creating directories as needed, private to the user. */
void history_add(const char *path, const char *line);

#endif
