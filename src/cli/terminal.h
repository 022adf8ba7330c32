/* What the terminal is like. */
#ifndef TFPROF_CLI_TERMINAL_H
#define TFPROF_CLI_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

/* Rows and columns; 24 and 80 where it does not say. */
void terminal_size(int fd, size_t *rows, size_t *columns);

/* Whether this output is for eyes that want colour: a terminal that can, and
 * no NO_COLOR. */
bool terminal_has_colour(int fd);

#endif
