/* Shows text that is longer than the screen through $PAGER. */
#ifndef TFPROF_CLI_PAGER_H
#define TFPROF_CLI_PAGER_H

#include <stdbool.h>

#include "pipe.h"

/* Whether the text needs more rows than the terminal of stdout has. */
bool pager_is_needed(const struct piece *pieces, size_t n);

/* Whether the pager passes colours through. */
bool pager_shows_colour(void);

/* False if there is no pager or it could not be started; nothing was shown then.
 * Quitting the pager early is not a failure. */
bool pager_show(const struct piece *pieces, size_t n);

#endif
