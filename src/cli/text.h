/* A growable string whose failure sticks: keep writing and check `failed` once at the
 * end. Ends in a NUL that is not counted, unless nothing was ever written. The program
 * uses only the public API, so it has its own. */
#ifndef TFPROF_CLI_TEXT_H
#define TFPROF_CLI_TEXT_H

#include <stdbool.h>
#include <stddef.h>

struct text {
	char *at;
	size_t n, cap;
	bool failed;
};

void text_put(struct text *t, const char *bytes, size_t n);
void text_add(struct text *t, const char *string);
void text_char(struct text *t, char c);
void text_printf(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Appends a paragraph in lines of at most `width` columns, each but the first indented. It
 * does not end in a newline. */
void text_fill(struct text *t, const char *paragraph, size_t indent, size_t width);
void text_clear(struct text *t);

/* Never NULL. */
static inline const char *text_get(const struct text *t)
{
	return t->at ? t->at : "";
}

#endif
