#include "pipe.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static void run(int in, const char *command)
{
	dup2(in, STDIN_FILENO);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

/* SIGPIPE is ignored: a command that has seen enough ends this with an error. */
static void feed(int to, const struct piece *pieces, size_t n)
{
	for (size_t p = 0; p < n; p++) {
		const char *at = pieces[p].at, *end = at + pieces[p].n;

		while (at < end) {
			ssize_t written = write(to, at, (size_t)(end - at));

			if (written < 0 && errno == EINTR)
				continue;
			if (written < 0)
				return;
			at += written;
		}
	}
}

/* What sh returns if there is no such program (127) or it cannot be run (126). */
static int exit_status(int status)
{
	if (WIFEXITED(status))
		return WEXITSTATUS(status) == 126 ? PIPE_NOT_RUN : WEXITSTATUS(status);
	return WTERMSIG(status) == SIGPIPE || WTERMSIG(status) == SIGINT ? 0
									 : 128 + WTERMSIG(status);
}

int pipe_text(const char *command, const struct piece *pieces, size_t n)
{
	int ends[2], status = 0;
	pid_t child;

	if (pipe(ends) != 0)
		return PIPE_NOT_RUN;
	child = fork();
	if (child == 0) {
		close(ends[1]);
		run(ends[0], command);
	}
	close(ends[0]);
	if (child > 0)
		feed(ends[1], pieces, n);
	close(ends[1]);
	if (child < 0)
		return PIPE_NOT_RUN;
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		continue;
	return exit_status(status);
}
