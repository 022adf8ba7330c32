/* Where output goes: a file, a file descriptor, a buf or a function, plain or
 * gzip'd, through one buffer of fixed size.
 *
 *     struct sink out;
 *     status = sink_open_file(&out, path, SINK_BY_SUFFIX, err);
 *     if (status != TFPROF_OK)
 *             return status;
 *     sink_text(&out, "…");                 // as often as needed, unchecked
 *     return sink_commit(&out, err);        // or sink_abandon(&out)
 *
 * A failure sticks: what is written after it is thrown away, and commit
 * reports the first one. Every opened sink ends in exactly one commit or
 * abandon, which release it; after an open that failed there is nothing to do.
 * An open sink stays where it is in memory.
 *
 *     put → buffer (64 KB) → [deflate] → write function → unnamed file
 *                                                          | commit: gets its name
 *                                                          v
 *                                                         path
 *
 * A file is written completely or not at all: until commit succeeds, `path` is what
 * it was before (see new_file.h). Only something that is no regular file (a device, a pipe) is
 * written directly. A symbolic link stays one: its target is replaced. */
#ifndef TFPROF_BASE_SINK_H
#define TFPROF_BASE_SINK_H

#include <stdint.h>
#include <string.h>

#include <tfprof/tfprof.h>

#include "base/buf.h"
#include "base/new_file.h"
#include "base/span.h"

enum sink_format {
	SINK_PLAIN,
	SINK_GZIP,
	SINK_BY_SUFFIX, /* gzip for a file named *.gz, else plain */
};

/* Writes all bytes; returns 0 or an errno value. */
typedef int sink_write_fn(void *context, const void *bytes, size_t n);

struct sink {
	char *buffer; /* NULL: unbuffered */
	size_t n, cap;
	sink_write_fn *write;
	void *context;
	struct sink_gzip *gzip;
	int fd; /* descriptor of a file or descriptor sink, else -1 */
	bool owns_fd;
	bool has_colour;      /* text may have escape sequences for colours */
	bool is_terminal;     /* text of others is shown with escapes (visible.h) */
	int error;            /* the first errno value */
	char *name;           /* for messages; NULL for memory */
	struct new_file file; /* zeroed when written directly */
};

/* The file is created at commit, or replaced, keeping its permissions. Fails
 * at once if the directory or an existing file cannot be written. /dev/stdout
 * and /dev/stderr are those streams, whatever they are redirected to. */
enum tfprof_status sink_open_file(struct sink *s, const char *path, enum sink_format format,
	struct tfprof_error *err);
/* `name` is what messages call it; the descriptor stays open. */
enum tfprof_status sink_open_fd(struct sink *s, int fd, const char *name, enum sink_format format,
	struct tfprof_error *err);
/* Appends to `b`, which after abandon holds what was written so far. */
enum tfprof_status sink_open_buf(struct sink *s, struct buf *b, enum sink_format format,
	struct tfprof_error *err);
enum tfprof_status sink_open_fn(struct sink *s, sink_write_fn *write, void *context,
	const char *name, enum sink_format format, struct tfprof_error *err);
/* An output as users name it: `-` is standard output, anything else a file. */
enum tfprof_status sink_open(struct sink *s, const char *path, enum sink_format format,
	struct tfprof_error *err);

/* Flushes, moves a file into place and releases the sink. A failure carries the name
 * and the reason, and leaves no file behind. */
enum tfprof_status sink_commit(struct sink *s, struct tfprof_error *err);
/* Releases the sink; an existing file keeps its contents. */
void sink_abandon(struct sink *s);

static inline bool sink_failed(const struct sink *s)
{
	return s->error != 0;
}

/* Makes the sink fail, for writers that find something wrong themselves. */
void sink_fail(struct sink *s, int error);

void sink_put_slow(struct sink *s, const void *bytes, size_t n);

static inline void sink_put(struct sink *s, const void *bytes, size_t n)
{
	if (n > s->cap - s->n) {
		sink_put_slow(s, bytes, n);
	} else if (n) {
		memcpy(s->buffer + s->n, bytes, n);
		s->n += n;
	}
}

/* Room for n bytes that the caller writes at once, which saves a copy if the sink is
 * plain memory. NULL if it is not: use sink_put(). */
char *sink_claim(struct sink *s, size_t n);

static inline void sink_span(struct sink *s, struct span text)
{
	sink_put(s, text.at, text.n);
}

static inline void sink_text(struct sink *s, const char *text)
{
	sink_put(s, text, strlen(text));
}

static inline void sink_char(struct sink *s, char c)
{
	sink_put(s, &c, 1);
}

void sink_int(struct sink *s, int64_t value);
void sink_printf(struct sink *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
