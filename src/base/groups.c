#include "base/groups.h"

#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

bool groups_read_file(const char *directory, const char *name, char *text, size_t size)
{
	char path[PATH_MAX + 64];
	size_t used = strlen(text);
	ssize_t n = -1;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	while (used + 1 < size && (n = read(fd, text + used, size - used - 1)) > 0)
		used += (size_t)n;
	text[used] = '\0';
	close(fd);
	return n >= 0;
}

/* The groups above limit a group, too. In a container the path may be one of the
 * host's, which does not exist here; then the topmost group is the container's. */
static size_t least_of_path(const char *mount, struct span path, group_limit_fn *limit_of)
{
	char directory[PATH_MAX];
	size_t n_mount = strlen(mount), least = SIZE_MAX;
	char *slash;

	if (n_mount + path.n >= sizeof(directory))
		return SIZE_MAX;
	memcpy(directory, mount, n_mount);
	memcpy(directory + n_mount, path.at, path.n);
	directory[n_mount + path.n] = '\0';
	do {
		least = smaller(least, limit_of(directory));
		slash = strrchr(directory + n_mount, '/');
		if (slash)
			*slash = '\0';
	} while (slash);
	return least;
}

/* Whether it is in a list like "cpu,cpuacct". */
static bool has_controller(const char *list, const char *end, struct span controller)
{
	while (list < end) {
		struct span one = {list, strcspn(list, ",:")};

		if (span_equal(one, controller))
			return true;
		list += one.n + 1;
	}
	return false;
}

/* A line is ID:CONTROLLERS:PATH; version 2 has no controllers there. */
static size_t least_of_line(const char *root, struct span line, struct span controller,
	group_limit_fn *limit_of)
{
	const char *list = memchr(line.at, ':', line.n), *path, *end = line.at + line.n;
	char mount[PATH_MAX];

	path = list ? memchr(list + 1, ':', (size_t)(end - list) - 1) : NULL;
	if (!path)
		return SIZE_MAX;
	list++;
	if (list != path && !has_controller(list, path, controller))
		return SIZE_MAX;
	snprintf(mount, sizeof(mount), "%s%s%.*s", root, list == path ? "" : "/",
		list == path ? 0 : (int)controller.n, controller.at);
	path++;
	return least_of_path(mount, (struct span){path, (size_t)(end - path)}, limit_of);
}

size_t groups_least(const char *root, const char *membership, struct span controller,
	group_limit_fn *limit_of)
{
	size_t least = SIZE_MAX;

	while (*membership) {
		size_t n = strcspn(membership, "\n");

		least = smaller(least,
			least_of_line(root, (struct span){membership, n}, controller, limit_of));
		membership += n + (membership[n] == '\n');
	}
	return least;
}

size_t groups_least_of_process(struct span controller, group_limit_fn *limit_of)
{
	char membership[8192] = "";

	groups_read_file("/proc/self", "cgroup", membership, sizeof(membership));
	return groups_least("/sys/fs/cgroup", membership, controller, limit_of);
}
