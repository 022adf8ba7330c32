#include "tab.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/span.h"
#include "complete.h"
#include "terminal.h"

/* ---- inserting ------------------------------------------------------------------ */

/* The whole completed word, quoted as needed. */
static void put_word(struct buf *out, const struct candidates *c, const struct line *l)
{
	const char *word = l->ends_in_blank ? "" : l->words[l->n - 1];
	struct buf plain = {0};
	bool is_complete;

	buf_put(&plain, word, c->head);
	buf_put(&plain, buf_get(&c->common).at, c->common.n);
	/* A single candidate that cannot continue. */
	is_complete =
		c->n_all == 1 && !c->is_list && plain.n && !strchr("/:=", plain.at[plain.n - 1]);
	line_put_word(out, buf_get(&plain).at, l->open_quote, is_complete);
	if (is_complete)
		buf_char(out, ' ');
	out->failed |= plain.failed;
	buf_clear(&plain);
}

static size_t count_characters(const char *text)
{
	size_t n = mbstowcs(NULL, text, 0);

	return n == (size_t)-1 ? strlen(text) : n;
}

/* Returns whether the line changed. Text that the editor cannot take, which is no text of
 * the locale, leaves it as it is. */
static bool insert_common(EditLine *edit, const struct candidates *c, const struct line *l,
	const char *typed)
{
	const char *old = l->ends_in_blank ? "" : typed + l->last_start;
	size_t n = strlen(old);
	struct buf word = {0};
	bool changed;

	put_word(&word, c, l);
	changed = !word.failed && strcmp(buf_get(&word).at, old) != 0 &&
		mbstowcs(NULL, buf_get(&word).at, 0) != (size_t)-1;
	if (changed && strncmp(buf_get(&word).at, old, n) == 0) {
		el_insertstr(edit, buf_get(&word).at + n);
	} else if (changed) {
		el_deletestr(edit, (int)count_characters(old));
		el_insertstr(edit, buf_get(&word).at);
	}
	buf_clear(&word);
	return changed;
}

/* Names come from files of others: none may act on the terminal. */
static void put_plain(FILE *display, const char *name, int width)
{
	int n = 0;

	for (; name[n]; n++)
		fputc((unsigned char)name[n] < ' ' || name[n] == 127 ? '?' : name[n], display);
	fprintf(display, "%*s", width > n ? width - n : 0, "");
}

/* ---- listing --------------------------------------------------------------------- */

/* The listing leaves out what was typed up to the last slash. */
static size_t prefix_length(const struct candidates *c)
{
	const char *slash = strrchr(c->typed, '/');

	return slash ? (size_t)(slash + 1 - c->typed) : 0;
}

static void list(FILE *display, const struct candidates *c)
{
	size_t rows, columns, width = 0, from = prefix_length(c), per_line, n_lines,
			      n_shown = c->shown.n;

	terminal_size(fileno(display), &rows, &columns);
	for (size_t i = 0; i < c->shown.n; i++) {
		size_t length = strlen(c->shown.at[i]) - from;

		if (length > width)
			width = length;
	}
	per_line = width + 2 < columns ? columns / (width + 2) : 1;
	n_lines = (c->shown.n + per_line - 1) / per_line;
	if (rows > 4 && n_lines > rows - 3) {
		n_lines = rows - 3;
		n_shown = n_lines * per_line;
	}
	fputc('\n', display);
	/* In order down the columns. */
	for (size_t i = 0; i < n_lines; i++) {
		for (size_t k = i; k < n_shown && k < c->shown.n; k += n_lines)
			put_plain(display, c->shown.at[k] + from,
				k + n_lines < n_shown ? (int)width + 2 : 0);
		fputc('\n', display);
	}
	if (n_shown < c->n_all)
		fprintf(display, "... and %zu more\n", c->n_all - n_shown);
	fflush(display);
}

unsigned char tab_complete(EditLine *edit, FILE *display, tfprof_profile *profile)
{
	const LineInfo *info = el_line(edit);
	char *typed = span_copy((struct span){info->buffer, (size_t)(info->cursor - info->buffer)});
	unsigned char next = CC_REFRESH_BEEP;
	struct candidates c = {0};
	struct line l = {0};

	if (!typed || !line_split(&l, typed))
		goto out;
	complete_line(&c, &l, profile);
	if (!c.n_all || c.failed || c.common.failed)
		goto out;
	if (insert_common(edit, &c, &l, typed)) {
		next = CC_REFRESH;
	} else if (c.n_all > 1) {
		list(display, &c);
		next = CC_REDISPLAY;
	}
out:
	candidates_clear(&c);
	line_clear(&l);
	mem_free(typed);
	return next;
}
