/* Files of tests/data in memory. */
#ifndef TESTS_FILES_H
#define TESTS_FILES_H

#include <stdio.h>
#include <string.h>

#include "base/buf.h"

/* Clear it. */
static inline struct buf read_data(const char *name)
{
	struct buf content = {0};
	char path[1000];
	FILE *file;
	size_t n;

	snprintf(path, sizeof(path), "%s/%s", TEST_DATA, name);
	file = fopen(path, "rb");
	if (!file)
		fail_msg("%s cannot be opened", path);
	do {
		assert_true(buf_reserve(&content, 1 << 16));
		n = fread(content.at + content.n, 1, 1 << 16, file);
		content.n += n;
	} while (n);
	fclose(file);
	return content;
}

/* The next line of a text, without its end; false after the last one. */
static inline bool next_line(struct span *rest, char *line, size_t cap)
{
	const char *end = rest->n ? memchr(rest->at, '\n', rest->n) : NULL;
	size_t n;

	if (!end)
		return false;
	n = (size_t)(end - rest->at);
	assert_true(n < cap);
	memcpy(line, rest->at, n);
	line[n] = '\0';
	*rest = (struct span){end + 1, rest->n - n - 1};
	return true;
}

#endif
