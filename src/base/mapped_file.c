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
	*f = (struct mapped_file){.bytes = {map, size}, .fd = fd, .then = *st,
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

bool mapped_file_is_same(const struct mapped_file *f)
{
	struct stat now;

	return !f->is_watched || fstat(f->fd, &now) != 0 ||
		(now.st_size == f->then.st_size && same_time(now.st_mtim, f->then.st_mtim));
}

bool mapped_file_detach(struct mapped_file *f)
{
	size_t size = f->bytes.n;
	void *at = (void *)(uintptr_t)f->bytes.at, *copy = size ? mem_alloc(size) : NULL;

	if (size && !copy)
		return false;
	if (size) {
		memcpy(copy, at, size);
		if (mmap(at, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
			    -1, 0) == MAP_FAILED) {
			mem_free(copy);
			return false;
		}
		memcpy(at, copy, size);
	}
	mem_free(copy);
	stop_watching(f);
	return true;
}
