#include "interrupt.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

#include "fail.h"

static volatile int interrupted;
static volatile sig_atomic_t target;

static void handle(int signal)
{
	if (target == INTERRUPT_PROGRAM || (target == INTERRUPT_QUERY && interrupted)) {
		if (isatty(STDERR_FILENO) && write(STDERR_FILENO, "\n", 1) < 0)
			_exit(EXIT_INTERRUPTED);
		_exit(EXIT_INTERRUPTED);
	}
	interrupted = 1;
}

/* Mapped bytes are gone: nothing can continue. */
static void exit_truncated(int signal)
{
	static const char why[] = "tfprof: an input file was truncated while it was being read\n";

	if (write(STDERR_FILENO, why, sizeof(why) - 1) < 0)
		_exit(EXIT_INPUT);
	_exit(EXIT_INPUT);
}

void interrupt_install(void)
{
	/* No SA_RESTART, so that a read of the terminal returns, too. */
	struct sigaction action = {.sa_handler = handle};

	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
	action.sa_handler = exit_truncated;
	sigaction(SIGBUS, &action, NULL);
}

void interrupt_set(enum interrupt_target next)
{
	target = next;
	interrupted = 0;
}

const volatile int *interrupt_get(void)
{
	return &interrupted;
}
