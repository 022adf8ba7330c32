/* Starts the program again in its own place, to load files that were replaced:
 *
 *     page ──/api/reload──> restart_ask() ──signal──> main() ──exec──> the same port and token
 *
 * These two pass through the environment: arguments of programs are seen by all users. */
#ifndef TFPROF_SERVER_RESTART_H
#define TFPROF_SERVER_RESTART_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

enum { RESTART_SIGNAL = SIGUSR1 };

struct restart {
	uint16_t port;
	char token[64];
};

/* Of the program that ran before; false if there was none. */
bool restart_take(struct restart *r);
/* Wakes whoever waits for RESTART_SIGNAL, which all threads block. */
void restart_ask(void);
/* Returns only if it fails. */
void restart_run(char **argv, const struct restart *r);

#endif
