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
		.was = *st,
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

/* Adding or removing a name of a file changes its ctime, but not its contents. */
static bool has_other_names(const struct mapped_file *f, const struct stat *now, const char *path)
{
	struct stat named;

	return now->st_nlink != f->was.st_nlink || stat(path, &named) != 0 ||
		named.st_dev != now->st_dev || named.st_ino != now->st_ino;
}

static bool is_as_it_was(const struct mapped_file *f, const struct stat *now, const char *path)
{
	return now->st_size == f->was.st_size && same_time(now->st_mtim, f->was.st_mtim) &&
		(same_time(now->st_ctim, f->was.st_ctim) || has_other_names(f, now, path));
}

enum tfprof_status mapped_file_check(const struct mapped_file *f, const char *path,
	struct tfprof_error *err)
{
	struct stat now;

	if (!f->is_watched || fstat(f->fd, &now) != 0 || is_as_it_was(f, &now, path))
		return TFPROF_OK;
	return error_set(err, TFPROF_IO, "%.400s: it has changed since it was loaded: reload it",
		path);
}

/* Replaces the file's pages with a copy. */
static bool copy_in_place(void *at, size_t size)
{
	void *copy = mem_alloc(size);
	bool ok = copy;

	if (ok) {
		memcpy(copy, at, size);
		ok = mmap(at, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
			     -1, 0) != MAP_FAILED;
	}
	if (ok)
		memcpy(at, copy, size);
	mem_free(copy);
	return ok;
}

bool mapped_file_detach(struct mapped_file *f)
{
	if (f->bytes.n && !copy_in_place((void *)(uintptr_t)f->bytes.at, f->bytes.n))
		return false;
	stop_watching(f);
	f->is_copy = true;
	return true;
}

void mapped_file_release(const struct mapped_file *f)
{
	if (f->bytes.n && !f->is_copy)
		madvise((void *)(uintptr_t)f->bytes.at, f->bytes.n, MADV_DONTNEED);
}
