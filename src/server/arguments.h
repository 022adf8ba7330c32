/* The command line of tfprof-ui. */
#ifndef TFPROF_SERVER_ARGUMENTS_H
#define TFPROF_SERVER_ARGUMENTS_H

#include <stdbool.h>
#include <stdint.h>

struct store;

/* Whether the browser is opened. */
enum open_when {
	OPEN_ON_DESKTOP, /* from a terminal there, see browser_is_near() */
	OPEN_ALWAYS,
	OPEN_NEVER,
};

struct arguments {
	const char *host;
	const char *token; /* NULL: a random one; "none" */
	uint16_t port;
	enum open_when open;
	bool verbose;
};

enum arguments_status { ARGUMENTS_OK, ARGUMENTS_HELP, ARGUMENTS_WRONG };

/* Files go to the store's profiles, borrowed from argv. `--` begins the second
 * profile. */
enum arguments_status arguments_parse(struct arguments *a, struct store *store, int argc,
	char **argv, char why[512]);

bool arguments_is_loopback(const struct arguments *a);

extern const char arguments_help[];

#endif
