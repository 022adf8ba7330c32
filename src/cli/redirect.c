#include "redirect.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "line.h"

/* The operator, or the end of the line. */
static const char *find_operator(const char *typed)
{
	char quote = 0;
	bool starts_word = true;

	for (; *typed; typed++) {
		if (!quote && starts_word && (*typed == '>' || *typed == '|'))
			return typed;
		if (quote ? *typed == quote : *typed == '\'' || *typed == '"')
			quote = quote ? 0 : *typed;
		starts_word = !quote && (*typed == ' ' || *typed == '\t');
	}
	return typed;
}

char *redirect_expand(const char *path)
{
	const char *home = getenv("HOME");
	struct buf whole = {0};

	if (strncmp(path, "~/", 2) != 0 || !home)
		return span_copy(span_of(path));
	buf_printf(&whole, "%s%s", home, path + 1);
	if (whole.failed)
		buf_clear(&whole);
	return whole.at;
}

static enum tfprof_status take_file(struct redirect *r, const char *rest, struct tfprof_error *err)
{
	enum tfprof_status status = TFPROF_OK;
	struct line l;

	if (*rest == '>')
		return error_set(err, TFPROF_ARGUMENT,
			"cannot append: > FILE replaces the file; for more, use | cat >> FILE");
	if (!line_split(&l, rest))
		return error_no_memory(err);
	if (l.n != 1 || l.open_quote || !*l.words[0])
		status = error_set(err, TFPROF_ARGUMENT,
			"> needs one file name: use COMMAND > FILE");
	else if (!(r->target = redirect_expand(l.words[0])))
		status = error_no_memory(err);
	line_clear(&l);
	return status;
}

static enum tfprof_status take_command(struct redirect *r, const char *rest,
	struct tfprof_error *err)
{
	rest += strspn(rest, " \t\r\n");
	if (!*rest)
		return error_set(err, TFPROF_ARGUMENT, "| needs a command: use COMMAND | less");
	r->target = span_copy((struct span){rest, strcspn(rest, "\r\n")});
	return r->target ? TFPROF_OK : error_no_memory(err);
}

enum tfprof_status redirect_split(struct redirect *r, const char *typed, char **line,
	struct tfprof_error *err)
{
	const char *at = find_operator(typed);

	*r = (struct redirect){0};
	*line = span_copy((struct span){typed, (size_t)(at - typed)});
	if (!*line)
		return error_no_memory(err);
	if (!*at)
		return TFPROF_OK;
	r->kind = *at == '>' ? REDIRECT_FILE : REDIRECT_COMMAND;
	return *at == '>' ? take_file(r, at + 1, err) : take_command(r, at + 1, err);
}

void redirect_clear(struct redirect *r)
{
	mem_free(r->target);
	*r = (struct redirect){0};
}

enum tfprof_status redirect_set_output(const struct redirect *r, struct request *request,
	struct tfprof_error *err)
{
	const char *output = tfprof_options_get(request->options, "output");
	struct buf whole = {0};
	enum tfprof_status status;
	size_t n = strlen(output);

	if (strstr(output, "outfile=") || strcmp(output, "none") == 0)
		return error_set(err, TFPROF_ARGUMENT, "> and -output %.200s cannot be combined",
			output);
	if (!n || strncmp(output, "stdout", 6) == 0)
		buf_text(&whole, "file:");
	else
		buf_printf(&whole, "%s%s", output, !strchr(output, ':') ? ":" : ",");
	buf_printf(&whole, "outfile=%s", r->target);
	status = whole.failed
		? error_no_memory(err)
		: tfprof_options_set(request->options, "output", buf_get(&whole).at, err);
	buf_clear(&whole);
	return status;
}
