#include "candidates.h"

#include <stdlib.h>
#include <string.h>

/* Shortens the common prefix to what this one shares. */
static void narrow_common(struct candidates *c, const char *text, size_t length)
{
	size_t n = 0;

	if (c->n_all == 0) {
		text_put(&c->common, text, length);
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
	char *copy;

	if (c->n == c->cap) {
		size_t cap = c->cap ? c->cap * 2 : 64;
		char **at = realloc(c->at, cap * sizeof(*at));

		if (!at) {
			c->failed = true;
			return;
		}
		c->at = at;
		c->cap = cap;
	}
	copy = strndup(text, length);
	c->failed |= !copy;
	if (copy)
		c->at[c->n++] = copy;
}

void candidates_add(struct candidates *c, const char *text, size_t length)
{
	size_t typed = strlen(c->typed);

	if (length < typed || memcmp(text, c->typed, typed) != 0)
		return;
	narrow_common(c, text, length);
	c->n_all++;
	if (c->n < MAX_CANDIDATES)
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
	if (c->n)
		qsort(c->at, c->n, sizeof(*c->at), by_text);
}

void candidates_clear(struct candidates *c)
{
	for (size_t i = 0; i < c->n; i++)
		free(c->at[i]);
	free(c->at);
	text_clear(&c->common);
	*c = (struct candidates){0};
}
