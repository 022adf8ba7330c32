/* What control groups limit, as containers do. */
#ifndef TFPROF_BASE_GROUPS_H
#define TFPROF_BASE_GROUPS_H

#include "base/span.h"

/* The limit of the group at this directory; SIZE_MAX: none. */
typedef size_t group_limit_fn(const char *directory);

/* Appends a file to the text of `size` bytes at most, its NUL included. */
bool groups_read_file(const char *directory, const char *name, char *text, size_t size);

/* The least limit of the groups in `membership`, the text of /proc/self/cgroup, and of those above
 * them; they are looked for below `root`, normally /sys/fs/cgroup. Of version 1, only those of
 * this controller. SIZE_MAX: no limit. */
size_t groups_least(const char *root, const char *membership, struct span controller,
	group_limit_fn *limit_of);

size_t groups_least_of_process(struct span controller, group_limit_fn *limit_of);

#endif
