#include "load/xplane/source_text.h"

#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/utf8.h"
#include "model/trace.h"

/* Limit for all files together; no program has that much Python of its own. */
enum { MOST_BYTES = 64 << 20 };

void source_texts_clear(struct source_texts *t)
{
	for (size_t i = 0; i < t->files.n; i++) {
		mem_free(t->files.at[i].bytes);
		vec_clear(&t->files.at[i].lines);
	}
	vec_clear(&t->files);
	vec_clear(&t->file_of);
}

/* ---- files ----------------------------------------------------------------- */

static bool is_own_python(struct span path)
{
	return path.n > 4 && path.n < PATH_MAX && path.at[0] == '/' &&
		span_ends(path, SPAN(".py")) && !memchr(path.at, 0, path.n) &&
		!frame_is_library(path);
}

/* Whether a file is unchanged since the trace was recorded, and small enough. */
static bool is_readable(const struct source_texts *t, const struct stat *st)
{
	bool is_later = st->st_mtim.tv_sec > t->recorded_ns / 1000000000;

	return S_ISREG(st->st_mode) && st->st_size > 0 &&
		(size_t)st->st_size <= MOST_BYTES - t->n_bytes && !(t->recorded_ns > 0 && is_later);
}

static bool read_whole(int fd, char *to, size_t n)
{
	size_t done = 0;

	while (done < n) {
		ssize_t more = read(fd, to + done, n - done);

		if (more <= 0)
			return false;
		done += (size_t)more;
	}
	return true;
}

static bool split_lines(struct source_file *f, size_t n)
{
	bool ok = vec_push(&f->lines, 0);

	for (size_t i = 0; ok && i < n; i++)
		if (f->bytes[i] == '\n' || i + 1 == n)
			ok = vec_push(&f->lines, (uint32_t)(i + 1));
	return ok;
}

/* A file that cannot be read has no lines. */
static void read_file(struct source_texts *t, struct span path, struct source_file *f)
{
	char name[PATH_MAX];
	struct stat st;
	int fd;

	memcpy(name, path.at, path.n);
	name[path.n] = 0;
	fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return;
	if (fstat(fd, &st) == 0 && is_readable(t, &st)) {
		f->bytes = mem_alloc((size_t)st.st_size);
		if (!f->bytes || !read_whole(fd, f->bytes, (size_t)st.st_size) ||
			!split_lines(f, (size_t)st.st_size))
			f->lines.n = 0;
		t->n_bytes += (size_t)st.st_size;
	}
	close(fd);
}

static const struct source_file *find_file(struct source_texts *t, uint32_t id, struct span path)
{
	struct source_file file = {0};

	while (t->file_of.n <= id)
		if (!vec_push(&t->file_of, 0))
			return NULL;
	if (!t->file_of.at[id]) {
		if (!vec_reserve(&t->files, 1))
			return NULL;
		read_file(t, path, &file);
		t->files.at[t->files.n++] = file;
		t->file_of.at[id] = (uint32_t)t->files.n;
	}
	return &t->files.at[t->file_of.at[id] - 1];
}

/* ---- lines ----------------------------------------------------------------- */

struct span source_texts_get(struct source_texts *t, uint32_t path_id, struct span path,
	int64_t line)
{
	const struct source_file *f = is_own_python(path) ? find_file(t, path_id, path) : NULL;
	struct span text;

	if (!f || line < 1 || (uint64_t)line >= f->lines.n)
		return SPAN("");
	text = ascii_trim((struct span){f->bytes + f->lines.at[line - 1],
		f->lines.at[line] - f->lines.at[line - 1]});
	return utf8_is_valid(text) ? text : SPAN("");
}
