#include "base/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/error.h"

enum { BUFFER_BYTES = 64 * 1024, MAX_WRITE = 1 << 30 };

struct sink_gzip {
	z_stream stream;
	unsigned char out[BUFFER_BYTES];
};

/* ---- ends of the pipe ------------------------------------------------- */

static int write_fd(void *context, const void *bytes, size_t n)
{
	const struct sink *s = context;
	const char *at = bytes;

	while (n) {
		ssize_t done = write(s->fd, at, n < MAX_WRITE ? n : MAX_WRITE);

		if (done >= 0) {
			at += done;
			n -= (size_t)done;
		} else if (errno == EAGAIN) {
			/* It may be non-blocking. */
			struct pollfd ready = {.fd = s->fd, .events = POLLOUT};

			if (poll(&ready, 1, -1) < 0 && errno != EINTR)
				return errno;
		} else if (errno != EINTR) {
			return errno;
		}
	}
	return 0;
}

static int write_buf(void *context, const void *bytes, size_t n)
{
	struct buf *b = context;

	buf_put(b, bytes, n);
	return b->failed ? ENOMEM : 0;
}

/* ---- gzip ------------------------------------------------------------- */

static void *gzip_alloc(void *opaque, unsigned n, unsigned item_size)
{
	(void)opaque;
	return mem_array(n, item_size);
}

static void gzip_free(void *opaque, void *block)
{
	(void)opaque;
	mem_free(block);
}

static struct sink_gzip *gzip_new(void)
{
	struct sink_gzip *gzip = mem_alloc(sizeof(*gzip));

	if (!gzip)
		return NULL;
	gzip->stream = (z_stream){.zalloc = gzip_alloc, .zfree = gzip_free};
	/* 15 + 16: the largest window, and a gzip header (without a time, so
	 * equal content is equal bytes). */
	if (deflateInit2(&gzip->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8,
		    Z_DEFAULT_STRATEGY) != Z_OK) {
		mem_free(gzip);
		return NULL;
	}
	return gzip;
}

static void gzip_delete(struct sink_gzip *gzip)
{
	if (!gzip)
		return;
	deflateEnd(&gzip->stream);
	mem_free(gzip);
}

static void gzip_some(struct sink *s, const void *bytes, unsigned n, int flush)
{
	struct sink_gzip *gzip = s->gzip;
	z_stream *z = &gzip->stream;

	z->next_in = (unsigned char *)(uintptr_t)bytes;
	z->avail_in = n;
	do {
		size_t done;

		z->next_out = gzip->out;
		z->avail_out = sizeof(gzip->out);
		if (deflate(z, flush) == Z_STREAM_ERROR) {
			sink_fail(s, EIO);
			return;
		}
		done = sizeof(gzip->out) - z->avail_out;
		if (done)
			sink_fail(s, s->write(s->context, gzip->out, done));
	} while (!s->error && z->avail_out == 0);
}

/* ---- writing ---------------------------------------------------------- */

void sink_fail(struct sink *s, int error)
{
	if (!error || s->error)
		return;
	s->error = error;
	s->n = s->cap = 0; /* no room: every put takes the slow way, and ends there */
}

static void pass_on(struct sink *s, const char *bytes, size_t n)
{
	if (!s->gzip) {
		if (n && !s->error)
			sink_fail(s, s->write(s->context, bytes, n));
		return;
	}
	while (n && !s->error) {
		unsigned piece = n < MAX_WRITE ? (unsigned)n : MAX_WRITE;

		gzip_some(s, bytes, piece, Z_NO_FLUSH);
		bytes += piece;
		n -= piece;
	}
}

static void flush(struct sink *s)
{
	pass_on(s, s->buffer, s->n);
	s->n = 0;
}

char *sink_claim(struct sink *s, size_t n)
{
	struct buf *b = s->context;

	if (s->write != write_buf || s->gzip || s->error)
		return NULL;
	flush(s);
	if (s->error || !buf_reserve(b, n))
		return NULL;
	b->n += n;
	b->at[b->n] = '\0';
	return b->at + b->n - n;
}

void sink_put_slow(struct sink *s, const void *bytes, size_t n)
{
	if (s->error)
		return;
	flush(s);
	if (n >= s->cap)
		pass_on(s, bytes, n);
	else
		sink_put(s, bytes, n);
}

void sink_int(struct sink *s, int64_t value)
{
	char digits[24];
	size_t i = sizeof(digits);
	uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;

	do {
		digits[--i] = (char)('0' + rest % 10);
		rest /= 10;
	} while (rest);
	if (value < 0)
		digits[--i] = '-';
	sink_put(s, digits + i, sizeof(digits) - i);
}

void sink_printf(struct sink *s, const char *format, ...)
{
	struct buf text = {0};
	char small[256];
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(small, sizeof(small), format, args);
	va_end(args);
	if (n < 0) {
		sink_fail(s, errno ? errno : EINVAL);
		return;
	}
	if ((size_t)n < sizeof(small)) {
		sink_put(s, small, (size_t)n);
		return;
	}
	if (!buf_reserve(&text, (size_t)n)) {
		sink_fail(s, ENOMEM);
		return;
	}
	va_start(args, format);
	vsnprintf(text.at, (size_t)n + 1, format, args);
	va_end(args);
	sink_put(s, text.at, (size_t)n);
	buf_clear(&text);
}

