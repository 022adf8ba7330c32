#include "overview.h"

#include <ctype.h>
#include <string.h>

/* What needs no quotes; bytes beyond ASCII are letters of some language. */
static bool is_plain(unsigned char c)
{
	return isalnum(c) || c >= 0x80 || (c && strchr("_./,:=@%+-", c));
}

/* Quotes a word for the shell if necessary: 'a b', or $'a\x1bb' for control characters. */
static void put_quoted(struct buf *out, const char *word)
{
	bool is_quoted = !*word, has_controls = false;

	for (const char *at = word; *at; at++) {
		is_quoted |= !is_plain((unsigned char)*at);
		has_controls |= iscntrl((unsigned char)*at) != 0;
	}
	if (is_quoted)
		buf_text(out, has_controls ? "$'" : "'");
	for (const char *at = word; *at; at++) {
		if (iscntrl((unsigned char)*at))
			buf_printf(out, "\\x%02x", (unsigned char)*at);
		else if (has_controls && strchr("'\\", *at))
			buf_printf(out, "\\%c", *at);
		else if (*at == '\'')
			buf_text(out, "'\\''");
		else
			buf_char(out, *at);
	}
	if (is_quoted)
		buf_char(out, '\'');
}

/* The input as it was typed. What was on standard input is gone. */
static void put_files(struct buf *out, const struct request *r)
{
	const struct tfprof_input_info *info;

	for (size_t i = 0; (info = tfprof_input_get_info(i)); i++)
		if (r->paths[i]) {
			buf_printf(out, " --%s=", info->flag);
			put_quoted(out, r->paths[i]);
		}
	for (size_t i = 0; i < r->n_files; i++) {
		buf_char(out, ' ');
		if (strcmp(r->files[i], "-") == 0)
			buf_text(out, "FILE");
		else
			put_quoted(out, r->files[i]);
	}
}

/* "op --select=micros" with the files after the first word. */
static void put_command(struct buf *out, const struct request *r, struct span command)
{
	size_t n = span_find(command, SPAN(" "));

	buf_text(out, "  tfprof ");
	buf_put(out, command.at, n);
	put_files(out, r);
	buf_span(out, span_from(command, n));
	buf_char(out, '\n');
}

static struct span text_of(const struct tfprof_column *c, size_t row)
{
	return (struct span){c->bytes + c->offsets[row],
		(size_t)(c->offsets[row + 1] - c->offsets[row])};
}

enum tfprof_status overview_put_suggestions(struct buf *out, const struct request *r,
	tfprof_result *overview, struct tfprof_error *err)
{
	struct tfprof_column parent, name, text;
	enum tfprof_status status = tfprof_result_get_column(overview, "parent", &parent, err);
	int64_t section = -1;

	if (status == TFPROF_OK)
		status = tfprof_result_get_column(overview, "name", &name, err);
	if (status == TFPROF_OK)
		status = tfprof_result_get_column(overview, "text", &text, err);
	for (size_t row = 0; status == TFPROF_OK && row < name.n_rows; row++) {
		if (parent.numbers[row] == 0 && span_equal(text_of(&name, row), SPAN("try")))
			section = (int64_t)row;
		if (section < 0 || parent.numbers[row] != section)
			continue;
		buf_char(out, '\n');
		buf_span(out, text_of(&text, row));
		buf_text(out, ":\n");
		put_command(out, r, text_of(&name, row));
	}
	return status;
}
