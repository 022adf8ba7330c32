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

enum tfprof_status overview_put(struct buf *out, const struct request *r, tfprof_profile *profile,
	struct tfprof_error *err)
{
	struct tfprof_overview overview;
	enum tfprof_status status = tfprof_profile_get_overview(profile, &overview, err);
	void *facts;
	size_t n;

	if (status == TFPROF_OK)
		status = tfprof_profile_describe(profile, &facts, &n, err);
	if (status != TFPROF_OK)
		return status;
	buf_put(out, facts, n);
	tfprof_bytes_free(facts);
	for (size_t i = 0; overview.suggestions[i]; i++) {
		const struct tfprof_suggestion *s = overview.suggestions[i];

		buf_printf(out, "\n%s:\n  tfprof %s", s->purpose, s->command);
		put_files(out, r);
		buf_printf(out, "%s%s\n", *s->options ? " " : "", s->options);
	}
	return TFPROF_OK;
}
