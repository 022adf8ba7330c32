#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include "base/sink.h"

/* Every test has an empty directory and is in it. */
static char directory[64];

static int enter(void **state)
{
	strcpy(directory, "/tmp/tfprof-sink-XXXXXX");
	return mkdtemp(directory) && chdir(directory) == 0 ? 0 : -1;
}

static int leave(void **state)
{
	DIR *dir = opendir(".");
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] != '.' || strlen(entry->d_name) > 2)
			remove(entry->d_name);
	if (dir)
		closedir(dir);
	return chdir("/") == 0 && rmdir(directory) == 0 ? 0 : -1;
}

static size_t count_files(void)
{
	DIR *dir = opendir(".");
	size_t n = 0;

	assert_non_null(dir);
	while (readdir(dir))
		n++;
	closedir(dir);
	return n - 2; /* . and .. */
}

static void write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

/* gzopen reads plain files too. */
static char *read_file(const char *path, size_t *size)
{
	size_t cap = 1 << 22, n = 0;
	char *text = malloc(cap + 1);
	gzFile file = gzopen(path, "rb");
	int got;

	assert_non_null(file);
	while ((got = gzread(file, text + n, (unsigned)(cap - n))) > 0)
		n += (size_t)got;
	assert_int_equal(got, 0);
	assert_int_equal(gzclose(file), Z_OK);
	text[n] = '\0';
	if (size)
		*size = n;
	return text;
}

static void expect_file(const char *path, const char *expected)
{
	char *text = read_file(path, NULL);

	assert_string_equal(text, expected);
	free(text);
}

static bool is_gzip(const char *path)
{
	unsigned char magic[2] = {0};
	FILE *file = fopen(path, "r");

	assert_non_null(file);
	assert_int_equal(fread(magic, 1, 2, file), 2);
	fclose(file);
	return magic[0] == 0x1f && magic[1] == 0x8b;
}

static void test_new_file(void **state)
{
	struct tfprof_error err;
	struct sink s;
	struct stat stat_after;
	mode_t mask = umask(027);

	assert_int_equal(sink_open_file(&s, "a", SINK_BY_SUFFIX, &err), TFPROF_OK);
	sink_text(&s, "one ");
	sink_span(&s, SPAN("two "));
	sink_char(&s, '3');
	sink_put(&s, NULL, 0);
	sink_int(&s, INT64_MIN);
	sink_printf(&s, " %s-%d", "x", 4);
	assert_int_equal(access("a", F_OK), -1);
	assert_false(sink_failed(&s));
	assert_int_equal(sink_commit(&s, &err), TFPROF_OK);
	umask(mask);
	expect_file("a", "one two 3-9223372036854775808 x-4");
	assert_int_equal(stat("a", &stat_after), 0);
	assert_int_equal(stat_after.st_mode & 0777, 0640);
	assert_int_equal(count_files(), 1);
}

static void test_empty_file(void **state)
{
	struct sink s;

	assert_int_equal(sink_open_file(&s, "a", SINK_PLAIN, NULL), TFPROF_OK);
	assert_int_equal(sink_commit(&s, NULL), TFPROF_OK);
	assert_int_equal(sink_open_file(&s, "b.gz", SINK_BY_SUFFIX, NULL), TFPROF_OK);
	assert_int_equal(sink_commit(&s, NULL), TFPROF_OK);
	expect_file("a", "");
	assert_true(is_gzip("b.gz"));
	expect_file("b.gz", "");
}

static void test_replaces_at_commit(void **state)
{
	struct stat stat_after;
	struct sink s;

	write_file("a", "before");
	assert_int_equal(chmod("a", 0604), 0);
	assert_int_equal(sink_open_file(&s, "a", SINK_PLAIN, NULL), TFPROF_OK);
	sink_text(&s, "after");
	expect_file("a", "before");
	assert_int_equal(sink_commit(&s, NULL), TFPROF_OK);
	expect_file("a", "after");
	assert_int_equal(stat("a", &stat_after), 0);
	assert_int_equal(stat_after.st_mode & 0777, 0604);
	assert_int_equal(count_files(), 1);
}

