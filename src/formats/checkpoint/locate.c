#include "formats/checkpoint/locate.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "formats/checkpoint/mapping.h"

#define SHARD_SUFFIX "-SSSSS-of-NNNNN"

static bool is_kind(const char *path, mode_t kind)
{
	struct stat st;

	return stat(path, &st) == 0 && (st.st_mode & S_IFMT) == kind;
}

static bool is_file(const char *path)
{
	return is_kind(path, S_IFREG);
}

/* a + b + c in the arena, or NULL. */
static const char *join(struct arena *arena, struct span a, const char *b, const char *c)
{
	size_t n_b = strlen(b), n_c = strlen(c);
	char *text = arena_alloc(arena, a.n + n_b + n_c + 1);

	if (!text)
		return NULL;
	memcpy(text, a.at, a.n);
	memcpy(text + a.n, b, n_b);
	memcpy(text + a.n + n_b, c, n_c + 1);
	return text;
}

/* True for -12345-of-12345; `*n` gets the second number. */
static bool is_shard_suffix(const char *text, unsigned *n)
{
	if (strlen(text) != strlen(SHARD_SUFFIX) || text[0] != '-' || strncmp(text + 6, "-of-", 4))
		return false;
	for (int i = 0; i < 5; i++)
		if (!isdigit((unsigned char)text[1 + i]) || !isdigit((unsigned char)text[10 + i]))
			return false;
	*n = (unsigned)strtoul(text + 10, NULL, 10);
	return true;
}

/* The path without the suffix of a file of a V2 checkpoint, if it has one. */
static struct span strip_suffix(const char *path)
{
	struct span s = span_of(path);
	size_t data = strlen(".data" SHARD_SUFFIX);
	unsigned n;

	if (s.n > 6 && !strcmp(path + s.n - 6, ".index"))
		s.n -= 6;
	else if (s.n > 5 && !strcmp(path + s.n - 5, ".meta"))
		s.n -= 5;
	else if (s.n > data && !strncmp(path + s.n - data, ".data", 5) &&
		is_shard_suffix(path + s.n - data + 5, &n))
		s.n -= data;
	return s;
}

/* ---- the `checkpoint` file ------------------------------------------- */

/* Unescapes a quoted string of a text message. False if there is none. */
static bool unquote(struct span text, struct buf *out)
{
	const char *p = text.at, *end = text.at + text.n;
	char quote;

	if (p == end || (*p != '"' && *p != '\''))
		return false;
	quote = *p++;
	while (p < end && *p != quote && *p != '\n') {
		char c = *p++;

		if (c == '\\' && p < end && *p >= '0' && *p <= '7') {
			unsigned value = 0;

			for (int i = 0; i < 3 && p < end && *p >= '0' && *p <= '7'; i++)
				value = value * 8 + (unsigned)(*p++ - '0');
			c = (char)value;
		} else if (c == '\\' && p < end) {
			c = *p++;
		}
		buf_char(out, c);
	}
	return p < end && *p == quote && out->n;
}

static enum tfprof_status from_files(struct location *where, const char *path, struct arena *arena,
	struct tfprof_error *err);

#define STATE_KEY "model_checkpoint_path"

/* The latest path named by a `checkpoint` file. */
static bool find_latest(struct span text, struct buf *out)
{
	size_t at = 0;

	while (at < text.n) {
		struct span line = {text.at + at, text.n - at};
		const char *newline = memchr(line.at, '\n', line.n);

		line.n = newline ? (size_t)(newline - line.at) : line.n;
		at += line.n + 1;
		while (line.n && isspace((unsigned char)*line.at))
			line.at++, line.n--;
		if (line.n <= strlen(STATE_KEY) || memcmp(line.at, STATE_KEY, strlen(STATE_KEY)))
			continue;
		line.at += strlen(STATE_KEY);
		line.n -= strlen(STATE_KEY);
		while (line.n && (isspace((unsigned char)*line.at) || *line.at == ':'))
			line.at++, line.n--;
		return unquote(line, out);
	}
	return false;
}

/* A relative path is relative to the directory. An absolute one that is gone is looked
 * for in the directory, which may have been moved. */
