/* /api/text: the text of a file that lines of Python are in, named by one of the profile's frames.
 *
 *     {"path": "/a/model.py", "state": "unchanged", "lines": ["import x", …],
 *      "recorded": [{"line": 12, "text": "y = f(x)"}, …]}
 *
 * Lines are those of the file on this disk, if it is still there: "unchanged" if all recorded texts
 * are in it, "changed" if one is not, "newer" if none was recorded and it was written after the
 * profile, "older" otherwise. "missing": there are only the recorded ones. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/mem.h"
#include "server/routes.h"
#include "server/table_json.h"
#include "server/view_query.h"

enum { MAX_FILE_BYTES = 4 << 20, MAX_RECORDED = 1 << 20 };

struct recorded {
	int64_t line;
	char *text;
	size_t n;
};

struct text_request {
	const char *path;
	VEC(struct recorded) recorded; /* by line, each once */
	struct buf file;
	bool has_file, failed;
	time_t changed_at;
	VEC(struct span) lines; /* of the file */
};

/* ---- what was recorded --------------------------------------------------------- */

static int keep_frame(void *context, const struct tfprof_frame *frame)
{
	struct text_request *r = context;
	struct recorded line = {.line = frame->line, .n = frame->text_length};

	if (!frame->text_length || frame->line < 1 || r->recorded.n >= MAX_RECORDED ||
		!span_equal((struct span){frame->file, frame->file_length}, span_of(r->path)))
		return 0;
	line.text = span_copy((struct span){frame->text, frame->text_length});
	if (!line.text || !vec_push(&r->recorded, line)) {
		mem_free(line.text);
		r->failed = true;
	}
	return r->failed;
}

static int by_line(const void *a, const void *b)
{
	const struct recorded *x = a, *y = b;

	return (x->line > y->line) - (x->line < y->line);
}

static void keep_each_once(struct text_request *r)
{
	size_t n = 0;

	if (r->recorded.n)
		qsort(r->recorded.at, r->recorded.n, sizeof(*r->recorded.at), by_line);
	for (size_t i = 0; i < r->recorded.n; i++)
		if (n && r->recorded.at[n - 1].line == r->recorded.at[i].line)
			mem_free(r->recorded.at[i].text);
		else
			r->recorded.at[n++] = r->recorded.at[i];
	r->recorded.n = n;
}

/* Nodes of a row of code view have the same stack: one of each is read. */
static enum tfprof_status read_recorded(struct text_request *r, tfprof_profile *profile,
	const struct table_json *t, tfprof_result *result, struct call *c, struct tfprof_error *err)
{
	struct tfprof_node_visitor visitor = {.frame = keep_frame, .context = r};
	const int64_t *rows;
	size_t n_nodes;
	unsigned char *is_done = mem_zero_array(t->n_rows + 1, 1);
	enum tfprof_status status = is_done
		? tfprof_result_get_node_rows(result, &rows, &n_nodes, err)
		: error_no_memory(err);

	for (size_t i = 0; status == TFPROF_OK && !r->failed && i < n_nodes && !c->cancel; i++) {
		if (rows[i] < 0 || is_done[rows[i]])
			continue;
		is_done[rows[i]] = 1;
		status = tfprof_profile_visit_node(profile, i, NULL, &visitor, err);
	}
	mem_free(is_done);
	if (status == TFPROF_OK && r->failed)
		status = error_no_memory(err);
	keep_each_once(r);
	return status;
}

/* ---- the file ------------------------------------------------------------------- */

/* Only Python's, and only what is a file: a profile can name anything. */
static bool is_python(const char *path)
{
	return span_ends(span_of(path), SPAN(".py"));
}

static void read_all(struct text_request *r, int file, size_t n)
{
	char piece[4096];
	ssize_t got = 0;

	while (r->file.n < n && (got = read(file, piece, sizeof(piece))) > 0)
		buf_put(&r->file, piece, (size_t)got);
	r->has_file = got >= 0 && !r->file.failed;
}

