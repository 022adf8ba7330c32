#include "pager.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "terminal.h"

/* R: colours pass; S: tables are scrolled sideways, not folded; X: the report
 * stays on the screen while the next line is typed. */
static const char less_flags[] = "RSX";

bool pager_is_needed(const struct piece *pieces, size_t n)
{
	size_t rows, columns, taken = 1, column = 0;

	terminal_size(STDOUT_FILENO, &rows, &columns);
	for (size_t p = 0; p < n && taken < rows; p++)
		for (size_t i = 0; i < pieces[p].n && taken < rows; i++) {
			if (pieces[p].at[i] == '\n') {
				taken++;
				column = 0;
			} else if (++column > columns) {
				taken++;
				column = 1;
			}
		}
	return taken >= rows;
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
	/* The shell's way to say that there is no such program. */
	return !(WIFEXITED(status) && (WEXITSTATUS(status) == 127 || WEXITSTATUS(status) == 126));
}
