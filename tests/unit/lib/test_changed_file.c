#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

/* A loaded file is mapped. If another program writes to it, as a training script does
 * that is run again, those bytes can no longer be used, and that is an error. A file
 * that replaces it does no harm. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <tfprof/tfprof.h>

#include "messages.h"
#include "run_query.h"

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

static void write_bytes(const char *path, const char *bytes, size_t n)
{
	FILE *f = fopen(path, "wb");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, n, f), n);
	assert_int_equal(fclose(f), 0);
}

/* A profile of `n` nodes, larger than a page if there are many. */
static void write_profile(const char *path, int n)
{
	struct buf b = {0};

	for (int i = 0; i < n; i++) {
		char name[32];

		snprintf(name, sizeof(name), "scope/node_%d", i);
		put_saved_node(&b, i, span_of(name));
	}
	assert_false(b.failed);
	write_bytes(path, b.at, b.n);
	buf_clear(&b);
}

static tfprof_profile *load(void)
{
	struct tfprof_input saved = tfprof_input_file("profile");
	tfprof_profile *p = tfprof_profile_new();
	struct tfprof_error err;

	write_profile("profile", 1000);
	if (tfprof_profile_add(p, "profile", &saved, 0, &err) != TFPROF_OK)
		fail_msg("%s", err.text);
	return p;
}

static enum tfprof_status ask(tfprof_profile *p, struct tfprof_error *err)
{
	tfprof_options *o = tfprof_options_new();
	tfprof_result *r;
	enum tfprof_status status = run_query(p, TFPROF_SCOPE, o, NULL, &r, err);

	if (status == TFPROF_OK) {
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
	assert_string_equal(err->text, "profile: it has changed since it was loaded: reload it");
}

/* Every use of the profile reports it, whether a view was built before or not. */
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
	assert_told(tfprof_profile_add(p, "graph", &graph, 0, &err), &err);
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

/* Of the same size, with its time set back. */
static void test_written_over_in_secret(void **state)
{
	tfprof_profile *p = load();
	struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}}, pause = {.tv_nsec = 20000000};
	struct stat st;

	assert_int_equal(stat("profile", &st), 0);
	times[1] = st.st_mtim;
	nanosleep(&pause, NULL); /* the system's clock of files ticks slowly */
	write_profile("profile", 1000);
	assert_int_equal(utimensat(AT_FDCWD, "profile", times, 0), 0);
	assert_all_told(p);
	tfprof_profile_free(p);
}

