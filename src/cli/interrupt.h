/* Ctrl-C: what it ends depends on what is going on. And an input file that another
 * program cuts short while it is read, which the system tells by a signal, too. */
#ifndef TFPROF_CLI_INTERRUPT_H
#define TFPROF_CLI_INTERRUPT_H

enum interrupt_ends {
	INTERRUPT_PROGRAM, /* nothing is half done: leave with status 130 */
	INTERRUPT_QUERY,   /* ask the query to stop, so that it can clean up;
			      a second one leaves */
	INTERRUPT_LINE,    /* the query or the line typed, never the session */
};

void interrupt_install(void);
/* Says what the next one ends, and forgets earlier ones. */
void interrupt_set(enum interrupt_ends ends);
/* Non-zero once one came: for tfprof_query_run() to poll. */
const volatile int *interrupt_get(void);

#endif
