/* Feeds text to a command of the system's shell. */
#ifndef TFPROF_CLI_PIPE_H
#define TFPROF_CLI_PIPE_H

#include <stddef.h>

/* A text may come in several pieces. */
struct piece {
	const char *at;
	size_t n;
};

/* Runs `sh -c command` with the text on its stdin and waits for it. Returns its exit status
 * as a shell has it: 128 more than the signal that ended it, or PIPE_NOT_RUN. A command
 * that does not read all of the text, or that Ctrl-C ended, has not failed. */
#define PIPE_NOT_RUN 127
int pipe_text(const char *command, const struct piece *pieces, size_t n);

#endif
