/* Properties of the terminal. */
#ifndef TFPROF_CLI_TERMINAL_H
#define TFPROF_CLI_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

/* 24 rows and 80 columns if the terminal does not say. */
void terminal_size(int fd, size_t *rows, size_t *columns);

/* Whether to colour: a terminal that supports it, and NO_COLOR is not set. */
bool terminal_has_colour(int fd);

#endif
