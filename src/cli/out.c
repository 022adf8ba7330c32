#include "out.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"

static int failure; /* an errno; 0 if none */

bool out_was_closed(void)
{
	return failure == EPIPE;
}

bool out_has_failed(void)
{
	return failure != 0;
}

int out_get_failure(void)
{
	return failure;
}

enum tfprof_status out_write(const char *bytes, size_t n, struct tfprof_error *err)
{
	while (n) {
		ssize_t written = write(STDOUT_FILENO, bytes, n);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0) {
			failure = errno;
			return error_set(err, TFPROF_IO, "cannot write: standard output: %s",
				strerror(errno));
		}
		bytes += written;
		n -= (size_t)written;
	}
	return TFPROF_OK;
}
