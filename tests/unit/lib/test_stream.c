#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

/* Text for stdout that is passed on in pieces: the same bytes as the text that is kept,
 * and nothing of it if something is wrong before the first piece. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tfprof/tfprof.h>

#include "messages.h"

enum { MEGABYTE = 1 << 20, LARGE = 30000, SMALL = 100 };

static char directory[] = "/tmp/tfprof_stream_XXXXXX";

static int enter_directory(void **state)
{
	return mkdtemp(directory) && chdir(directory) == 0 ? 0 : -1;
}

static int leave_directory(void **state)
{
	unlink("profile");
	return chdir("/") == 0 && rmdir(directory) == 0 ? 0 : -1;
}

static void write_profile(int n)
{
	FILE *f = fopen("profile", "wb");
	struct buf b = {0};

	for (int i = 0; i < n; i++) {
		char name[64];

		snprintf(name, sizeof(name), "scope/a_name_of_the_usual_length/node_%d", i);
		put_saved_node(&b, i, span_of(name));
	}
	assert_false(b.failed);
	assert_non_null(f);
	assert_int_equal(fwrite(b.at, 1, b.n, f), b.n);
	assert_int_equal(fclose(f), 0);
	buf_clear(&b);
}

static tfprof_result *query(int n, const char *output)
{
	struct tfprof_input saved = tfprof_input_file("profile");
	tfprof_profile *p = tfprof_profile_new();
	tfprof_options *o = tfprof_options_new();
	tfprof_result *r = NULL;
	struct tfprof_error err;

	write_profile(n);
	assert_int_equal(tfprof_profile_add(p, "profile", &saved, 0, &err), TFPROF_OK);
	assert_int_equal(tfprof_options_set(o, "output", output, &err), TFPROF_OK);
	if (tfprof_ask(p, "scope", o, NULL, &r, &err) != TFPROF_OK)
		fail_msg("%s", err.text);
	tfprof_options_free(o);
	tfprof_profile_free(p);
	return r;
}

/* Where pieces go, and what happens with the first one. */
struct reader {
	struct buf text;
	size_t n_pieces, largest, first;
	int error;
	bool is_touched;
	volatile int *cancel;
};

static int read_piece(void *context, const void *bytes, size_t n)
{
	static const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = 1000}};
	struct reader *reader = context;

	assert_true(n > 0);
	if (!reader->n_pieces++)
		reader->first = n;
	if (n > reader->largest)
		reader->largest = n;
	buf_put(&reader->text, bytes, n);
	if (reader->is_touched)
		assert_int_equal(utimensat(AT_FDCWD, "profile", times, 0), 0);
	if (reader->cancel)
		__atomic_store_n(reader->cancel, 1, __ATOMIC_RELAXED);
	return reader->error;
}

static enum tfprof_status stream(tfprof_result *r, unsigned flags, struct reader *reader,
	struct tfprof_error *err)
{
	return tfprof_result_output(r, flags, reader->cancel, read_piece, reader, err);
}

static void test_the_same_bytes(void **state)
{
	static const char *const outputs[] = {"stdout", "csv", "json", "none"};
	static const int sizes[] = {1, SMALL, LARGE};

	for (size_t i = 0; i < 4; i++)
		for (size_t k = 0; k < 3; k++)
			for (unsigned flags = 0; flags <= TFPROF_FRAMED; flags++) {
				tfprof_result *r = query(sizes[k], outputs[i]);
				struct reader reader = {0};
				struct tfprof_error err;
				const char *text;
				size_t n;

				assert_int_equal(stream(r, flags, &reader, &err), TFPROF_OK);
				assert_string_equal(tfprof_result_get_text(r, NULL), "");
				assert_int_equal(tfprof_result_output(r, flags, NULL, NULL, NULL,
							 &err),
					TFPROF_OK);
				text = tfprof_result_get_text(r, &n);
				assert_int_equal(reader.text.n, n);
				assert_string_equal(buf_get(&reader.text).at, text);
				assert_true(reader.largest <= MEGABYTE);
				assert_true(
					n > MEGABYTE ? reader.n_pieces > 1 : reader.n_pieces <= 1);
				buf_clear(&reader.text);
				tfprof_result_free(r);
			}
}

static void test_a_file_that_was_written(void **state)
{
	tfprof_result *r = query(SMALL, "json:outfile=report");
	struct reader reader = {0};
	struct tfprof_error err;

	assert_int_equal(stream(r, 0, &reader, &err), TFPROF_OK);
	assert_int_equal(access("report", R_OK), 0);
	assert_int_equal(reader.text.n, 0);
	tfprof_result_free(r);
	unlink("report");
}

static void test_writing_fails(void **state)
{
	static const int sizes[] = {SMALL, LARGE};

	for (size_t i = 0; i < 2; i++) {
		tfprof_result *r = query(sizes[i], "csv");
		struct reader reader = {.error = ENOSPC};
		struct tfprof_error err;

		assert_int_equal(stream(r, 0, &reader, &err), TFPROF_IO);
		assert_string_equal(err.text,
			"standard output: cannot write: No space left on device");
		assert_int_equal(reader.n_pieces, 1);
		buf_clear(&reader.text);
		tfprof_result_free(r);
	}
}

static void test_changed_before(void **state)
{
	static const int sizes[] = {SMALL, LARGE};

	for (size_t i = 0; i < 2; i++) {
		tfprof_result *r = query(sizes[i], "stdout");
		struct reader reader = {0};
		struct tfprof_error err;

		assert_int_equal(truncate("profile", 0), 0);
		assert_int_equal(stream(r, 0, &reader, &err), TFPROF_IO);
		assert_string_equal(err.text,
			"profile: it has changed since it was loaded: reload it");
		assert_int_equal(reader.n_pieces, 0);
		tfprof_result_free(r);
	}
}

static void test_changed_between_pieces(void **state)
{
	tfprof_result *r = query(LARGE, "stdout");
	struct reader reader = {.is_touched = true};
	struct tfprof_error err;

	assert_int_equal(stream(r, 0, &reader, &err), TFPROF_IO);
	assert_string_equal(err.text, "profile: it has changed since it was loaded: reload it");
	assert_true(reader.n_pieces > 0);
	buf_clear(&reader.text);
	tfprof_result_free(r);
}

static void test_cancelled(void **state)
{
	volatile int cancel = 1;
	tfprof_result *r = query(LARGE, "stdout");
	struct reader reader = {.cancel = &cancel};
	struct tfprof_error err;

	assert_int_equal(stream(r, 0, &reader, &err), TFPROF_CANCELLED);
	assert_int_equal(reader.n_pieces, 0);
	cancel = 0;
	assert_int_equal(stream(r, 0, &reader, &err), TFPROF_CANCELLED);
	assert_true(reader.n_pieces > 0);
	buf_clear(&reader.text);
	tfprof_result_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_same_bytes),
		cmocka_unit_test(test_a_file_that_was_written),
		cmocka_unit_test(test_writing_fails),
		cmocka_unit_test(test_changed_before),
		cmocka_unit_test(test_changed_between_pieces),
		cmocka_unit_test(test_cancelled),
	};

	return cmocka_run_group_tests(tests, enter_directory, leave_directory);
}
