/* Feeds text to a command of the system's shell. */
#ifndef TFPROF_CLI_PIPE_H
#define TFPROF_CLI_PIPE_H

#include <stdbool.h>
#include <stddef.h>

/* A text may come in several pieces. */
struct piece {
	const char *at;
	size_t n;
};

/* Runs `sh -c command` with the text on its stdin and waits for it. A command that does
 * not read all of it has not failed. False if it could not be started. */
bool pipe_text(const char *command, const struct piece *pieces, size_t n);

#endif
