#include "base/mapped_file.h"

#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"

bool mapped_file_open(struct mapped_file *f, int fd, const struct stat *st)
{
	size_t size = (size_t)st->st_size;
	void *map = size ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0) : (void *)"";

	if (map == MAP_FAILED)
		return false;
	*f = (struct mapped_file){.bytes = {map, size},
		.fd = fd,
		.written = st->st_mtim,
		.is_watched = fd < MAPPED_FILE_DESCRIPTORS};
	if (!f->is_watched)
		close(fd);
	return true;
}

static void stop_watching(struct mapped_file *f)
{
	if (f->is_watched)
		close(f->fd);
	f->is_watched = false;
}

void mapped_file_close(struct mapped_file *f)
{
	if (f->bytes.n)
		munmap((void *)(uintptr_t)f->bytes.at, f->bytes.n);
	stop_watching(f);
	*f = (struct mapped_file){0};
}

static bool same_time(struct timespec a, struct timespec b)
{
	return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

enum tfprof_status mapped_file_check(const struct mapped_file *f, const char *path,
	struct tfprof_error *err)
{
	struct stat now;

	if (!f->is_watched || fstat(f->fd, &now) != 0 ||
		((size_t)now.st_size == f->bytes.n && same_time(now.st_mtim, f->written)))
		return TFPROF_OK;
	return error_set(err, TFPROF_IO, "%.400s: it has changed since it was loaded: load it anew",
		path);
}

/* Other pages in the place of the file's. */
static bool copy_in_place(void *at, size_t size)
{
	void *copy = mem_alloc(size);
	bool fine = copy;

	if (fine) {
		memcpy(copy, at, size);
		fine = mmap(at, size, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
	}
	if (fine)
		memcpy(at, copy, size);
	mem_free(copy);
	return fine;
}

bool mapped_file_detach(struct mapped_file *f)
{
	if (f->bytes.n && !copy_in_place((void *)(uintptr_t)f->bytes.at, f->bytes.n))
		return false;
	stop_watching(f);
	return true;
}
