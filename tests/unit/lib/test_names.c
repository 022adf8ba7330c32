/* Types in order, and how node names go on from what is typed: against a plain
 * scan of all names. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include <tfprof/tfprof.h>

#include "messages.h"

/* ---- profiles -------------------------------------------------------------------- */

static void add(tfprof_profile *profile, struct buf *graph)
{
	struct tfprof_input in = tfprof_input_bytes(graph->at, graph->n);
	struct tfprof_error err;

	assert_int_equal(tfprof_profile_add(profile, "graph", &in, 0, &err), TFPROF_OK);
	buf_clear(graph);
}

static tfprof_profile *profile_of(const char *const *names)
{
	tfprof_profile *profile = tfprof_profile_new();
	struct buf graph = {0};

	for (; *names; names++)
		put_graph_node(&graph, *names, "Op", "");
	add(profile, &graph);
	return profile;
}

/* ---- asking ---------------------------------------------------------------------- */

static int join(void *context, const char *name, size_t length)
{
	struct buf *all = context;

	buf_put(all, name, length);
	buf_char(all, ' ');
	return 0;
}

static void check(tfprof_profile *profile, const char *prefix, const char *expected)
{
	struct buf all = {0};
	struct tfprof_error err;

	assert_int_equal(tfprof_profile_find_names(profile, prefix, join, &all, &err), TFPROF_OK);
	assert_string_equal(all.at ? all.at : "", expected);
	buf_clear(&all);
}

static void test_ways_to_go_on(void **state)
{
	static const char *const names[] = {"b/c", "a", "a/b/c", "a-b", "a/b", "ab/x", "a/d", "b",
		"a/b/c/d", "/x", "a//y", NULL};
	tfprof_profile *profile = profile_of(names);

	check(profile, "", "/ a a-b a/ ab/ b b/ ");
	check(profile, "a", "a a-b a/ ab/ ");
	check(profile, "a/", "a// a/b a/b/ a/d ");
	check(profile, "a/b", "a/b a/b/ ");
	check(profile, "a/b/", "a/b/c a/b/c/ ");
	check(profile, "a/b/c/d", "a/b/c/d ");
	check(profile, "a/b/c/d/", "");
	check(profile, "a//", "a//y ");
	check(profile, "z", "");
	check(profile, "A", "");
	tfprof_profile_free(profile);
}

static void test_empty_profile(void **state)
{
	tfprof_profile *profile = tfprof_profile_new();

	check(profile, "", "");
	assert_null(tfprof_profile_get_type(profile, 0, NULL));
	tfprof_profile_free(profile);
}

static int stop_at_second(void *context, const char *name, size_t length)
{
	return ++*(int *)context == 2;
}

static void test_stopping(void **state)
{
	static const char *const names[] = {"a", "b", "c", NULL};
	tfprof_profile *profile = profile_of(names);
	struct tfprof_error err;
	int n = 0;

	assert_int_equal(tfprof_profile_find_names(profile, "", stop_at_second, &n, &err),
		TFPROF_OK);
	assert_int_equal(n, 2);
	tfprof_profile_free(profile);
}

static void test_names_that_come_later(void **state)
{
	static const char *const names[] = {"a", "c", NULL};
	tfprof_profile *profile = profile_of(names);
	struct buf more = {0};
	size_t length;

	check(profile, "", "a c ");
	assert_memory_equal(tfprof_profile_get_type(profile, 0, &length), "Op", 2);
	assert_int_equal(length, 2);
	put_graph_node(&more, "b", "Add", "");
	add(profile, &more);
	check(profile, "", "a b c ");
	assert_memory_equal(tfprof_profile_get_type(profile, 0, &length), "Add", 3);
	assert_int_equal(length, 3);
	assert_memory_equal(tfprof_profile_get_type(profile, 1, &length), "Op", 2);
	assert_null(tfprof_profile_get_type(profile, 2, &length));
	tfprof_profile_free(profile);
}

/* ---- against a plain scan ---------------------------------------------------------- */

enum { N_NAMES = 400 };

static void make_name(char *name)
{
	int n = 1 + rand() % 6;

	for (int i = 0; i < n; i++)
		name[i] = "ab-/c"[rand() % 5];
	name[n] = '\0';
}

static int by_text(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* Sorted names cut behind the next slash, each once. */
static void scan(char (*names)[8], const char *prefix, struct buf *all)
{
	char found[N_NAMES][8];
	size_t n = 0;

	for (size_t i = 0; i < N_NAMES; i++) {
		char *slash;

		if (strncmp(names[i], prefix, strlen(prefix)) != 0)
			continue;
		strcpy(found[n], names[i]);
		slash = strchr(found[n] + strlen(prefix), '/');
		if (slash)
			slash[1] = '\0';
		n++;
	}
	qsort(found, n, sizeof(*found), by_text);
	for (size_t i = 0; i < n; i++)
		if (!i || strcmp(found[i - 1], found[i]) != 0)
			join(all, found[i], strlen(found[i]));
}

static void test_random_names(void **state)
{
	srand(1);
	for (int round = 0; round < 20; round++) {
		char names[N_NAMES][8], prefix[8];
		const char *list[N_NAMES + 1] = {0};
		tfprof_profile *profile;

		for (size_t i = 0; i < N_NAMES; i++) {
			make_name(names[i]);
			list[i] = names[i];
		}
		profile = profile_of(list);
		for (int k = 0; k < 50; k++) {
			struct buf expected = {0};

			make_name(prefix);
			prefix[rand() % 4] = '\0';
			scan(names, prefix, &expected);
			check(profile, prefix, expected.at ? expected.at : "");
			buf_clear(&expected);
		}
		tfprof_profile_free(profile);
	}
}

static void test_allocation_failure(void **state)
{
	static const char *const names[] = {"a/b", "c", NULL};
	tfprof_profile *profile = profile_of(names);
	struct tfprof_error err;
	struct buf all = {0};
	enum tfprof_status status;
	size_t nth = 0;

	do {
		mem_fail_at(++nth);
		status = tfprof_profile_find_names(profile, "", join, &all, &err);
		mem_fail_at(0);
		assert_true(status == TFPROF_OK || status == TFPROF_NO_MEMORY);
	} while (status != TFPROF_OK);
	assert_true(nth > 1);
	buf_clear(&all);
	check(profile, "", "a/ c ");
	for (nth = 1;; nth++) {
		const char *type;

		mem_fail_at(nth);
		type = tfprof_profile_get_type(profile, 0, NULL);
		mem_fail_at(0);
		if (type)
			break;
	}
	assert_true(nth > 1);
	tfprof_profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ways_to_go_on),
		cmocka_unit_test(test_empty_profile),
		cmocka_unit_test(test_stopping),
		cmocka_unit_test(test_names_that_come_later),
		cmocka_unit_test(test_random_names),
		cmocka_unit_test(test_allocation_failure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
