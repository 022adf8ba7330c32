#include "line.h"

#include <string.h>

#include "base/mem.h"

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f';
}

/* Copies one word without its quotes and returns its end in the line. */
static const char *take_word(struct line *l, const char *at, char **to)
{
	l->words[l->n++] = *to;
	for (; *at && (l->open_quote || !is_blank(*at)); at++) {
		if (l->open_quote ? *at == l->open_quote : *at == '\'' || *at == '"')
			l->open_quote = l->open_quote ? 0 : *at;
		else
			*(*to)++ = *at;
	}
	*(*to)++ = '\0';
	return at;
}

bool line_split(struct line *l, const char *typed)
{
	size_t length = strlen(typed);
	const char *at = typed;
	char *to;

	*l = (struct line){.ends_in_blank = true};
	/* Every second byte may start a word. */
	l->text = mem_alloc(length + length / 2 + 2);
	l->words = mem_zero_array(length / 2 + 1, sizeof(*l->words));
	if (!l->text || !l->words) {
		line_clear(l);
		return false;
	}
	to = l->text;
	for (;;) {
		while (is_blank(*at))
			at++;
		l->ends_in_blank = !*at;
		if (!*at)
			return true;
		l->last_start = (size_t)(at - typed);
		at = take_word(l, at, &to);
		if (!*at)
			return true;
	}
}

void line_clear(struct line *l)
{
	mem_free(l->words);
	mem_free(l->text);
	*l = (struct line){0};
}

static char choose_quote(const char *word)
{
	if (*word != '|' && *word != '>' && !word[strcspn(word, " \t\n\r\v\f'\"")])
		return 0;
	return strchr(word, '\'') ? '"' : '\'';
}

void line_put_word(struct buf *out, const char *word, char quote, bool is_complete)
{
	char other;

	if (!quote && !(quote = choose_quote(word))) {
		buf_text(out, word);
		return;
	}
	other = quote == '"' ? '\'' : '"';
	buf_char(out, quote);
	for (; *word; word++) {
		if (*word == quote)
			buf_printf(out, "%c%c%c%c%c", quote, other, quote, other, quote);
		else
			buf_char(out, *word);
	}
	if (is_complete)
		buf_char(out, quote);
}