/* Whatever it is called by then. */
static void test_cut_short_elsewhere(void **state)
{
	tfprof_profile *p = load();
	char path[64];

	assert_int_equal(rename("profile", "old"), 0);
	assert_int_equal(truncate("old", 0), 0);
	assert_all_told(p);
	tfprof_profile_free(p);
	assert_int_equal(unlink("old"), 0);

	p = load();
	assert_int_equal(chdir("/"), 0);
	snprintf(path, sizeof(path), "%s/profile", directory);
	assert_int_equal(truncate(path, 0), 0);
	assert_all_told(p);
	assert_int_equal(chdir(directory), 0);
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

/* The same file by another name, or by a second one, does no harm either. */
static void test_renamed(void **state)
{
	const struct timespec pause = {.tv_nsec = 20000000};
	tfprof_profile *p = load();
	struct tfprof_error err;

	nanosleep(&pause, NULL);
	assert_int_equal(rename("profile", "old"), 0);
	assert_int_equal(ask(p, &err), TFPROF_OK);
	assert_int_equal(link("old", "profile"), 0);
	assert_int_equal(ask(p, &err), TFPROF_OK);
	tfprof_profile_free(p);
	assert_int_equal(unlink("old"), 0);
}

/* A graph that is still being written is refused; later it is added. What was read
 * of it before is no longer looked at in the file. */
static void test_graph_that_is_being_written(void **state)
{
	static const char graph[] = "\n\012\n\004node\022\002Op"
				    "\n\013\n\005other\022\002Op";
	struct tfprof_input in = tfprof_input_file("profile");
	tfprof_profile *p = tfprof_profile_new();
	struct tfprof_summary summary;
	struct tfprof_error err;

	write_bytes("profile", graph, sizeof(graph) - 3);
	assert_int_equal(tfprof_profile_add(p, "graph", &in, 0, &err), TFPROF_FORMAT);
	write_bytes("profile", graph, sizeof(graph) - 1);
	if (tfprof_profile_add(p, "graph", &in, 0, &err) != TFPROF_OK)
		fail_msg("%s", err.text);
	tfprof_profile_get_summary(p, &summary);
	assert_int_equal(summary.n_nodes, 2);
	tfprof_profile_free(p);
}

/* ---- while it is loaded --------------------------------------------------------- */

enum { N_BEFORE = 4096, LARGE = 300000 }; /* progress is reported every N_BEFORE nodes */

/* Many nodes, or one with a large name: what follows N_BEFORE nodes, LARGE bytes. */
static void put_rest(struct buf *b, bool is_many)
{
	size_t end = b->n + LARGE;
	struct buf name = {0};

	for (int i = 0; is_many && end - b->n > 1000; i++)
		put_saved_node(b, N_BEFORE + i, SPAN("n"));
	buf_fill(&name, 'x', end - b->n - 60);
	put_saved_node(b, 1, buf_get(&name));
	buf_clear(&name);
	buf_text(b, "\xfa\x06"); /* an unknown field */
	buf_char(b, (char)(end - b->n - 1));
	buf_fill(b, ' ', end - b->n);
}

static void overwrite_rest(void *context, uint64_t bytes_done, uint64_t bytes_total,
	uint64_t n_nodes)
{
	const struct buf *other = context;
	int fd = open("profile", O_WRONLY);

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, other->at, other->n, (off_t)(bytes_total - other->n)),
		(ssize_t)other->n);
	assert_int_equal(close(fd), 0);
}

/* Of nodes that were counted there are more, or fewer, when they are read. */
static void test_another_number_of_nodes(void **state)
{
	for (int is_many = 0; is_many < 2; is_many++) {
		struct tfprof_input saved = tfprof_input_file("profile");
		tfprof_profile *p = tfprof_profile_new();
		struct buf whole = {0}, other = {0};
		struct tfprof_error err;

		for (int i = 0; i < N_BEFORE; i++)
			put_saved_node(&whole, i, SPAN("a/node"));
		put_rest(&whole, is_many);
		put_rest(&other, !is_many);
		assert_false(whole.failed || other.failed);
		write_bytes("profile", whole.at, whole.n);
		tfprof_profile_set_progress(p, overwrite_rest, &other);
		assert_told(tfprof_profile_add(p, "profile", &saved, 0, &err), &err);
		tfprof_profile_free(p);
		buf_clear(&whole);
		buf_clear(&other);
	}
}

static void copy_file(const char *from, const char *to)
{
	char bytes[4096];
	FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
	size_t n;

	assert_true(in && out);
	while ((n = fread(bytes, 1, sizeof(bytes), in)))
		assert_int_equal(fwrite(bytes, 1, n, out), n);
	assert_int_equal(fclose(in), 0);
	assert_int_equal(fclose(out), 0);
}

static void copy_checkpoint(void)
{
	copy_file(TEST_DATA "/checkpoint/single/model.ckpt.index", "c.index");
	copy_file(TEST_DATA "/checkpoint/single/model.ckpt.data-00000-of-00001",
		"c.data-00000-of-00001");
}

static void remove_checkpoint(void)
{
	unlink("c.index");
	unlink("c.data-00000-of-00001");
}