static void test_abandon(void **state)
{
	struct sink s;

	write_file("a", "before");
	assert_int_equal(sink_open_file(&s, "a", SINK_GZIP, NULL), TFPROF_OK);
	sink_text(&s, "after");
	sink_abandon(&s);
	expect_file("a", "before");
	assert_int_equal(sink_open_file(&s, "b", SINK_PLAIN, NULL), TFPROF_OK);
	sink_abandon(&s);
	assert_int_equal(count_files(), 1);
}

/* More than any buffer, in pieces of all sizes, plain and compressed. */
static void test_large(void **state)
{
	static const char *const paths[] = {"a", "a.gz"};
	size_t total = 3000000, size;
	char *bytes = malloc(total);
	uint32_t random = 1;

	for (size_t i = 0; i < total; i++) {
		random = random * 1664525 + 1013904223;
		bytes[i] = (char)(i < total / 2 ? random >> 24 : random >> 29);
	}
	for (size_t k = 0; k < 2; k++) {
		struct sink s;
		char *text;

		assert_int_equal(sink_open_file(&s, paths[k], SINK_BY_SUFFIX, NULL), TFPROF_OK);
		for (size_t at = 0, piece = 1; at < total; piece = piece * 3 % 199999) {
			if (piece > total - at)
				piece = total - at;
			sink_put(&s, bytes + at, piece);
			at += piece;
		}
		assert_int_equal(sink_commit(&s, NULL), TFPROF_OK);
		text = read_file(paths[k], &size);
		assert_int_equal(size, total);
		assert_memory_equal(text, bytes, total);
		free(text);
	}
	assert_false(is_gzip("a"));
	assert_true(is_gzip("a.gz"));
	free(bytes);
}

static void test_formats(void **state)
{
	struct sink s;

	assert_int_equal(sink_open_file(&s, "a.gz", SINK_PLAIN, NULL), TFPROF_OK);
	sink_text(&s, "plain");
	assert_int_equal(sink_commit(&s, NULL), TFPROF_OK);
	assert_false(is_gzip("a.gz"));
	assert_int_equal(sink_open_file(&s, "a", SINK_GZIP, NULL), TFPROF_OK);
	sink_text(&s, "packed");
	assert_int_equal(sink_commit(&s, NULL), TFPROF_OK);
	assert_true(is_gzip("a"));
	expect_file("a", "packed");
}

static void test_long_printf(void **state)
{
	struct sink s;
	char expected[2001];

	assert_int_equal(sink_open_file(&s, "a", SINK_PLAIN, NULL), TFPROF_OK);
	sink_printf(&s, "%02000d", 7);
	assert_int_equal(sink_commit(&s, NULL), TFPROF_OK);
	memset(expected, '0', 2000);
	expected[1999] = '7';
	expected[2000] = '\0';
	expect_file("a", expected);
}

static void test_unwritable_paths(void **state)
{
	static const struct {
		const char *path;
		int error;
	} cases[] = {
		{"missing/a", ENOENT},
		{".", EISDIR},
		{"dir", EISDIR},
		{"dir/", EISDIR},
		{"file/a", ENOTDIR},
		{"", ENOENT},
		{"loop", ELOOP},
	};
	struct tfprof_error err;
	struct sink s;

	assert_int_equal(mkdir("dir", 0777), 0);
	write_file("file", "before");
	assert_int_equal(symlink("loop", "loop"), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char expected[256];

		snprintf(expected, sizeof(expected), "%s: cannot write: %s", cases[i].path,
			strerror(cases[i].error));
		assert_int_equal(sink_open_file(&s, cases[i].path, SINK_PLAIN, &err), TFPROF_IO);
		assert_string_equal(err.text, expected);
		assert_int_equal(err.status, TFPROF_IO);
		sink_abandon(&s); /* harmless */
		assert_int_equal(sink_open_file(&s, cases[i].path, SINK_PLAIN, NULL), TFPROF_IO);
	}
	expect_file("file", "before");
	assert_int_equal(count_files(), 3);
}

