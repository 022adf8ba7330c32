#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

/* A loaded file is mapped. If another program writes to it, as a training script does
 * that is run again, nobody may look at those bytes any more: that is told. A file
 * that takes its place does no harm. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tfprof/tfprof.h>

#include "proto/wire_write.h"

static char directory[] = "/tmp/tfprof_changed_XXXXXX";

static int enter_directory(void **state)
{
	return mkdtemp(directory) && chdir(directory) == 0 ? 0 : -1;
}

static int leave_directory(void **state)
{
	unlink("profile");
	return chdir("/") == 0 && rmdir(directory) == 0 ? 0 : -1;
}

/* A profile of `n` nodes, larger than a page if there are many. */
static void write_profile(const char *path, int n)
{
	struct buf b = {0};
	FILE *f = fopen(path, "wb");

	for (int i = 0; i < n; i++) {
		size_t entry = wire_open(&b, 1), node;
		char name[32];

		snprintf(name, sizeof(name), "scope/node_%d", i);
		wire_put_int(&b, 1, i);
		node = wire_open(&b, 2);
		wire_put_bytes(&b, 1, span_of(name));
		wire_put_bytes(&b, 9, SPAN("Op"));
		wire_put_int(&b, 13, i);
		wire_close(&b, node);
		wire_close(&b, entry);
	}
	assert_false(b.failed);
	assert_non_null(f);
	assert_int_equal(fwrite(b.at, 1, b.n, f), b.n);
	assert_int_equal(fclose(f), 0);
	buf_clear(&b);
}

static tfprof_profile *load(void)
{
	struct tfprof_input saved = tfprof_input_file("profile");
	tfprof_profile *p = tfprof_profile_new();
	struct tfprof_error err;

	write_profile("profile", 1000);
	if (tfprof_profile_load(p, &saved, &err))
		fail_msg("%s", err.text);
	return p;
}

static enum tfprof_status ask(const tfprof_profile *p, struct tfprof_error *err)
{
	tfprof_options *o = tfprof_options_new();
	tfprof_result *r;
	enum tfprof_status status = tfprof_query_run(p, TFPROF_SCOPE, o, 0, NULL, &r, err);

	if (!status) {
		assert_non_null(strstr(tfprof_result_get_text(r, NULL), "scope/node_999"));
		tfprof_result_free(r);
	}
	tfprof_options_free(o);
	return status;
}

static int stop(void *context, const char *name, size_t length)
{
	return 1;
}

static void assert_told(enum tfprof_status status, const struct tfprof_error *err)
{
	assert_int_equal(status, TFPROF_IO);
	assert_string_equal(err->text,
		"profile: another program has written to it since it was loaded: load it again");
}

/* Whoever looks at the profile is told, whether a view was built before or not. */
static void assert_all_told(tfprof_profile *p)
{
	struct tfprof_input graph = tfprof_input_bytes("node { name: 'a' op: 'b' }", 26);
	struct tfprof_error err;
	void *bytes;
	size_t size;

	assert_told(ask(p, &err), &err);
	assert_told(tfprof_profile_find_names(p, "scope/", stop, NULL, &err), &err);
	assert_null(tfprof_profile_get_type(p, 0, NULL));
	assert_told(tfprof_profile_serialize(p, &bytes, &size, &err), &err);
	assert_told(tfprof_profile_add_graph(p, &graph, &err), &err);
}

static void test_cut_short(void **state)
{
	for (int asked_before = 0; asked_before < 2; asked_before++) {
		tfprof_profile *p = load();
		struct tfprof_error err;

		if (asked_before)
			assert_int_equal(ask(p, &err), TFPROF_OK);
		assert_int_equal(truncate("profile", 0), 0);
		assert_all_told(p);
		tfprof_profile_free(p);
	}
}

/* Of the same size, at another time. */
static void test_written_over(void **state)
{
	tfprof_profile *p = load();
	const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = 1000}};

	write_profile("profile", 1000);
	assert_int_equal(utimensat(AT_FDCWD, "profile", times, 0), 0);
	assert_all_told(p);
	tfprof_profile_free(p);
}

static void test_replaced(void **state)
{
	tfprof_profile *p = load();
	struct tfprof_error err;

	write_profile("next", 1);
	assert_int_equal(rename("next", "profile"), 0);
	assert_int_equal(ask(p, &err), TFPROF_OK);
	assert_int_equal(unlink("profile"), 0);
	assert_int_equal(ask(p, &err), TFPROF_OK);
	tfprof_profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cut_short),
		cmocka_unit_test(test_written_over),
		cmocka_unit_test(test_replaced),
	};

	return cmocka_run_group_tests(tests, enter_directory, leave_directory);
}
