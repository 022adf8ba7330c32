#include "checkpoint/mapping.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static enum tfprof_status io_error(struct tfprof_error *err, const char *path, int number)
{
	return error_set(err, TFPROF_IO, "%.400s: %s", path, strerror(number));
}

enum tfprof_status mapping_open(struct span *bytes, const char *path, struct tfprof_error *err)
{
	enum tfprof_status status = TFPROF_OK;
	/* Non-blocking, so that a named pipe is refused instead of waited for. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	void *map;

	*bytes = (struct span){"", 0};
	if (fd < 0)
		return io_error(err, path, errno);
	if (fstat(fd, &st) < 0) {
		status = io_error(err, path, errno);
	} else if (S_ISDIR(st.st_mode)) {
		status = io_error(err, path, EISDIR);
	} else if (!S_ISREG(st.st_mode)) {
		status = error_set(err, TFPROF_IO, "%.400s: not a regular file", path);
	} else if ((uintmax_t)st.st_size > SIZE_MAX) {
		status = io_error(err, path, EFBIG);
	} else if (st.st_size) {
		map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (map == MAP_FAILED)
			status = io_error(err, path, errno);
		else
			*bytes = (struct span){map, (size_t)st.st_size};
	}
	close(fd);
	return status;
}

void mapping_close(struct span bytes)
{
	if (bytes.n)
		munmap((void *)(uintptr_t)bytes.at, bytes.n);
}