static enum tfprof_status resolve_latest(const char **path, const char *directory,
	struct span latest, struct arena *arena, struct tfprof_error *err)
{
	const char *text = arena_copy(arena, latest).at, *slash, *moved;
	struct location unused;

	if (!text)
		return error_no_memory(err);
	slash = strrchr(text, '/');
	*path = text[0] == '/' ? text : join(arena, span_of(directory), "/", text);
	moved = join(arena, span_of(directory), "/", slash ? slash + 1 : text);
	if (!*path || !moved)
		return error_no_memory(err);
	if (is_kind(*path, S_IFDIR))
		return error_set(err, TFPROF_FORMAT,
			"%.300s/checkpoint: it names a directory: %.300s", directory, *path);
	if (text[0] == '/' && from_files(&unused, text, arena, NULL) == TFPROF_IO &&
		from_files(&unused, moved, arena, NULL) == TFPROF_OK)
		*path = moved;
	return TFPROF_OK;
}

/* Fails for a directory without a `checkpoint` file, hinting at what was meant. */
static enum tfprof_status fail_without_state(const char *directory, struct tfprof_error *err)
{
	DIR *dir = opendir(directory);
	struct dirent *entry;
	char found[256] = "", saved_model[512];

	if (!dir)
		return error_set(err, TFPROF_IO, "%.400s: %s", directory, strerror(errno));
	/* The last one in byte order, so that the hint is always the same. */
	while ((entry = readdir(dir)) != NULL) {
		size_t n = strlen(entry->d_name);

		if (n > 6 && !strcmp(entry->d_name + n - 6, ".index") &&
			strcmp(entry->d_name, found) > 0)
			memcpy(found, entry->d_name, n + 1);
	}
	closedir(dir);
	snprintf(saved_model, sizeof(saved_model), "%.400s/variables/variables.index", directory);
	if (found[0])
		return error_set(err, TFPROF_IO,
			"%.400s: a directory without a file 'checkpoint': name the checkpoint, "
			"such as "
			"%.400s/%.*s",
			directory, directory, (int)strlen(found) - 6, found);
	if (is_file(saved_model))
		return error_set(err, TFPROF_IO,
			"%.400s: a saved model: its checkpoint is %.400s/variables/variables",
			directory, directory);
	return error_set(err, TFPROF_IO, "%.400s: a directory without a checkpoint", directory);
}

static enum tfprof_status from_directory(const char **path, const char *directory,
	struct arena *arena, struct tfprof_error *err)
{
	const char *state = join(arena, span_of(directory), "/", "checkpoint");
	enum tfprof_status status;
	struct buf latest = {0};
	struct mapped_file file;
	bool found;

	if (!state)
		return error_no_memory(err);
	if (!is_file(state))
		return fail_without_state(directory, err);
	status = mapping_open(&file, state, err);
	if (status != TFPROF_OK)
		return status;
	found = find_latest(file.bytes, &latest);
	if (latest.failed)
		status = error_no_memory(err);
	else if (!found)
		status = error_set(err, TFPROF_FORMAT, "%.400s: no line '" STATE_KEY ": \"…\"'",
			state);
	else
		status = resolve_latest(path, directory, buf_get(&latest), arena, err);
	mapped_file_close(&file);
	buf_clear(&latest);
	return status;
}

/* Whether this is a `checkpoint` file, which stands for its directory. */
static bool is_state_file(const char *path)
{
	const char *slash = strrchr(path, '/');
	struct buf unused = {0};
	struct mapped_file file;
	bool is;

	if (strcmp(slash ? slash + 1 : path, "checkpoint") || !is_file(path) ||
		mapping_open(&file, path, NULL) != TFPROF_OK)
		return false;
	/* On allocation failure say yes: reading it again will report that. */
	is = file.bytes.n < 1 << 20 && (find_latest(file.bytes, &unused) || unused.failed);
	mapped_file_close(&file);
	buf_clear(&unused);
	return is;
}

/* ---- the files ------------------------------------------------------- */

