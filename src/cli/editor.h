/* Reads lines from a terminal, with editing, history and completion. */
#ifndef TFPROF_CLI_EDITOR_H
#define TFPROF_CLI_EDITOR_H

#include <tfprof/tfprof.h>

struct editor;

enum editor_event {
	EDITOR_LINE,
	EDITOR_END,         /* Ctrl-D, or the terminal is gone */
	EDITOR_INTERRUPTED, /* Ctrl-C: the line is dropped */
};

/* Tab completes names of this profile. NULL on allocation failure or if the terminal
 * cannot be used. */
struct editor *editor_new(const char *prompt, tfprof_profile *profile);
void editor_free(struct editor *e);

/* The line has no newline and is borrowed until the next call. */
enum editor_event editor_read(struct editor *e, const char **line);

/* Adds a line to the history of this and later sessions. */
void editor_remember(struct editor *e, const char *line);

#endif
