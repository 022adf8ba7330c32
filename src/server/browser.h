/* Opens a page in the user's browser. */
#ifndef TFPROF_SERVER_BROWSER_H
#define TFPROF_SERVER_BROWSER_H

#include <stdbool.h>

/* A page that leads to the address, which other users of the machine cannot read: arguments of
 * programs are seen by all, and the address contains the token. */
struct browser_page {
	char path[256]; /* empty: none was written */
};

/* Whether the user sits at this machine's desktop: the program was started from a terminal that is
 * not one of ssh, and there is a display. */
bool browser_is_near(void);

/* Starts the desktop's browser; does nothing if there is none. */
void browser_open(struct browser_page *page, const char *address);
void browser_remove(const struct browser_page *page);

#endif
