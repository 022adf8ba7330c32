#include "base/new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/mem.h"

static const char pattern[] = ".tfprof-0123456789abcdef";

/* ---- names that a signal handler removes ------------------------------------ */

/* Copies, since a handler may run while their owner frees them. More files at once than
 * there is room for are left behind by a signal. */
static struct {
	atomic_int state;
	char name[PATH_MAX];
} unfinished[8];

enum { SLOT_FREE, SLOT_TAKEN, SLOT_NAMED };

static void announce(struct new_file *f)
{
	size_t n = strlen(f->temporary) + 1;

	for (size_t i = 0; n <= PATH_MAX && i < sizeof(unfinished) / sizeof(*unfinished); i++) {
		int expected = SLOT_FREE;

		if (!atomic_compare_exchange_strong(&unfinished[i].state, &expected, SLOT_TAKEN))
			continue;
		memcpy(unfinished[i].name, f->temporary, n);
		atomic_store(&unfinished[i].state, SLOT_NAMED);
		f->slot = i + 1;
		return;
	}
}

static void withdraw(struct new_file *f)
{
	if (f->slot)
		atomic_store(&unfinished[f->slot - 1].state, SLOT_FREE);
	f->slot = 0;
}

void new_file_discard_all(void)
{
	for (size_t i = 0; i < sizeof(unfinished) / sizeof(*unfinished); i++)
		if (atomic_load(&unfinished[i].state) == SLOT_NAMED)
			unlink(unfinished[i].name);
}

/* ---- opening ------------------------------------------------------------------ */

/* Where the last part of a path begins. */
static size_t base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (size_t)(slash - path) + 1 : 0;
}

static int proc_path(char *path, size_t n, int fd)
{
	return snprintf(path, n, "/proc/self/fd/%d", fd);
}

/* Without /proc it could not get its name later. */
static bool open_unnamed(struct new_file *f)
{
	char *base = f->temporary + base_of(f->temporary), old = *base, proc[64];

	*base = '\0';
	f->fd = open(*f->temporary ? f->temporary : ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
	*base = old;
	if (f->fd < 0)
		return false;
	proc_path(proc, sizeof(proc), f->fd);
	if (access(proc, F_OK) == 0)
		return true;
	close(f->fd);
	f->fd = -1;
	return false;
}

static int create(struct new_file *f)
{
	f->fd = open(f->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	return f->fd < 0 ? errno : 0;
}

static int link_to(const struct new_file *f, const char *name)
{
	char proc[64];

	proc_path(proc, sizeof(proc), f->fd);
	return linkat(AT_FDCWD, proc, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0 ? 0 : errno;
}

static int link_temporary(struct new_file *f)
{
	return link_to(f, f->temporary);
}

/* Calls `make` with names in the target's directory, so that the rename stays inside one
 * file system, until one is free. */
static int make_named(struct new_file *f, int (*make)(struct new_file *f))
{
	char *base = f->temporary + base_of(f->temporary);
	int error = EEXIST;

	for (int attempt = 0; attempt < 100 && error == EEXIST; attempt++) {
		uint64_t random;

		if (getrandom(&random, sizeof(random), 0) != sizeof(random))
			random = (uint64_t)getpid() << 32 | (unsigned)attempt;
		snprintf(base, sizeof(pattern), ".tfprof-%016llx", (unsigned long long)random);
		announce(f);
		error = make(f);
		f->has_temporary = !error;
		if (error)
			withdraw(f);
	}
	return error;
}

static bool set_paths(struct new_file *f, const char *path)
{
	size_t n = strlen(path) + 1, base = base_of(path);

	f->path = mem_alloc(n);
	f->temporary = mem_alloc(base + sizeof(pattern));
	if (!f->path || !f->temporary)
		return false;
	memcpy(f->path, path, n);
	memcpy(f->temporary, path, base);
	memcpy(f->temporary + base, pattern, sizeof(pattern));
	return true;
}

int new_file_open(struct new_file *f, const char *path, const struct stat *before)
{
	int error = 0;

	*f = (struct new_file){.fd = -1, .replaces = before};
	if (!set_paths(f, path))
		error = ENOMEM;
	else if (!open_unnamed(f))
		error = make_named(f, create);
	if (!error && before && fchmod(f->fd, before->st_mode & 0777) != 0)
		error = errno;
	if (error)
		new_file_discard(f);
	return error;
}

/* ---- closing ------------------------------------------------------------------- */

static int close_file(struct new_file *f)
{
	int error = close(f->fd) != 0 && errno != EINTR ? errno : 0;

	f->fd = -1;
	return error;
}

/* A rename that reaches the disk before the bytes would leave an empty file after a loss
 * of power. */
static int move_into_place(struct new_file *f)
{
	int error = fsync(f->fd) == 0 || errno == EINVAL || errno == ENOSYS ? 0 : errno;
	bool done = false;

	if (!error && !f->has_temporary && !f->replaces) {
		error = link_to(f, f->path);
		done = !error;
		if (error == EEXIST) /* since it was opened */
			error = 0;
	}
	if (!error && !done && !f->has_temporary)
		error = make_named(f, link_temporary);
	/* Some file systems report a full disk only when a file is closed. */
	if (!error)
		error = close_file(f);
	if (!error && !done && rename(f->temporary, f->path) != 0)
		error = errno;
	return error;
}

int new_file_commit(struct new_file *f)
{
	int error = move_into_place(f);

	if (!error && f->has_temporary) {
		withdraw(f);
		f->has_temporary = false;
	}
	new_file_discard(f);
	return error;
}

void new_file_discard(struct new_file *f)
{
	if (!f->path && !f->temporary)
		return;
	if (f->fd >= 0)
		close(f->fd);
	if (f->has_temporary) {
		unlink(f->temporary);
		withdraw(f);
	}
	mem_free(f->path);
	mem_free(f->temporary);
	*f = (struct new_file){.fd = -1};
}