/* Root may write anywhere, so this runs as someone else if it can. */
static void test_no_permission(void **state)
{
	struct tfprof_error err;
	struct sink s;
	uid_t user = geteuid();

	write_file("a", "before");
	assert_int_equal(chmod("a", 0444), 0);
	assert_int_equal(mkdir("dir", 0777), 0);
	write_file("dir/a", "before");
	assert_int_equal(chmod("dir/a", 0666), 0);
	assert_int_equal(chmod("dir", 0555), 0);
	assert_int_equal(chmod(".", 0777), 0);
	if (user == 0)
		assert_int_equal(seteuid(65534), 0);
	assert_int_equal(sink_open_file(&s, "a", SINK_PLAIN, &err), TFPROF_IO);
	assert_string_equal(err.text, "a: cannot write: Permission denied");
	assert_int_equal(sink_open_file(&s, "dir/a", SINK_PLAIN, &err), TFPROF_IO);
	assert_string_equal(err.text, "dir/a: cannot write: Permission denied");
	if (user == 0)
		assert_int_equal(seteuid(0), 0);
	assert_int_equal(chmod("dir", 0755), 0);
	expect_file("a", "before");
	expect_file("dir/a", "before");
	assert_int_equal(unlink("dir/a"), 0);
	assert_int_equal(count_files(), 2);
}

/* A full disk, stood in for by a limit on the size of files. */
static void test_write_fails(void **state)
{
	struct tfprof_error err;
	struct rlimit before, limit;
	struct sink s;

	write_file("a", "before");
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	limit = before;
	limit.rlim_cur = 100000;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	assert_int_equal(sink_open_file(&s, "a", SINK_PLAIN, &err), TFPROF_OK);
	for (size_t i = 0; i < 40000; i++)
		sink_text(&s, "0123456789");
	assert_true(sink_failed(&s));
	assert_int_equal(sink_commit(&s, &err), TFPROF_IO);
	assert_string_equal(err.text, "a: cannot write: File too large");

	/* Only found out when the rest is written out. */
	limit.rlim_cur = 3;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	assert_int_equal(sink_open_file(&s, "a", SINK_PLAIN, &err), TFPROF_OK);
	sink_text(&s, "after");
	assert_false(sink_failed(&s));
	assert_int_equal(sink_commit(&s, &err), TFPROF_IO);
	assert_int_equal(sink_open_file(&s, "a", SINK_GZIP, &err), TFPROF_OK);
	sink_text(&s, "after");
	assert_int_equal(sink_commit(&s, &err), TFPROF_IO);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	signal(SIGXFSZ, SIG_DFL);
	expect_file("a", "before");
	assert_int_equal(count_files(), 1);
}

static void test_rename_fails(void **state)
{
	struct tfprof_error err;
	struct sink s;

	assert_int_equal(sink_open_file(&s, "a", SINK_PLAIN, &err), TFPROF_OK);
	sink_text(&s, "text");
	assert_int_equal(mkdir("a", 0777), 0);
	assert_int_equal(sink_commit(&s, &err), TFPROF_IO);
	assert_string_equal(err.text, "a: cannot write: Is a directory");
	assert_int_equal(count_files(), 1);
}

static void test_symbolic_links(void **state)
{
	struct stat link;
	struct sink s;

	write_file("a", "before");
	assert_int_equal(symlink("a", "link"), 0);
	assert_int_equal(sink_open_file(&s, "link", SINK_PLAIN, NULL), TFPROF_OK);
	sink_text(&s, "after");
	assert_int_equal(sink_commit(&s, NULL), TFPROF_OK);
	assert_int_equal(lstat("link", &link), 0);
	assert_true(S_ISLNK(link.st_mode));
	expect_file("a", "after");

	assert_int_equal(symlink("nowhere", "dangling"), 0);
	assert_int_equal(sink_open_file(&s, "dangling", SINK_PLAIN, NULL), TFPROF_OK);
	sink_text(&s, "new");
	assert_int_equal(sink_commit(&s, NULL), TFPROF_OK);
	assert_int_equal(access("nowhere", F_OK), -1);
	expect_file("dangling", "new");
	assert_int_equal(count_files(), 3);
}

