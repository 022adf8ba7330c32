#include "model/source.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/buf.h"

static enum tfprof_status io_error(struct tfprof_error *err, const char *path)
{
	return error_set(err, TFPROF_IO, "cannot read: %s: %s", path, strerror(errno));
}

enum tfprof_status source_read(struct source *s, int fd, const char *name, struct tfprof_error *err)
{
	enum tfprof_status status = TFPROF_OK;
	struct buf b = {0};
	ssize_t n = 1;

	*s = (struct source){.bytes = {"", 0}};
	while (status == TFPROF_OK && n) {
		if (!buf_reserve(&b, 1 << 16)) {
			status = error_no_memory(err);
			break;
		}
		n = read(fd, b.at + b.n, 1 << 16);
		if (n < 0 && errno != EINTR)
			status = io_error(err, name);
		b.n += n > 0 ? (size_t)n : 0;
		if (b.n > SOURCE_STREAM_LIMIT)
			status = error_set(err, TFPROF_IO,
				"cannot read: %s: it is longer than %zu bytes, the limit for a "
				"stream: write it to a file first",
				name, SOURCE_STREAM_LIMIT);
	}
	if (status != TFPROF_OK) {
		buf_clear(&b);
		return status;
	}
	s->bytes = (struct span){b.at, b.n};
	s->owner = SOURCE_HEAP;
	return TFPROF_OK;
}

/* What nobody could watch is not mapped, nor is what cannot be: a pipe, a terminal, a
 * file of /proc. */
static enum tfprof_status open_file(struct source *s, int fd, const char *path,
	struct tfprof_error *err)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return io_error(err, path);
	if (S_ISDIR(st.st_mode))
		return error_set(err, TFPROF_IO, "cannot read: %s: it is a directory, not a file",
			path);
	if (!S_ISREG(st.st_mode) || st.st_size == 0 || fd >= MAPPED_FILE_DESCRIPTORS ||
		!mapped_file_open(&s->file, fd, &st))
		return source_read(s, fd, path, err);
	s->bytes = s->file.bytes;
	s->owner = SOURCE_MAPPED;
	s->path = span_copy(span_of(path));
	return s->path ? TFPROF_OK : error_no_memory(err);
}

enum tfprof_status source_open(struct source *s, const struct tfprof_input *in,
	struct tfprof_error *err)
{
	enum tfprof_status status;
	int fd;

	*s = (struct source){.bytes = {"", 0}};
	if (tfprof_input_is_memory(in)) {
		if (in->data)
			s->bytes = (struct span){in->data, in->size};
		return TFPROF_OK;
	}
	fd = open(in->path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return io_error(err, in->path);
	status = open_file(s, fd, in->path, err);
	if (!s->file.is_watched)
		close(fd);
	if (status != TFPROF_OK)
		source_close(s);
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

enum tfprof_status source_check(const struct source *s, struct tfprof_error *err)
{
	return s->owner == SOURCE_MAPPED ? mapped_file_check(&s->file, s->path, err) : TFPROF_OK;
}

bool source_detach(struct source *s)
{
	return s->owner != SOURCE_MAPPED || mapped_file_detach(&s->file);
}

void *source_take(struct source *s)
{
	void *bytes = (void *)s->bytes.at;

	assert(s->owner == SOURCE_HEAP);
	s->bytes = (struct span){"", 0};
	s->owner = SOURCE_BORROWED;
	return bytes;
}

void source_close(struct source *s)
{
	if (s->owner == SOURCE_HEAP)
		mem_free(source_take(s));
	mapped_file_close(&s->file);
	mem_free(s->path);
	*s = (struct source){0};
}
