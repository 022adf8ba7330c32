#include "interrupt.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

#include "fail.h"

static volatile int interrupted;
static volatile sig_atomic_t what;

static void handle(int signal)
{
	if (what == INTERRUPT_PROGRAM || (what == INTERRUPT_QUERY && interrupted)) {
		if (isatty(STDERR_FILENO) && write(STDERR_FILENO, "\n", 1) < 0)
			_exit(EXIT_INTERRUPTED);
		_exit(EXIT_INTERRUPTED);
	}
	interrupted = 1;
}

void interrupt_install(void)
{
	/* Without SA_RESTART: a read of the terminal returns, too. */
	struct sigaction action = {.sa_handler = handle};

	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
}

void interrupt_set(enum interrupt_ends ends)
{
	what = ends;
	interrupted = 0;
}

const volatile int *interrupt_get(void)
{
	return &interrupted;
}
