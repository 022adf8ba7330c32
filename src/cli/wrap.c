#include "wrap.h"

#include <string.h>

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

void wrap_text(struct buf *out, const char *paragraph, size_t indent, size_t width)
{
	size_t column = indent, blank = 0;
	const char *at = paragraph;

	while (*at) {
		size_t word = word_length(at, width > indent ? width - indent : 1);

		if (column > indent && column + blank + word > width) {
			buf_printf(out, "\n%*s", (int)indent, "");
			column = indent;
		} else if (blank) {
			buf_char(out, ' ');
			column++;
		}
		buf_put(out, at, word);
		column += word;
		at += word;
		blank = *at == ' ';
		at += strspn(at, " ");
	}
}
