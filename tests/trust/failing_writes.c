/* Preloaded, it makes the n-th call that writes to a file or gives one its name fail, sends
 * a signal before it, or lets every write store a few bytes only:
 *
 *     FAIL_AT=N    the N-th of the calls write, fsync, linkat, rename fails, from 1
 *     FAIL_WITH=E  with this errno
 *     RAISE=S      instead of failing, the call comes after this signal
 *     SHORT=N      no write stores more than N bytes
 *     COUNT=1      at exit, says on standard error how many calls there were, and which:
 *                  "calls: 4 wwfl", a letter for each
 *
 * Standard error stays as it is, so that messages can be read. */
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int n_calls;
static char letters[1000];

static long setting(const char *name)
{
	const char *value = getenv(name);

	return value ? strtol(value, NULL, 10) : 0;
}

static int fails(char letter)
{
	if ((size_t)n_calls + 1 < sizeof(letters))
		letters[n_calls] = letter;
	if (++n_calls != setting("FAIL_AT"))
		return 0;
	if (setting("RAISE"))
		return raise((int)setting("RAISE"));
	errno = (int)setting("FAIL_WITH");
	return 1;
}

ssize_t write(int fd, const void *bytes, size_t n)
{
	static ssize_t (*real)(int, const void *, size_t);
	size_t most = (size_t)setting("SHORT");

	if (!real)
		real = (ssize_t(*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
	if (fd == STDERR_FILENO)
		return real(fd, bytes, n);
	if (fails('w'))
		return -1;
	return real(fd, bytes, most && n > most ? most : n);
}

int fsync(int fd)
{
	static int (*real)(int);

	if (!real)
		real = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
	return fails('f') ? -1 : real(fd);
}

int linkat(int from, const char *old, int to, const char *path, int flags)
{
	static int (*real)(int, const char *, int, const char *, int);

	if (!real)
		real = (int (*)(int, const char *, int, const char *, int))dlsym(RTLD_NEXT,
			"linkat");
	return fails('l') ? -1 : real(from, old, to, path, flags);
}

int rename(const char *old, const char *path)
{
	static int (*real)(const char *, const char *);

	if (!real)
		real = (int (*)(const char *, const char *))dlsym(RTLD_NEXT, "rename");
	return fails('r') ? -1 : real(old, path);
}

__attribute__((destructor)) static void tell(void)
{
	if (setting("COUNT"))
		dprintf(STDERR_FILENO, "\ncalls: %d %s\n", n_calls, letters);
}
