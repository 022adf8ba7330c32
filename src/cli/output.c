#include "output.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static int closed;

int output_was_closed(void)
{
	return closed;
}

enum tfprof_status output_write(const char *bytes, size_t n, struct tfprof_error *err)
{
	while (n) {
		ssize_t written = write(STDOUT_FILENO, bytes, n);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0) {
			closed = errno == EPIPE;
			return fail(err, TFPROF_IO, "cannot write: standard output: %s",
				strerror(errno));
		}
		bytes += written;
		n -= (size_t)written;
	}
	return TFPROF_OK;
}
