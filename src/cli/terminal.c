#include "terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

void terminal_size(int fd, size_t *rows, size_t *columns)
{
	struct winsize size = {0};

	if (ioctl(fd, TIOCGWINSZ, &size) != 0)
		size = (struct winsize){0};
	*rows = size.ws_row ? size.ws_row : 24;
	*columns = size.ws_col ? size.ws_col : 80;
}

bool terminal_has_colour(int fd)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	return isatty(fd) && !(no && *no) && term && *term && strcmp(term, "dumb") != 0;
}
