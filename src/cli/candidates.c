#include "candidates.h"

#include <stdlib.h>
#include <string.h>

/* Shortens the common prefix to what this one shares. */
static void narrow_common(struct candidates *c, const char *text, size_t length)
{
	size_t n = 0;

	if (c->n_all == 0) {
		buf_put(&c->common, text, length);
		return;
	}
	while (n < c->common.n && n < length && c->common.at[n] == text[n])
		n++;
	c->common.n = n;
	if (c->common.at)
		c->common.at[n] = '\0';
}

static void keep(struct candidates *c, const char *text, size_t length)
{
	char *copy = span_copy((struct span){text, length});

	if (copy && vec_push(&c->shown, copy))
		return;
	mem_free(copy);
	c->failed = true;
}

void candidates_add(struct candidates *c, const char *text, size_t length)
{
	size_t typed = strlen(c->typed);

	if (length < typed || memcmp(text, c->typed, typed) != 0)
		return;
	narrow_common(c, text, length);
	c->n_all++;
	if (c->shown.n < MAX_CANDIDATES)
		keep(c, text, length);
}

void candidates_add_words(struct candidates *c, const char *const *words)
{
	for (; words && *words; words++)
		candidates_add(c, *words, strlen(*words));
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void candidates_sort(struct candidates *c)
{
	if (c->shown.n)
		qsort(c->shown.at, c->shown.n, sizeof(*c->shown.at), by_text);
}

void candidates_clear(struct candidates *c)
{
	for (size_t i = 0; i < c->shown.n; i++)
		mem_free(c->shown.at[i]);
	vec_clear(&c->shown);
	buf_clear(&c->common);
	*c = (struct candidates){0};
}
