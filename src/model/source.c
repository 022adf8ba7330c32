#include "model/source.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/parallel.h"

static enum tfprof_status io_error(struct tfprof_error *err, const char *path)
{
	return error_set(err, TFPROF_IO, "cannot read: %s: %s", path, strerror(errno));
}

/* For what cannot be mapped: a pipe, a terminal, a file of /proc. */
static enum tfprof_status read_all(struct source *s, int fd, const char *path,
	struct tfprof_error *err)
{
	struct buf b = {0};

	for (;;) {
		ssize_t n;

		if (!buf_reserve(&b, 1 << 16)) {
			buf_clear(&b);
			return error_no_memory(err);
		}
		n = read(fd, b.at + b.n, 1 << 16);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			enum tfprof_status status = io_error(err, path);

			buf_clear(&b);
			return status;
		}
		if (n == 0)
			break;
		b.n += (size_t)n;
	}
	s->bytes = (struct span){b.at, b.n};
	s->owner = SOURCE_HEAP;
	return TFPROF_OK;
}

struct mapping {
	char *at;
	size_t n_pages, parts;
};

enum { PAGE_BYTES = 4096 };

static void map_part(void *context, size_t part)
{
#ifdef MADV_POPULATE_READ
	struct mapping *m = context;
	size_t begin = parallel_begin(m->n_pages, m->parts, part);
	size_t end = parallel_begin(m->n_pages, m->parts, part + 1);

	/* Where this is not known, pages are mapped as they are read. */
	madvise(m->at + begin * PAGE_BYTES, (end - begin) * PAGE_BYTES, MADV_POPULATE_READ);
#endif
}

/* Every loader reads its whole input. Pages that are in memory anyway are mapped
 * at once, which costs a fraction of a fault for every few of them; an input that
 * memory may be short of is read on the way. */
static void prepare(void *map, size_t size)
{
	struct mapping m = {map, (size + PAGE_BYTES - 1) / PAGE_BYTES, 0};

	if (size > (size_t)1 << 30) {
		madvise(map, size, MADV_SEQUENTIAL);
		return;
	}
	m.parts = parallel_parts(m.n_pages, 4096);
	parallel_run(m.parts, map_part, &m);
}

static enum tfprof_status open_file(struct source *s, int fd, const char *path,
	struct tfprof_error *err)
{
	size_t size;
	void *map;

	if (fstat(fd, &s->file) != 0)
		return io_error(err, path);
	if (S_ISDIR(s->file.st_mode))
		return error_set(err, TFPROF_IO, "cannot read: %s: it is a directory, not a file", path);
	if (!S_ISREG(s->file.st_mode) || s->file.st_size == 0)
		return read_all(s, fd, path, err);
	size = (size_t)s->file.st_size;
	map = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (map == MAP_FAILED)
		return read_all(s, fd, path, err);
	s->path = mem_alloc(strlen(path) + 1);
	if (!s->path) {
		munmap(map, size);
		return error_no_memory(err);
	}
	memcpy(s->path, path, strlen(path) + 1);
	prepare(map, size);
	s->bytes = (struct span){map, size};
	s->owner = SOURCE_MAPPED;
	return TFPROF_OK;
}

enum tfprof_status source_open(struct source *s, const struct tfprof_input *in,
	struct tfprof_error *err)
{
	enum tfprof_status status;
	int fd;

	if (!in->path) {
		*s = (struct source){.bytes = {in->data ? in->data : "", in->data ? in->size : 0}};
		return TFPROF_OK;
	}
	*s = (struct source){.bytes = {"", 0}};
	fd = open(in->path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return io_error(err, in->path);
	status = open_file(s, fd, in->path, err);
	close(fd);
	return status;
}

enum tfprof_status source_own(struct source *s, struct tfprof_error *err)
{
	char *copy;

	if (s->owner != SOURCE_BORROWED)
		return TFPROF_OK;
	copy = mem_alloc(s->bytes.n);
	if (!copy)
		return error_no_memory(err);
	if (s->bytes.n)
		memcpy(copy, s->bytes.at, s->bytes.n);
	s->bytes.at = copy;
	s->owner = SOURCE_HEAP;
	return TFPROF_OK;
}

static bool same_time(struct timespec a, struct timespec b)
{
	return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

enum tfprof_status source_check(const struct source *s, struct tfprof_error *err)
{
	struct stat now;

	/* What is mapped stays what it was if its name is another file's or nobody's now. */
	if (s->owner != SOURCE_MAPPED || stat(s->path, &now) != 0 ||
		now.st_dev != s->file.st_dev || now.st_ino != s->file.st_ino ||
		(now.st_size == s->file.st_size && same_time(now.st_mtim, s->file.st_mtim)))
		return TFPROF_OK;
	return error_set(err, TFPROF_IO,
		"%s: another program has written to it since it was loaded: load it again", s->path);
}

void source_close(struct source *s)
{
	if (s->owner == SOURCE_MAPPED)
		munmap((void *)s->bytes.at, s->bytes.n);
	else if (s->owner == SOURCE_HEAP)
		mem_free((void *)s->bytes.at);
	mem_free(s->path);
	*s = (struct source){0};
}
