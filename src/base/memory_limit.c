#include "base/memory_limit.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "base/groups.h"

/* Files that are mapped count, too, but those the system takes back. */
static size_t limit_of_group(const char *directory)
{
	char text[100] = "", *end;
	unsigned long long limit;

	if (!groups_read_file(directory, "memory.max", text, sizeof(text)) &&
		!groups_read_file(directory, "memory.limit_in_bytes", text, sizeof(text)))
		return SIZE_MAX;
	limit = strtoull(text, &end, 10);
	return end == text || limit == 0 ? SIZE_MAX : (size_t)limit; /* "max" is no number */
}

size_t memory_limit_of_groups(const char *root, const char *membership)
{
	return groups_least(root, membership, SPAN("memory"), limit_of_group);
}

void memory_limit_apply(void)
{
	size_t limit = groups_least_of_process(SPAN("memory"), limit_of_group);
	struct rlimit data;

	if (getrlimit(RLIMIT_DATA, &data) != 0 || data.rlim_cur <= limit)
		return;
	data.rlim_cur = limit;
	(void)setrlimit(RLIMIT_DATA, &data);
}
