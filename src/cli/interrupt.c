#include "interrupt.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

#include <tfprof/tfprof.h>

#include "exit_status.h"

static volatile int interrupted;
static volatile sig_atomic_t target;

static void handle(int signal)
{
	if (target == INTERRUPT_PROGRAM || (target == INTERRUPT_QUERY && interrupted)) {
		tfprof_discard_unfinished();
		if (isatty(STDERR_FILENO) && write(STDERR_FILENO, "\n", 1) < 0)
			_exit(EXIT_INTERRUPTED);
		_exit(EXIT_INTERRUPTED);
	}
	interrupted = 1;
}

/* Mapped bytes are gone: nothing can continue. Several threads can find that out. */
static void exit_truncated(int signal)
{
	static const char why[] = "tfprof: an input file was truncated while it was being read\n";
	static atomic_flag is_said = ATOMIC_FLAG_INIT;

	while (atomic_flag_test_and_set(&is_said))
		pause();
	tfprof_discard_unfinished();
	if (write(STDERR_FILENO, why, sizeof(why) - 1) < 0)
		_exit(EXIT_INPUT);
	_exit(EXIT_INPUT);
}

/* Dies of the signal, as it would have without a handler. */
static void discard_and_die(int number)
{
	tfprof_discard_unfinished();
	signal(number, SIG_DFL);
	raise(number);
}

/* Unless the program was started with the signal ignored, as by nohup. */
static void catch_end(int number)
{
	struct sigaction action;

	if (sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_DFL)
		signal(number, discard_and_die);
}

void interrupt_install(void)
{
	/* No SA_RESTART, so that a read of the terminal returns, too. */
	struct sigaction action = {.sa_handler = handle};

	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
	action.sa_handler = exit_truncated;
	sigaction(SIGBUS, &action, NULL);
	catch_end(SIGTERM);
	catch_end(SIGHUP);
	/* A file at the limit of its size is then a failed write, which is reported. */
	signal(SIGXFSZ, SIG_IGN);
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
