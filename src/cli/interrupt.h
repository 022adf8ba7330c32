/* Ctrl-C, and SIGBUS from an input file that another program truncates while it is
 * being read. */
#ifndef TFPROF_CLI_INTERRUPT_H
#define TFPROF_CLI_INTERRUPT_H

/* What Ctrl-C ends. */
enum interrupt_target {
	INTERRUPT_PROGRAM, /* exit with status 130 */
	INTERRUPT_QUERY,   /* stop the query, so that it can clean up; the second
			      Ctrl-C exits */
	INTERRUPT_LINE,    /* drop the query or the line being typed, never the session */
};

void interrupt_install(void);
/* Sets what the next Ctrl-C ends, and forgets earlier ones. */
void interrupt_set(enum interrupt_target next);
/* Non-zero after Ctrl-C; tfprof_ask() polls it. */
const volatile int *interrupt_get(void);

#endif
