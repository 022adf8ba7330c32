/* The command line of tfprof-ui. */
#ifndef TFPROF_SERVER_ARGUMENTS_H
#define TFPROF_SERVER_ARGUMENTS_H

#include <stdbool.h>
#include <stdint.h>

struct store;

struct arguments {
	const char *host;
	const char *token; /* NULL: a random one; "none" */
	uint16_t port;
	bool open, verbose;
};

enum arguments_status { ARGUMENTS_OK, ARGUMENTS_HELP, ARGUMENTS_WRONG };

/* Files go to the store's profiles, borrowed from argv. `--` begins the second
 * profile. */
enum arguments_status arguments_parse(struct arguments *a, struct store *store, int argc,
	char **argv, char why[512]);

bool arguments_is_loopback(const struct arguments *a);

extern const char arguments_help[];

#endif
