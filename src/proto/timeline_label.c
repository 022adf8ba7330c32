#include "proto/timeline_label.h"

#include "base/ascii.h"

/* The position of the last ` = `, or `text.n`. */
static size_t find_last_equals(struct span text)
{
	for (size_t n = text.n; n >= 3; n--)
		if (memcmp(text.at + n - 3, " = ", 3) == 0)
			return n - 3;
	return text.n;
}

bool timeline_label_read(struct span label, struct timeline_label *out)
{
	const char *open = NULL, *close = NULL, *newline;
	struct span left;
	size_t equals;

	*out = (struct timeline_label){.type = {"", 0}};
	newline = label.n ? memchr(label.at, '\n', label.n) : NULL;
	if (newline)
		label.n = (size_t)(newline - label.at);
	if (label.n)
		close = memrchr(label.at, ')', label.n);
	if (close)
		open = memrchr(label.at, '(', (size_t)(close - label.at));
	if (!open)
		return false;
	left = (struct span){label.at, (size_t)(open - label.at)};
	equals = find_last_equals(left);
	if (equals == left.n)
		return false;
	out->type = (struct span){left.at + equals + 3, left.n - equals - 3};
	if (close > open + 1)
		out->inputs = (struct span){open + 1, (size_t)(close - open - 1)};
	return true;
}

/* "Conv2D", "_MklNativeFusedConv2D", "Addons>Gelu" */
static bool is_type(struct span text)
{
	for (size_t i = 0; i < text.n; i++) {
		char c = text.at[i];

		if (!ascii_is_letter(c) && !ascii_is_digit(c) && c != '_' && c != '>')
			return false;
	}
	return text.n;
}

struct span timeline_label_type(struct span label)
{
	struct timeline_label read;

	if (timeline_label_read(label, &read) && is_type(read.type))
		return read.type;
	return (struct span){"", 0};
}