static void read_file(struct text_request *r)
{
	struct stat about;
	int file = is_python(r->path) ? open(r->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;

	if (file < 0)
		return;
	if (fstat(file, &about) == 0 && S_ISREG(about.st_mode) && about.st_size <= MAX_FILE_BYTES) {
		r->changed_at = about.st_mtime;
		read_all(r, file, (size_t)about.st_size);
	}
	close(file);
}

static bool split(struct text_request *r)
{
	const char *at = r->file.at, *end = at + r->file.n;

	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		const char *stop = newline ? newline : end;
		struct span line = {at, (size_t)(stop - at)};

		if (line.n && line.at[line.n - 1] == '\r')
			line.n--;
		if (!vec_push(&r->lines, line))
			return false;
		at = stop + 1;
	}
	return true;
}

static struct span trim(struct span text)
{
	while (text.n && strchr(" \t\r\n", text.at[0])) {
		text.at++;
		text.n--;
	}
	while (text.n && strchr(" \t\r\n", text.at[text.n - 1]))
		text.n--;
	return text;
}

/* A statement of several lines may be recorded as its first only. */
static bool is_unchanged(const struct text_request *r)
{
	for (size_t i = 0; i < r->recorded.n; i++) {
		const struct recorded *line = &r->recorded.at[i];
		struct span was = trim((struct span){line->text, line->n});

		if (line->line > (int64_t)r->lines.n ||
			!span_equal(trim(r->lines.at[line->line - 1]), was))
			return false;
	}
	return true;
}

static const char *state_of(const struct text_request *r, const struct shown_profile *p)
{
	if (!r->has_file)
		return "missing";
	if (r->recorded.n)
		return is_unchanged(r) ? "unchanged" : "changed";
	for (size_t i = 0; i < p->inputs.n; i++)
		if (p->inputs.at[i].seen.st_mtime < r->changed_at)
			return "newer";
	return "older";
}

/* ---- the answer ----------------------------------------------------------------- */

static void put_text(const struct text_request *r, const struct shown_profile *p, struct json *out)
{
	json_open_object(out);
	json_put_text(out, "path", r->path);
	json_put_text(out, "state", state_of(r, p));
	json_key(out, "lines");
	json_open_array(out);
	for (size_t i = 0; i < r->lines.n; i++)
		json_string(out, r->lines.at[i]);
	json_close_array(out);
	json_key(out, "recorded");
	json_open_array(out);
	for (size_t i = 0; i < r->recorded.n; i++) {
		const struct recorded *line = &r->recorded.at[i];

		json_open_object(out);
		json_put_int(out, "line", line->line);
		json_put_string(out, "text", (struct span){line->text, line->n});
		json_close_object(out);
	}
	json_close_array(out);
	json_close_object(out);
}

/* No request can name a file that the profile does not. */
static bool is_in_profile(const struct table_json *t, const char *path)
{
	for (size_t row = 1; row < t->n_rows; row++)
		if (span_equal(table_json_path(t, (int64_t)row), span_of(path)))
			return true;
	return false;
}

static void clear(struct text_request *r)
{
	for (size_t i = 0; i < r->recorded.n; i++)
		mem_free(r->recorded.at[i].text);
	vec_clear(&r->recorded);
	vec_clear(&r->lines);
	buf_clear(&r->file);
}

enum tfprof_status route_text(struct call *c, struct json *out, struct tfprof_error *err)
{
	struct text_request r = {.path = call_get(c, "path")};
	struct shown_profile *profile;
	struct kept *kept = NULL;
	struct table_json t;
	int64_t p;
	enum tfprof_status status = view_profile(c, &profile, &p, err);

	if (status == TFPROF_OK)
		status = view_query_all(c, TFPROF_CODE, &kept, err);
	if (status == TFPROF_OK)
		status = table_json_open(&t, TFPROF_CODE, kept_get(kept), err);
	if (status == TFPROF_OK && (!r.path || !is_in_profile(&t, r.path)))
		status = error_set(err, TFPROF_ARGUMENT,
			"path=%.200s: no line of this profile is in it", r.path ? r.path : "");
	if (status == TFPROF_OK)
		status = read_recorded(&r, profile->profile, &t, kept_get(kept), c, err);
	if (status == TFPROF_OK) {
		read_file(&r);
		if (r.has_file && !split(&r))
			status = error_no_memory(err);
	}
	if (status == TFPROF_OK)
		put_text(&r, profile, out);
	clear(&r);
	store_release(c->store, kept);
	return status;
}
