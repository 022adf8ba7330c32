#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mapped_file.h"

/* Memory that is given back is read again from the file; a copy has no file to be read from. */
static void bytes_stay_what_they_are(void **state)
{
	static const char text[] = "what the file has";
	char path[] = "/tmp/tfprof-mapped-XXXXXX";
	int fd = mkstemp(path);
	struct mapped_file file;
	struct stat st;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, sizeof(text)), sizeof(text));
	assert_int_equal(fstat(fd, &st), 0);
	assert_true(mapped_file_open(&file, fd, &st));
	for (int is_copy = 0; is_copy < 2; is_copy++) {
		assert_int_equal(file.bytes.n, sizeof(text));
		mapped_file_release(&file);
		assert_memory_equal(file.bytes.at, text, sizeof(text));
		assert_true(is_copy || mapped_file_detach(&file));
	}
	assert_memory_equal(file.bytes.at, text, sizeof(text));
	mapped_file_close(&file);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(bytes_stay_what_they_are)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