/* ---- opening ---------------------------------------------------------- */

static void release(struct sink *s)
{
	if (s->owns_fd && s->fd >= 0)
		close(s->fd);
	new_file_discard(&s->file);
	gzip_delete(s->gzip);
	mem_free(s->buffer);
	mem_free(s->name);
	*s = (struct sink){.fd = -1};
}

static enum tfprof_status report(struct tfprof_error *err, const char *name, int error)
{
	if (error == ENOMEM)
		return error_no_memory(err);
	return error_set(err, TFPROF_IO, "%.500s: cannot write: %s", name ? name : "output",
		strerror(error));
}

/* Common to all kinds. */
static enum tfprof_status open_common(struct sink *s, const char *name, bool buffered, bool gzip,
	struct tfprof_error *err)
{
	if (name) {
		s->name = span_copy(span_of(name));
		if (!s->name)
			goto no_memory;
	}
	if (buffered || gzip) {
		s->buffer = mem_alloc(BUFFER_BYTES);
		if (!s->buffer)
			goto no_memory;
		s->cap = BUFFER_BYTES;
	}
	if (gzip) {
		s->gzip = gzip_new();
		if (!s->gzip)
			goto no_memory;
	}
	return TFPROF_OK;
no_memory:
	release(s);
	return error_no_memory(err);
}

enum tfprof_status sink_open_fn(struct sink *s, sink_write_fn *write_bytes, void *context,
	const char *name, enum sink_format format, struct tfprof_error *err)
{
	*s = (struct sink){.fd = -1, .write = write_bytes, .context = context};
	return open_common(s, name, true, format == SINK_GZIP, err);
}

enum tfprof_status sink_open_buf(struct sink *s, struct buf *b, enum sink_format format,
	struct tfprof_error *err)
{
	*s = (struct sink){.fd = -1, .write = write_buf, .context = b};
	return open_common(s, NULL, false, format == SINK_GZIP, err);
}

enum tfprof_status sink_open_fd(struct sink *s, int fd, const char *name, enum sink_format format,
	struct tfprof_error *err)
{
	*s = (struct sink){.fd = fd, .write = write_fd, .context = s, .is_terminal = isatty(fd)};
	return open_common(s, name, true, format == SINK_GZIP, err);
}

enum tfprof_status sink_open(struct sink *s, const char *path, enum sink_format format,
	struct tfprof_error *err)
{
	if (strcmp(path, "-") == 0)
		return sink_open_fd(s, STDOUT_FILENO, "standard output", format, err);
	return sink_open_file(s, path, format, err);
}

/* Decides how `path` is replaced, and opens what is written to. */
static int open_target(struct sink *s, const char *path)
{
	char resolved[PATH_MAX];
	struct stat before;
	bool exists;
	int error;

	/* A dangling link is replaced, not followed: its target may be in a directory
	 * nobody thought of. */
	if (realpath(path, resolved))
		path = resolved;
	exists = stat(path, &before) == 0;
	if (!exists && errno != ENOENT)
		return errno;
	if (exists && S_ISDIR(before.st_mode))
		return EISDIR;
	if (exists && !S_ISREG(before.st_mode)) {
		s->owns_fd = true;
		s->fd = open(path, O_WRONLY | O_CLOEXEC);
		return s->fd < 0 ? errno : 0;
	}
	if (exists && faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) != 0)
		return errno;
	error = new_file_open(&s->file, path, exists ? &before : NULL);
	s->fd = s->file.fd;
	return error;
}

enum tfprof_status sink_open_file(struct sink *s, const char *path, enum sink_format format,
	struct tfprof_error *err)
{
	size_t n = strlen(path);
	bool gzip = format == SINK_GZIP ||
		(format == SINK_BY_SUFFIX && n > 3 && strcmp(path + n - 3, ".gz") == 0);
	enum tfprof_status status;
	int error;

	/* Replacing the file a stream was redirected to would take it away from other
	 * writers. */
	if (strcmp(path, "/dev/stdout") == 0)
		return sink_open_fd(s, STDOUT_FILENO, path, format, err);
	if (strcmp(path, "/dev/stderr") == 0)
		return sink_open_fd(s, STDERR_FILENO, path, format, err);
	*s = (struct sink){.fd = -1, .write = write_fd, .context = s};
	status = open_common(s, path, true, gzip, err);
	if (status != TFPROF_OK)
		return status;
	error = n ? open_target(s, path) : ENOENT;
	if (error) {
		status = report(err, path, error);
		release(s);
	}
	return status;
}

/* ---- closing ---------------------------------------------------------- */

enum tfprof_status sink_commit(struct sink *s, struct tfprof_error *err)
{
	enum tfprof_status status = TFPROF_OK;

	flush(s);
	if (s->gzip && !s->error)
		gzip_some(s, NULL, 0, Z_FINISH);
	if (s->owns_fd) {
		/* Some file systems report a full disk only now. */
		if (close(s->fd) != 0 && errno != EINTR)
			sink_fail(s, errno);
		s->fd = -1;
	}
	if (s->file.path && !s->error)
		sink_fail(s, new_file_commit(&s->file));
	if (s->error)
		status = report(err, s->name, s->error);
	release(s);
	return status;
}

void sink_abandon(struct sink *s)
{
	release(s);
}