static void test_devices_are_not_replaced(void **state)
{
	struct stat null;
	struct tfprof_error err;
	struct sink s;

	assert_int_equal(sink_open_file(&s, "/dev/null", SINK_PLAIN, &err), TFPROF_OK);
	sink_text(&s, "gone");
	assert_int_equal(sink_commit(&s, &err), TFPROF_OK);
	assert_int_equal(stat("/dev/null", &null), 0);
	assert_true(S_ISCHR(null.st_mode));

	assert_int_equal(sink_open_file(&s, "/dev/full", SINK_PLAIN, &err), TFPROF_OK);
	sink_text(&s, "no room");
	assert_int_equal(sink_commit(&s, &err), TFPROF_IO);
	assert_string_equal(err.text, "/dev/full: cannot write: No space left on device");
}

static void test_descriptor(void **state)
{
	struct tfprof_error err;
	struct sink s;
	char text[16] = "";
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	assert_int_equal(sink_open_fd(&s, ends[1], "the pipe", SINK_PLAIN, &err), TFPROF_OK);
	sink_text(&s, "through");
	assert_int_equal(sink_commit(&s, &err), TFPROF_OK);
	assert_int_equal(read(ends[0], text, sizeof(text)), 7);
	assert_string_equal(text, "through");

	/* Still open after the commit; there is no reader any more. */
	signal(SIGPIPE, SIG_IGN);
	close(ends[0]);
	assert_int_equal(sink_open_fd(&s, ends[1], "the pipe", SINK_PLAIN, &err), TFPROF_OK);
	sink_text(&s, "through");
	assert_int_equal(sink_commit(&s, &err), TFPROF_IO);
	assert_string_equal(err.text, "the pipe: cannot write: Broken pipe");
	signal(SIGPIPE, SIG_DFL);
	close(ends[1]);
}

/* A non-blocking pipe takes little at a time. */
static void test_slow_descriptor(void **state)
{
	size_t total = 1000000, n = 0;
	char *bytes = calloc(1, total);
	int ends[2], status;
	char piece[5000];
	pid_t child;

	assert_int_equal(pipe(ends), 0);
	child = fork();
	if (child == 0) {
		struct sink s;
		int failed;

		close(ends[0]);
		fcntl(ends[1], F_SETFL, O_NONBLOCK);
		failed = sink_open_fd(&s, ends[1], "the pipe", SINK_PLAIN, NULL);
		sink_put(&s, bytes, total);
		_exit(failed || sink_commit(&s, NULL) != TFPROF_OK ? 1 : 0);
	}
	close(ends[1]);
	for (ssize_t got; (got = read(ends[0], piece, sizeof(piece))) > 0; n += (size_t)got)
		;
	assert_int_equal(n, total);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	close(ends[0]);
	free(bytes);
}

static void test_dash_is_stdout(void **state)
{
	static const char *const names[] = {"-", "/dev/stdout"};
	struct sink s;
	int saved, file;

	fflush(stdout);
	saved = dup(1);
	file = open("out", O_RDWR | O_CREAT, 0666);
	assert_true(saved >= 0 && file >= 0);
	dup2(file, 1);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(sink_open(&s, names[i], SINK_BY_SUFFIX, NULL), TFPROF_OK);
		sink_printf(&s, "to %s ", names[i]);
		assert_int_equal(sink_commit(&s, NULL), TFPROF_OK);
	}
	dup2(saved, 1);
	close(saved);
	close(file);
	expect_file("out", "to - to /dev/stdout ");
	assert_int_equal(sink_open(&s, "b", SINK_BY_SUFFIX, NULL), TFPROF_OK);
	sink_text(&s, "to a file");
	assert_int_equal(sink_commit(&s, NULL), TFPROF_OK);
	expect_file("b", "to a file");
}

static void test_memory(void **state)
{
	struct buf b = {0};
	struct sink s;

	buf_text(&b, "before, ");
	assert_int_equal(sink_open_buf(&s, &b, SINK_PLAIN, NULL), TFPROF_OK);
	sink_text(&s, "after");
	assert_int_equal(sink_commit(&s, NULL), TFPROF_OK);
	assert_string_equal(b.at, "before, after");
	buf_clear(&b);

	assert_int_equal(sink_open_buf(&s, &b, SINK_GZIP, NULL), TFPROF_OK);
	sink_text(&s, "packed");
	assert_int_equal(sink_commit(&s, NULL), TFPROF_OK);
	assert_memory_equal(b.at, "\x1f\x8b", 2);
	buf_clear(&b);
}

