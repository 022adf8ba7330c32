#include "base/processors.h"

#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

size_t processors_of_quota(const char *text)
{
	char *end;
	long long quota = strtoll(text, &end, 10), period = strtoll(end, NULL, 10);

	if (quota <= 0 || period <= 0)
		return SIZE_MAX;
	return (size_t)(quota / period + (quota % period != 0));
}

/* Appends a file to the text of `size` bytes at most, its NUL included. */
static bool read_file(const char *path, char *text, size_t size)
{
	size_t used = strlen(text);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = -1;

	if (fd < 0)
		return false;
	while (used + 1 < size && (n = read(fd, text + used, size - used - 1)) > 0)
		used += (size_t)n;
	text[used] = '\0';
	close(fd);
	return n >= 0;
}

static size_t quota_of_group(const char *directory)
{
	char path[PATH_MAX + 32], text[100] = "";

	snprintf(path, sizeof(path), "%s/cpu.max", directory);
	if (read_file(path, text, sizeof(text)))
		return processors_of_quota(text);
	snprintf(path, sizeof(path), "%s/cpu.cfs_quota_us", directory);
	if (!read_file(path, text, sizeof(text)))
		return SIZE_MAX;
	snprintf(path, sizeof(path), "%s/cpu.cfs_period_us", directory);
	return read_file(path, text, sizeof(text)) ? processors_of_quota(text) : SIZE_MAX;
}

/* The groups above limit a group, too. In a container the path may be one of the
 * host's, which does not exist here; then the topmost group is the container's. */
static size_t quota_of_path(const char *mount, const char *path, size_t n_path)
{
	char directory[PATH_MAX];
	size_t n_mount = strlen(mount), least = SIZE_MAX;
	char *slash;

	if (n_mount + n_path >= sizeof(directory))
		return SIZE_MAX;
	memcpy(directory, mount, n_mount);
	memcpy(directory + n_mount, path, n_path);
	directory[n_mount + n_path] = '\0';
	do {
		least = smaller(least, quota_of_group(directory));
		slash = strrchr(directory + n_mount, '/');
		if (slash)
			*slash = '\0';
	} while (slash);
	return least;
}

/* Whether "cpu" is in a list like "cpu,cpuacct". */
static bool has_cpu(const char *list, const char *end)
{
	while (list < end) {
		size_t n = strcspn(list, ",:");

		if (n == 3 && memcmp(list, "cpu", 3) == 0)
			return true;
		list += n + 1;
	}
	return false;
}

/* A line is ID:CONTROLLERS:PATH; version 2 has no controllers there. */
static size_t quota_of_line(const char *root, const char *line, size_t n)
{
	const char *list = memchr(line, ':', n), *path;
	char mount[PATH_MAX];

	path = list ? memchr(list + 1, ':', (size_t)(line + n - list) - 1) : NULL;
	if (!path)
		return SIZE_MAX;
	list++;
	if (list != path && !has_cpu(list, path))
		return SIZE_MAX;
	snprintf(mount, sizeof(mount), "%s%s", root, list == path ? "" : "/cpu");
	path++;
	return quota_of_path(mount, path, (size_t)(line + n - path));
}

size_t processors_of_groups(const char *root, const char *membership)
{
	size_t least = SIZE_MAX;

	while (*membership) {
		size_t n = strcspn(membership, "\n");

		least = smaller(least, quota_of_line(root, membership, n));
		membership += n + (membership[n] == '\n');
	}
	return least;
}

static size_t quota;

static void read_quota(void)
{
	char membership[8192] = "";

	read_file("/proc/self/cgroup", membership, sizeof(membership));
	quota = processors_of_groups("/sys/fs/cgroup", membership);
}

size_t processors_count(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set) != 0)
		return 1;
	pthread_once(&once, read_quota);
	return smaller((size_t)CPU_COUNT(&set), quota);
}
