#include "pager.h"

#include <stdlib.h>
#include <string.h>
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

bool pager_show(const struct piece *pieces, size_t n)
{
	if (!*command() || strcmp(command(), "cat") == 0)
		return false;
	setenv("LESS", less_flags, 0);
	return pipe_text(command(), pieces, n) != PIPE_NOT_RUN;
}
