#include "text.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool reserve(struct text *t, size_t more)
{
	size_t need, cap;
	char *at;

	if (t->failed || __builtin_add_overflow(t->n, more, &need) || need > SIZE_MAX / 4) {
		t->failed = true;
		return false;
	}
	if (need < t->cap)
		return true;
	cap = need * 2 + 64;
	at = realloc(t->at, cap);
	if (!at) {
		t->failed = true;
		return false;
	}
	t->at = at;
	t->cap = cap;
	return true;
}

void text_put(struct text *t, const char *bytes, size_t n)
{
	if (!reserve(t, n))
		return;
	if (n)
		memcpy(t->at + t->n, bytes, n);
	t->n += n;
	t->at[t->n] = '\0';
}

void text_add(struct text *t, const char *string)
{
	text_put(t, string, strlen(string));
}

void text_char(struct text *t, char c)
{
	text_put(t, &c, 1);
}

void text_printf(struct text *t, const char *format, ...)
{
	va_list args, again;
	int n;

	va_start(args, format);
	va_copy(again, args);
	n = vsnprintf(NULL, 0, format, args);
	if (n >= 0 && reserve(t, (size_t)n + 1)) {
		vsnprintf(t->at + t->n, (size_t)n + 1, format, again);
		t->n += (size_t)n;
	}
	va_end(again);
	va_end(args);
}

void text_clear(struct text *t)
{
	free(t->at);
	*t = (struct text){0};
}

/* Up to the next space; a word longer than a line is split after a comma. */
static size_t word_length(const char *at, size_t room)
{
	size_t word = strcspn(at, " "), piece = room;

	if (word <= room)
		return word;
	while (piece && at[piece - 1] != ',')
		piece--;
	return piece ? piece : word;
}

void text_fill(struct text *out, const char *paragraph, size_t indent, size_t width)
{
	size_t column = indent, blank = 0;
	const char *at = paragraph;

	while (*at) {
		size_t word = word_length(at, width > indent ? width - indent : 1);

		if (column > indent && column + blank + word > width) {
			text_printf(out, "\n%*s", (int)indent, "");
			column = indent;
		} else if (blank) {
			text_char(out, ' ');
			column++;
		}
		text_put(out, at, word);
		column += word;
		at += word;
		blank = *at == ' ';
		at += strspn(at, " ");
	}
}