static void test_checkpoint(void **state)
{
	struct tfprof_input c = tfprof_input_file("c");
	tfprof_profile *p = tfprof_profile_new();
	tfprof_options *o = tfprof_options_new();
	struct tfprof_error err;
	tfprof_result *r;

	copy_checkpoint();
	assert_int_equal(tfprof_profile_add(p, "checkpoint", &c, 0, &err), TFPROF_OK);
	assert_int_equal(tfprof_options_set(o, "select", "tensor_value", &err), TFPROF_OK);
	assert_int_equal(run_query(p, TFPROF_SCOPE, o, NULL, &r, &err), TFPROF_OK);
	tfprof_result_free(r);
	assert_int_equal(truncate("c.data-00000-of-00001", 0), 0);
	assert_int_equal(run_query(p, TFPROF_SCOPE, o, NULL, &r, &err), TFPROF_IO);
	assert_string_equal(err.text,
		"c.data-00000-of-00001: it has changed since it was loaded: reload it");
	tfprof_options_free(o);
	tfprof_profile_free(p);
	remove_checkpoint();
}

/* No report takes the place of what it was made from. */
static void test_report_over_an_input(void **state)
{
	static const char *const outputs[] = {"json:outfile=profile", "file:outfile=link",
		"csv:outfile=./profile", "file:outfile=c.index",
		"file:outfile=c.data-00000-of-00001"};
	/* max_depth 10, step -1, select micros */
	static const char timeline[] = "\x08\x0a\x90\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"
				       "r\x06micros"
				       "z\x12timeline:outfile=t";
	struct tfprof_input c = tfprof_input_file("c");
	tfprof_profile *p = load();
	tfprof_options *o = tfprof_options_new();
	tfprof_options *advice = tfprof_options_new();
	struct tfprof_error err;
	tfprof_result *r;

	copy_checkpoint();
	assert_int_equal(symlink("profile", "link"), 0);
	assert_int_equal(tfprof_profile_add(p, "checkpoint", &c, 0, &err), TFPROF_OK);
	for (size_t i = 0; i < sizeof(outputs) / sizeof(*outputs); i++) {
		assert_int_equal(tfprof_options_set(o, "output", outputs[i], &err), TFPROF_OK);
		assert_int_equal(run_query(p, TFPROF_OP, o, NULL, &r, &err), TFPROF_ARGUMENT);
		assert_non_null(strstr(err.text, "the profile was loaded from this file"));
	}
	/* If the options are a message, the name of a timeline gets a step, and is looked at as
	 * it is then. */
	assert_int_equal(symlink("profile", "t_-1"), 0);
	assert_int_equal(tfprof_options_set_message(o, timeline, sizeof(timeline) - 1, &err),
		TFPROF_OK);
	assert_int_equal(run_query(p, TFPROF_SCOPE, o, NULL, &r, &err), TFPROF_ARGUMENT);
	assert_non_null(strstr(err.text, "t_-1: the profile was loaded from this file"));
	unlink("t_-1");
	assert_int_equal(tfprof_options_set(advice, "output", "json:outfile=link", &err),
		TFPROF_OK);
	assert_int_equal(run_advice(p, advice, NULL, &r, &err), TFPROF_ARGUMENT);
	assert_int_equal(ask(p, &err), TFPROF_OK);
	tfprof_options_free(advice);
	tfprof_options_free(o);
	tfprof_profile_free(p);
	unlink("link");
	remove_checkpoint();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cut_short),
		cmocka_unit_test(test_written_over),
		cmocka_unit_test(test_written_over_in_secret),
		cmocka_unit_test(test_cut_short_elsewhere),
		cmocka_unit_test(test_replaced),
		cmocka_unit_test(test_renamed),
		cmocka_unit_test(test_graph_that_is_being_written),
		cmocka_unit_test(test_another_number_of_nodes),
		cmocka_unit_test(test_checkpoint),
		cmocka_unit_test(test_report_over_an_input),
	};

	return cmocka_run_group_tests(tests, enter_directory, leave_directory);
}
