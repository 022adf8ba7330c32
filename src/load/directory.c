#include "load/directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

/* A file and its modification time. */
struct dated {
	char name[256];
	struct timespec time;
	unsigned long step;
};

static bool ends_in(const char *name, const char *suffix)
{
	size_t n = strlen(name), m = strlen(suffix);

	return n > m && strcmp(name + n - m, suffix) == 0;
}

static bool is_file(DIR *dir, const char *name, struct stat *st)
{
	return fstatat(dirfd(dir), name, st, 0) == 0 && S_ISREG(st->st_mode);
}

static void put_path(struct buf *path, const char *directory, const char *name)
{
	buf_text(path, directory);
	if (!ends_in(directory, "/"))
		buf_char(path, '/');
	buf_text(path, name);
}

/* profile_100, also packed: the step is 100. */
static bool is_profile(const char *name, unsigned long *step)
{
	static const char start[] = "profile_";
	const char *digits = name + sizeof(start) - 1;
	char *end;

	if (strncmp(name, start, sizeof(start) - 1) != 0 || *digits < '0' || *digits > '9')
		return false;
	*step = strtoul(digits, &end, 10);
	return !*end || strcmp(end, ".gz") == 0 || strcmp(end, ".zst") == 0;
}

/* Copies may all have the same time: then the last step wins. */
static bool is_newer(const struct dated *a, const struct dated *b)
{
	if (a->time.tv_sec != b->time.tv_sec)
		return a->time.tv_sec > b->time.tv_sec;
	if (a->time.tv_nsec != b->time.tv_nsec)
		return a->time.tv_nsec > b->time.tv_nsec;
	return a->step > b->step;
}

size_t directory_find_profile(const char *directory, struct buf *path)
{
	DIR *dir = opendir(directory);
	struct dated newest = {0};
	struct dirent *entry;
	size_t n = 0;

	while (dir && (entry = readdir(dir))) {
		struct dated one = {0};
		struct stat st;

		if (!is_profile(entry->d_name, &one.step) || !is_file(dir, entry->d_name, &st))
			continue;
		n++;
		one.time = st.st_mtim;
		if (newest.name[0] && !is_newer(&one, &newest))
			continue;
		memcpy(one.name, entry->d_name, strlen(entry->d_name) + 1);
		newest = one;
	}
	if (dir)
		closedir(dir);
	if (n)
		put_path(path, directory, newest.name);
	return n;
}

size_t directory_find_checkpoint(const char *directory, struct buf *path)
{
	DIR *dir = opendir(directory);
	struct dirent *entry;
	bool found = false;
	struct stat st;

	while (dir && !found && (entry = readdir(dir)))
		found = (strcmp(entry->d_name, "checkpoint") == 0 ||
				ends_in(entry->d_name, ".index")) &&
			is_file(dir, entry->d_name, &st);
	if (dir)
		closedir(dir);
	if (found)
		buf_text(path, directory);
	return found;
}

size_t directory_find_saved_model(const char *directory, struct buf *path)
{
	DIR *dir = opendir(directory);
	struct stat st;
	bool found = dir && is_file(dir, "saved_model.pb", &st);

	if (dir)
		closedir(dir);
	if (found)
		put_path(path, directory, "saved_model.pb");
	return found;
}

bool directory_find_debug_info(const char *model, struct buf *path)
{
	static const char meta[] = ".meta";
	const char *slash = strrchr(model, '/');
	size_t n = strlen(model);
	struct stat st;

	if (ends_in(model, meta)) {
		buf_put(path, model, n - (sizeof(meta) - 1));
		buf_text(path, ".debug");
	} else {
		buf_put(path, model, slash ? (size_t)(slash + 1 - model) : 0);
		buf_text(path, "debug/saved_model_debug_info.pb");
	}
	return !path->failed && stat(buf_get(path).at, &st) == 0 && S_ISREG(st.st_mode) &&
		st.st_size;
}

void directory_note_others(const char *directory, struct buf *notes)
{
	static const char *const names[] = {"graph.pbtxt", "graph.pb", "run_meta", "tfprof_log"};
	DIR *dir = opendir(directory);
	bool has_any = false;
	struct stat st;

	for (size_t i = 0; dir && i < sizeof(names) / sizeof(*names); i++) {
		if (!is_file(dir, names[i], &st))
			continue;
		if (has_any)
			buf_printf(notes, ", %s", names[i]);
		else
			buf_printf(notes, "%s: read the checkpoint in it; not read: %s", directory,
				names[i]);
		has_any = true;
	}
	if (has_any)
		buf_text(notes, ": name the files to load them together\n");
	if (dir)
		closedir(dir);
}
