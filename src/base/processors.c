#include "base/processors.h"

#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/groups.h"

size_t processors_of_quota(const char *text)
{
	char *end;
	long long quota = strtoll(text, &end, 10), period = strtoll(end, NULL, 10);

	if (quota <= 0 || period <= 0)
		return SIZE_MAX;
	return (size_t)(quota / period + (quota % period != 0));
}

static size_t quota_of_group(const char *directory)
{
	char text[100] = "";

	if (groups_read_file(directory, "cpu.max", text, sizeof(text)) ||
		(groups_read_file(directory, "cpu.cfs_quota_us", text, sizeof(text)) &&
			groups_read_file(directory, "cpu.cfs_period_us", text, sizeof(text))))
		return processors_of_quota(text);
	return SIZE_MAX;
}

size_t processors_of_groups(const char *root, const char *membership)
{
	return groups_least(root, membership, SPAN("cpu"), quota_of_group);
}

static size_t quota;

static void read_quota(void)
{
	quota = groups_least_of_process(SPAN("cpu"), quota_of_group);
}

size_t processors_count(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set) != 0)
		return 1;
	pthread_once(&once, read_quota);
	return (size_t)CPU_COUNT(&set) < quota ? (size_t)CPU_COUNT(&set) : quota;
}
