#include "load/xplane/run.h"

#include <glob.h>
#include <sys/stat.h>

static bool ends_in(struct span name, const char *suffix)
{
	struct span end = span_of(suffix);

	return name.n > end.n && span_equal((struct span){name.at + name.n - end.n, end.n}, end);
}

static bool is_trace(struct span path)
{
	return ends_in(path, ".xplane.pb") || ends_in(path, ".xplane.pb.gz") ||
		ends_in(path, ".xplane.pb.zst");
}

const char *xplane_explain(const char *path, struct span bytes)
{
	struct span name = path ? span_of(path) : SPAN("");

	if (ends_in(name, ".riegeli"))
		return "a trace in Riegeli format, as newer versions of XProf store it: give the "
		       "recorded *.xplane.pb";
	if (is_trace(name) && !bytes.n)
		return "an empty file, which the profiler leaves if a trace exceeds 2 GB: record "
		       "fewer steps";
	return NULL;
}

/* ---- searching ------------------------------------------------------------- */

/* Files below a directory that match a pattern. The directory's name is not a pattern. */
static bool search(const char *directory, const char *pattern, glob_t *found)
{
	struct buf b = {0};
	bool ok;

	for (const char *c = directory; *c; c++) {
		if (strchr("*?[]\\", *c))
			buf_char(&b, '\\');
		buf_char(&b, *c);
	}
	buf_text(&b, pattern);
	ok = !b.failed && glob(b.at, 0, NULL, found) == 0;
	buf_clear(&b);
	return ok;
}

static struct span directory_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return (struct span){path, slash ? (size_t)(slash - path) : 0};
}

/* 2026_08_01_12_00_00 */
static bool is_date(struct span name)
{
	static const char form[] = "dddd_dd_dd_dd_dd_dd";

	for (size_t i = 0; i < sizeof(form) - 1; i++)
		if (i >= name.n ||
			(form[i] == 'd' ? name.at[i] < '0' || name.at[i] > '9'
					: name.at[i] != form[i]))
			return false;
	return true;
}

struct newest {
	struct buf path;
	struct timespec time;
};

/* Compares the dates that are their names, which survive copying, or else those of the files. */
static bool is_newer(const struct newest *than, struct span path, struct timespec time)
{
	struct span name = span_after_last(path, '/');
	struct span other = span_after_last(buf_get(&than->path), '/');

	if (!than->path.n)
		return true;
	if (is_date(name) && is_date(other))
		return span_compare(name, other) > 0;
	if (time.tv_sec != than->time.tv_sec)
		return time.tv_sec > than->time.tv_sec;
	if (time.tv_nsec != than->time.tv_nsec)
		return time.tv_nsec > than->time.tv_nsec;
	return span_compare(path, buf_get(&than->path)) > 0;
}

static void consider(struct newest *newest, const char *file)
{
	struct span run = directory_of(file);
	struct stat st;

	if (!is_trace(span_of(file)) || stat(file, &st) != 0 || !is_newer(newest, run, st.st_mtim))
		return;
	newest->path.n = 0;
	buf_span(&newest->path, run);
	newest->time = st.st_mtim;
}

/* glob sorts, so the files of a recording are adjacent. */
static size_t count_runs(const glob_t *found)
{
	struct span last = {NULL, 0};
	size_t n = 0;

	for (size_t i = 0; i < found->gl_pathc; i++) {
		struct span run = directory_of(found->gl_pathv[i]);

		if (!is_trace(span_of(found->gl_pathv[i])) || (n && span_equal(run, last)))
			continue;
		last = run;
		n++;
	}
	return n;
}

size_t xplane_find_run(const char *directory, struct buf *path)
{
	/* The directory may be the recording itself, or any one above it up to the logdir. */
	static const char *const patterns[] = {"/*.xplane.pb*", "/*/*.xplane.pb*",
		"/profile/*/*.xplane.pb*", "/plugins/profile/*/*.xplane.pb*",
		"/*/plugins/profile/*/*.xplane.pb*"};
	struct newest newest = {0};
	size_t n = 0;

	for (size_t i = 0; !newest.path.n && i < sizeof(patterns) / sizeof(*patterns); i++) {
		glob_t found = {0};

		if (search(directory, patterns[i], &found))
			for (size_t k = 0; k < found.gl_pathc; k++)
				consider(&newest, found.gl_pathv[k]);
		n = count_runs(&found);
		globfree(&found);
	}
	buf_span(path, buf_get(&newest.path));
	path->failed |= newest.path.failed;
	buf_clear(&newest.path);
	return path->n ? n : 0;
}

/* ---- files ------------------------------------------------------------------ */

static bool add_path(xplane_paths *paths, const char *path)
{
	size_t size = strlen(path) + 1;
	char *copy = mem_alloc(size);

	if (!copy || !vec_push(paths, copy)) {
		mem_free(copy);
		return false;
	}
	memcpy(copy, path, size);
	return true;
}

bool xplane_list_run(const char *directory, xplane_paths *paths)
{
	glob_t found = {0};
	bool ok = true;

	if (search(directory, "/*.xplane.pb*", &found))
		for (size_t i = 0; ok && i < found.gl_pathc; i++)
			if (is_trace(span_of(found.gl_pathv[i])))
				ok = add_path(paths, found.gl_pathv[i]);
	globfree(&found);
	return ok;
}

void xplane_free_paths(xplane_paths *paths)
{
	for (size_t i = 0; i < paths->n; i++)
		mem_free(paths->at[i]);
	vec_clear(paths);
}
