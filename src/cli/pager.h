/* Shows text to the user at the terminal: as it is or, if it is longer than
 * the screen, through $PAGER. */
#ifndef TFPROF_CLI_PAGER_H
#define TFPROF_CLI_PAGER_H

#include <stdbool.h>

#include "fail.h"

/* One of the pieces a text is written in. */
struct piece {
	const char *at;
	size_t n;
};

/* Whether it takes more rows than the terminal of stdout has. */
bool pager_is_needed(const struct piece *pieces, size_t n);

/* Whether the pager lets colours through. */
bool pager_shows_colour(void);

/* False if there is no pager, or it could not be started: nothing was shown.
 * A user who leaves it early has seen enough. */
bool pager_show(const struct piece *pieces, size_t n);

#endif
