#include "formats/checkpoint/mapping.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <unistd.h>

static enum tfprof_status io_error(struct tfprof_error *err, const char *path, int number)
{
	return error_set(err, TFPROF_IO, "%.400s: %s", path, strerror(number));
}

static enum tfprof_status map(struct mapped_file *file, int fd, const char *path,
	struct tfprof_error *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return io_error(err, path, errno);
	if (S_ISDIR(st.st_mode))
		return io_error(err, path, EISDIR);
	if (!S_ISREG(st.st_mode))
		return error_set(err, TFPROF_IO, "%.400s: not a regular file", path);
	if ((uintmax_t)st.st_size > SIZE_MAX)
		return io_error(err, path, EFBIG);
	return mapped_file_open(file, fd, &st) ? TFPROF_OK : io_error(err, path, errno);
}

enum tfprof_status mapping_open(struct mapped_file *file, const char *path,
	struct tfprof_error *err)
{
	enum tfprof_status status;
	/* Non-blocking, so that a named pipe is rejected instead of waited for. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	*file = (struct mapped_file){.bytes = {"", 0}};
	if (fd < 0)
		return io_error(err, path, errno);
	status = map(file, fd, path, err);
	if (status != TFPROF_OK)
		close(fd);
	return status;
}
