#include "lib/bounded.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/mapped_file.h"
#include "base/mem.h"
#include "write/json.h"

static const struct span rows_start = {"\"nodes\":[\n", 10};
static const char name_end[] = "/tfprof-XXXXXX.json";

static enum tfprof_status fail(const struct bounded *b, struct tfprof_error *err)
{
	return error_set(err, TFPROF_IO, "%s: %s", b->path, strerror(errno));
}

void bounded_close(struct bounded *b)
{
	if (b->fd >= 0 && b->path)
		unlink(b->path);
	if (b->fd >= 0)
		close(b->fd);
	mem_free(b->path);
}

enum tfprof_status bounded_open(struct bounded *b, struct tfprof_error *err)
{
	const char *folder = getenv("TMPDIR");
	struct buf path = {0};
	enum tfprof_status status;

	buf_text(&path, folder && *folder ? folder : "/tmp");
	buf_text(&path, name_end);
	if (path.failed) {
		buf_clear(&path);
		return error_no_memory(err);
	}
	b->path = path.at;
	b->fd = mkstemps(b->path, 5);
	status =
		b->fd < 0 ? fail(b, err) : sink_open_fd(&b->whole, b->fd, b->path, SINK_PLAIN, err);
	if (status != TFPROF_OK)
		bounded_close(b);
	return status;
}

/* Ends after the last row that leaves `room` bytes free, without the comma behind it; before
 * the first row if none does. Rows are lines after the one of "nodes". */
static size_t find_end(struct span text, size_t room, size_t max_bytes)
{
	size_t first = span_find(text, rows_start) + rows_start.n - 1;
	size_t end = max_bytes > room ? max_bytes - room : 0;

	while (end > first && text.at[end] != '\n')
		end--;
	return end > first ? end - 1 : first;
}

static int64_t count_lines(struct span text)
{
	const char *at = text.at, *end = at + text.n, *line;
	int64_t n = 0;

	for (; (line = memchr(at, '\n', (size_t)(end - at))); at = line + 1)
		n++;
	return n;
}

static void cut(const struct bounded *b, struct span text, size_t max_bytes, struct sink *out)
{
	size_t end = find_end(text, 6 * strlen(b->path) + 80, max_bytes);
	/* The first line of the rest ends the last row kept, and the last line is no row. */
	int64_t n_left = count_lines(span_from(text, end)) - 2;
	struct json j = json_writer(out);

	sink_put(out, text.at, end);
	sink_text(out, "\n],\n\"cut\":");
	json_open_object(&j);
	json_put_int(&j, "rows_left_out", n_left);
	json_put_text(&j, "whole", b->path);
	json_close_object(&j);
	sink_text(out, "}\n");
}

enum tfprof_status bounded_copy(struct bounded *b, size_t max_bytes, struct sink *out,
	struct tfprof_error *err)
{
	struct mapped_file file = {0};
	enum tfprof_status status = sink_commit(&b->whole, err);
	struct stat st;

	if (status != TFPROF_OK)
		return status;
	if (fstat(b->fd, &st) != 0 || !mapped_file_open(&file, b->fd, &st))
		return fail(b, err);
	b->fd = -1; /* it is the mapping's now */
	if (file.bytes.n > max_bytes) {
		cut(b, file.bytes, max_bytes, out);
	} else {
		sink_span(out, file.bytes);
		unlink(b->path);
	}
	mapped_file_close(&file);
	return TFPROF_OK;
}
