#include "history.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"

enum { MAX_LINES = 1000 };

char *history_path(void)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	struct buf path = {0};

	if (state && *state == '/')
		buf_text(&path, state);
	else if (home && *home)
		buf_printf(&path, "%s/.local/state", home);
	else
		return NULL;
	buf_text(&path, "/tfprof/history");
	if (path.failed)
		buf_clear(&path);
	return path.at;
}

/* Start of the latest MAX_LINES lines. */
static const char *latest(const struct buf *all)
{
	const char *at = all->at + all->n;
	size_t n = 0;

	while (at > all->at) {
		if (at[-1] == '\n' && n++ == MAX_LINES)
			break;
		at--;
	}
	return at;
}

static size_t count_lines(const struct buf *all)
{
	size_t n = 0;

	for (size_t i = 0; i < all->n; i++)
		n += all->at[i] == '\n';
	return n;
}

/* Replaces the file with its latest lines. */
static void shorten(const char *path, const char *lines)
{
	struct buf temporary = {0};
	FILE *file;

	buf_printf(&temporary, "%s.%ld", path, (long)getpid());
	file = temporary.failed ? NULL : fopen(temporary.at, "we");
	if (file) {
		bool ok = fputs(lines, file) >= 0;

		ok &= fchmod(fileno(file), 0600) == 0;
		ok &= fclose(file) == 0;
		if (!ok || rename(temporary.at, path) != 0)
			unlink(temporary.at);
	}
	buf_clear(&temporary);
}

void history_load(const char *path, history_line_fn *fn, void *context)
{
	FILE *file = fopen(path, "re");
	struct buf all = {0};
	char block[4096], *at;
	const char *start;
	size_t n;

	if (!file)
		return;
	while ((n = fread(block, 1, sizeof(block), file)) > 0)
		buf_put(&all, block, n);
	fclose(file);
	if (all.failed || !all.n) {
		buf_clear(&all);
		return;
	}
	start = latest(&all);
	if (count_lines(&all) > 2 * MAX_LINES)
		shorten(path, start);
	for (at = all.at + (start - all.at); *at;) {
		size_t length = strcspn(at, "\n");
		bool is_last = !at[length];

		at[length] = '\0';
		if (length)
			fn(context, at);
		if (is_last)
			break;
		at += length + 1;
	}
	buf_clear(&all);
}

static void make_directories(const char *path)
{
	char *copy = span_copy(span_of(path));

	if (!copy)
		return;
	for (char *slash = strchr(copy + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(copy, 0700);
		*slash = '/';
	}
	mem_free(copy);
}

void history_add(const char *path, const char *line)
{
	int flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC;
	int fd = open(path, flags, 0600);
	struct buf whole = {0};

	if (fd < 0 && errno == ENOENT) {
		make_directories(path);
		fd = open(path, flags, 0600);
	}
	if (fd < 0)
		return;
	buf_printf(&whole, "%s\n", line);
	/* One write, so that lines of concurrent sessions do not mix. Failure is
	 * ignored: history is not worth disturbing the session. */
	if (!whole.failed && write(fd, whole.at, whole.n) < 0)
		errno = 0;
	close(fd);
	buf_clear(&whole);
}
