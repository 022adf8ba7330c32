#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/memory_limit.h"
#include "base/processors.h"

static void quotas_are_rounded_up(void **state)
{
	assert_int_equal(processors_of_quota("200000 100000\n"), 2);
	assert_int_equal(processors_of_quota("150000 100000\n"), 2);
	assert_int_equal(processors_of_quota("1000 100000\n"), 1);
	assert_int_equal(processors_of_quota("100000\n100000\n"), 1);
	assert_int_equal(processors_of_quota("3200000 50000"), 64);
}

static void what_is_no_quota_is_no_limit(void **state)
{
	static const char *const texts[] = {"max 100000\n", "-1\n100000\n", "", "0 100000",
		"100000", "100000 0", "100000 -5", "many", NULL};

	for (int i = 0; texts[i]; i++)
		assert_int_equal(processors_of_quota(texts[i]), SIZE_MAX);
}

static char root[] = "/tmp/tfprof-groups-XXXXXX";

static void make_directory(const char *name)
{
	char path[300];

	snprintf(path, sizeof(path), "%s/%s", root, name);
	assert_int_equal(mkdir(path, 0700), 0);
}

static void write_file(const char *name, const char *text)
{
	char path[300];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

/* Version 2: a, limited to 3, and inside of it b, to 5, and c, not limited.
 * Version 1: all of it to 4, d to 2. */
static int make_groups(void **state)
{
	assert_non_null(mkdtemp(root));
	make_directory("a");
	make_directory("a/b");
	make_directory("a/c");
	write_file("a/cpu.max", "250000 100000\n");
	write_file("a/b/cpu.max", "500000 100000\n");
	write_file("a/c/cpu.max", "max 100000\n");
	make_directory("cpu");
	make_directory("cpu/d");
	write_file("cpu/cpu.cfs_quota_us", "400000\n");
	write_file("cpu/cpu.cfs_period_us", "100000\n");
	write_file("cpu/d/cpu.cfs_quota_us", "20000\n");
	write_file("cpu/d/cpu.cfs_period_us", "10000\n");
	write_file("a/memory.max", "max\n");
	write_file("a/b/memory.max", "734003200\n");
	make_directory("memory");
	make_directory("memory/d");
	write_file("memory/memory.limit_in_bytes", "9223372036854771712\n");
	write_file("memory/d/memory.limit_in_bytes", "1000000\n");
	return 0;
}

static int remove_groups(void **state)
{
	char command[300];

	snprintf(command, sizeof(command), "rm -r %s", root);
	return system(command);
}

static void groups_limit_those_inside(void **state)
{
	assert_int_equal(processors_of_groups(root, "0::/a\n"), 3);
	assert_int_equal(processors_of_groups(root, "0::/a/b\n"), 3);
	assert_int_equal(processors_of_groups(root, "0::/a/c"), 3);
	assert_int_equal(processors_of_groups(root, "0::/\n"), SIZE_MAX);
	assert_int_equal(processors_of_groups(root, "0::/elsewhere/on/the/host\n"), SIZE_MAX);
}

static void old_groups_count_too(void **state)
{
	assert_int_equal(processors_of_groups(root, "4:cpu,cpuacct:/d\n"), 2);
	assert_int_equal(processors_of_groups(root, "4:cpuacct,cpu:/\n3:cpuset:/x\n"), 4);
	assert_int_equal(processors_of_groups(root, "9:memory:/\n4:cpu:/host/path\n0::/\n"), 4);
	assert_int_equal(processors_of_groups(root, "3:cpuset:/d\n2:cpuacct:/d\n"), SIZE_MAX);
	assert_int_equal(processors_of_groups(root, "4:cpu:/\n0::/a\n"), 3);
}

static void odd_memberships_are_no_limit(void **state)
{
	static const char *const texts[] = {"", "\n\n", "0", "0:", "0::", ":", "::", "4:cpu",
		"a line\nand another", NULL};
	static char deep[10000];

	for (int i = 0; texts[i]; i++)
		assert_int_equal(processors_of_groups("/nonexistent", texts[i]), SIZE_MAX);
	snprintf(deep, sizeof(deep), "0::/%09000d\n", 1);
	assert_int_equal(processors_of_groups(root, deep), SIZE_MAX);
}

static void memory_is_limited_the_same_way(void **state)
{
	assert_int_equal(memory_limit_of_groups(root, "0::/a/b\n"), 734003200);
	assert_int_equal(memory_limit_of_groups(root, "0::/a\n"), SIZE_MAX);
	assert_int_equal(memory_limit_of_groups(root, "4:cpu:/d\n9:memory:/d\n"), 1000000);
	assert_int_equal(memory_limit_of_groups(root, "9:memory:/\n"),
		INT64_C(9223372036854771712));
	assert_int_equal(memory_limit_of_groups(root, "4:cpu:/d\n"), SIZE_MAX);
}

static void there_is_at_least_one(void **state)
{
	assert_true(processors_count() >= 1);
	assert_int_equal(processors_count(), processors_count());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quotas_are_rounded_up),
		cmocka_unit_test(what_is_no_quota_is_no_limit),
		cmocka_unit_test(groups_limit_those_inside),
		cmocka_unit_test(old_groups_count_too),
		cmocka_unit_test(odd_memberships_are_no_limit),
		cmocka_unit_test(memory_is_limited_the_same_way),
		cmocka_unit_test(there_is_at_least_one),
	};

	return cmocka_run_group_tests(tests, make_groups, remove_groups);
}
