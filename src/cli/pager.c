#include "pager.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "terminal.h"

/* R: pass colours; S: scroll wide tables sideways, do not wrap; X: leave the report
 * on the screen while the next line is typed. */
static const char less_flags[] = "RSX";

bool pager_is_needed(const struct piece *pieces, size_t n)
{
	size_t rows, columns, n_used = 1, column = 0;

	terminal_size(STDOUT_FILENO, &rows, &columns);
	for (size_t p = 0; p < n && n_used < rows; p++)
		for (size_t i = 0; i < pieces[p].n && n_used < rows; i++) {
			if (pieces[p].at[i] == '\n') {
				n_used++;
				column = 0;
			} else if (++column > columns) {
				n_used++;
				column = 1;
			}
		}
	return n_used >= rows;
}

static const char *command(void)
{
	const char *pager = getenv("PAGER");

	return pager ? pager : "less";
}

bool pager_shows_colour(void)
{
	const char *flags = getenv("LESS");

	return strncmp(command(), "less", 4) == 0 && (!flags || strpbrk(flags, "rR"));
}

static void run(int in)
{
	dup2(in, STDIN_FILENO);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	setenv("LESS", less_flags, 0);
	execl("/bin/sh", "sh", "-c", command(), (char *)NULL);
	_exit(127);
}

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

bool pager_show(const struct piece *pieces, size_t n)
{
	int ends[2], status = 0;
	pid_t child;

	if (!*command() || strcmp(command(), "cat") == 0 || pipe(ends) != 0)
		return false;
	child = fork();
	if (child == 0) {
		close(ends[1]);
		run(ends[0]);
	}
	close(ends[0]);
	if (child > 0)
		feed(ends[1], pieces, n);
	close(ends[1]);
	if (child < 0)
		return false;
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		continue;
	/* What sh returns if there is no such program or it cannot be run. */
	return !(WIFEXITED(status) && (WEXITSTATUS(status) == 127 || WEXITSTATUS(status) == 126));
}