static int count_down(void *context, const void *bytes, size_t n)
{
	size_t *room = context;

	if (n > *room)
		return EDQUOT;
	*room -= n;
	return 0;
}

static void test_function(void **state)
{
	struct tfprof_error err;
	size_t room = 10;
	struct sink s;

	assert_int_equal(sink_open_fn(&s, count_down, &room, "the quota", SINK_PLAIN, &err),
		TFPROF_OK);
	sink_text(&s, "0123456");
	assert_int_equal(sink_commit(&s, &err), TFPROF_OK);
	assert_int_equal(room, 3);
	assert_int_equal(sink_open_fn(&s, count_down, &room, "the quota", SINK_PLAIN, &err),
		TFPROF_OK);
	sink_text(&s, "0123456");
	assert_int_equal(sink_commit(&s, &err), TFPROF_IO);
	assert_string_equal(err.text, "the quota: cannot write: Disk quota exceeded");
	assert_int_equal(room, 3);
}

static void test_the_first_failure_is_reported(void **state)
{
	struct tfprof_error err;
	struct sink s;

	assert_int_equal(sink_open_file(&s, "a", SINK_PLAIN, &err), TFPROF_OK);
	sink_fail(&s, EIO);
	sink_fail(&s, ENOSPC);
	sink_text(&s, "ignored");
	assert_int_equal(sink_commit(&s, &err), TFPROF_IO);
	assert_string_equal(err.text, "a: cannot write: Input/output error");
	assert_int_equal(count_files(), 0);
}

/* Makes each allocation fail in turn until nothing fails any more. */
static void test_memory_out(void **state)
{
	static const enum sink_format formats[] = {SINK_PLAIN, SINK_GZIP};

	write_file("a", "before");
	for (size_t k = 0; k < 2; k++) {
		enum tfprof_status status = TFPROF_NO_MEMORY;
		struct tfprof_error err;
		struct sink s;
		size_t nth;

		for (nth = 1; status != TFPROF_OK; nth++) {
			expect_file("a", k ? "once" : "before");
			mem_fail_at(nth);
			status = sink_open_file(&s, "a", formats[k], &err);
			if (status == TFPROF_OK) {
				sink_printf(&s, "%s%0400d", k ? "twice" : "once", 0);
				status = sink_commit(&s, &err);
			}
			mem_fail_at(0);
			assert_int_equal(count_files(), 1);
			if (status != TFPROF_OK) {
				assert_int_equal(status, TFPROF_NO_MEMORY);
				assert_string_equal(err.text, "out of memory");
			}
			assert_true(nth < 100);
		}
		assert_true(nth > 4);
		write_file("a", "once");
	}
	for (size_t nth = 1; nth < 8; nth++) {
		enum tfprof_status status;
		struct buf b = {0};
		struct sink s;

		mem_fail_at(nth);
		status = sink_open_buf(&s, &b, SINK_GZIP, NULL);
		if (status == TFPROF_OK) {
			sink_text(&s, "packed");
			status = sink_commit(&s, NULL);
		}
		mem_fail_at(0);
		assert_true(status == TFPROF_NO_MEMORY || nth > 7);
		buf_clear(&b);
	}
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, enter, leave)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_new_file),
		TEST(test_empty_file),
		TEST(test_replaces_at_commit),
		TEST(test_abandon),
		TEST(test_large),
		TEST(test_formats),
		TEST(test_long_printf),
		TEST(test_unwritable_paths),
		TEST(test_no_permission),
		TEST(test_write_fails),
		TEST(test_rename_fails),
		TEST(test_symbolic_links),
		TEST(test_devices_are_not_replaced),
		TEST(test_descriptor),
		TEST(test_slow_descriptor),
		TEST(test_dash_is_stdout),
		TEST(test_memory),
		TEST(test_function),
		TEST(test_the_first_failure_is_reported),
		TEST(test_memory_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
