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

/* What was to be read is not there: nothing can go on. */
static void leave(int signal)
{
	static const char why[] =
		"tfprof: an input file was cut short by another program while it was read\n";

	if (write(STDERR_FILENO, why, sizeof(why) - 1) < 0)
		_exit(EXIT_INPUT);
	_exit(EXIT_INPUT);
}

void interrupt_install(void)
{
	/* Without SA_RESTART: a read of the terminal returns, too. */
	struct sigaction action = {.sa_handler = handle};

	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
	action.sa_handler = leave;
	sigaction(SIGBUS, &action, NULL);
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