/* Number of V1 shards according to the file names; 0 if there are none. */
static enum tfprof_status count_shards(unsigned *count, const char *prefix, struct arena *arena,
	struct tfprof_error *err)
{
	const char *slash = strrchr(prefix, '/'), *base = slash ? slash + 1 : prefix;
	struct span directory = {prefix, slash ? (size_t)(slash - prefix) + 1 : 0};
	const char *path = join(arena, directory, slash ? "" : ".", "");
	DIR *dir = path ? opendir(path) : NULL;
	struct dirent *entry;
	unsigned n;

	*count = 0;
	if (!path)
		return error_no_memory(err);
	if (!dir)
		return TFPROF_OK;
	while ((entry = readdir(dir)) != NULL)
		if (!strncmp(entry->d_name, base, strlen(base)) &&
			is_shard_suffix(entry->d_name + strlen(base), &n) && n > *count)
			*count = n;
	closedir(dir);
	return TFPROF_OK;
}

static enum tfprof_status list_shards(struct location *where, const char *prefix, unsigned n,
	struct arena *arena, struct tfprof_error *err)
{
	char suffix[32];

	where->tables = arena_array(arena, n, sizeof(*where->tables));
	if (!where->tables)
		return error_no_memory(err);
	where->n_tables = n;
	for (unsigned i = 0; i < n; i++) {
		snprintf(suffix, sizeof(suffix), "-%05u-of-%05u", i, n);
		where->tables[i] = join(arena, span_of(prefix), suffix, "");
		if (!where->tables[i])
			return error_no_memory(err);
	}
	return TFPROF_OK;
}

static enum tfprof_status one_table(struct location *where, struct arena *arena,
	struct tfprof_error *err)
{
	where->tables = arena_array(arena, 1, sizeof(*where->tables));
	if (!where->tables)
		return error_no_memory(err);
	where->tables[0] = where->path;
	where->n_tables = 1;
	return TFPROF_OK;
}

static enum tfprof_status not_found(const char *path, struct span prefix, struct tfprof_error *err)
{
	if (is_file(path))
		return error_set(err, TFPROF_IO, "%.400s: its index %.*s.index is missing", path,
			ERROR_SPAN(prefix));
	return error_set(err, TFPROF_IO,
		"%.300s: no such checkpoint: found neither a V2 index %.300s.index nor a V1 file",
		path, path);
}

static enum tfprof_status from_files(struct location *where, const char *path, struct arena *arena,
	struct tfprof_error *err)
{
	struct span prefix = strip_suffix(path);
	const char *index = join(arena, prefix, ".index", "");
	const char *own_index = join(arena, span_of(path), ".index", "");
	enum tfprof_status status;
	unsigned n;

	where->path = join(arena, span_of(path), "", "");
	if (!index || !own_index || !where->path)
		return error_no_memory(err);
	if (is_file(own_index))
		return TFPROF_OK;
	if (is_file(index)) {
		where->path = join(arena, prefix, "", "");
		return where->path ? TFPROF_OK : error_no_memory(err);
	}
	/* A data file is not a table, so do not try it as one. */
	if (is_file(path) && !(prefix.n < strlen(path) && !strncmp(path + prefix.n, ".data", 5)))
		return one_table(where, arena, err);
	status = count_shards(&n, path, arena, err);
	if (status != TFPROF_OK)
		return status;
	return n ? list_shards(where, path, n, arena, err) : not_found(path, prefix, err);
}

enum tfprof_status locate(struct location *where, const char *path, struct arena *arena,
	struct tfprof_error *err)
{
	enum tfprof_status status;

	*where = (struct location){0};
	if (is_kind(path, S_IFDIR)) {
		status = from_directory(&path, path, arena, err);
		if (status != TFPROF_OK)
			return status;
	} else if (is_state_file(path)) {
		const char *slash = strrchr(path, '/');
		struct span directory = {path, slash ? (size_t)(slash - path) : 0};
		const char *copy = join(arena, directory, slash ? "" : ".", "");

		status = copy ? from_directory(&path, copy, arena, err) : error_no_memory(err);
		if (status != TFPROF_OK)
			return status;
	}
	return from_files(where, path, arena, err);
}
