#include "help.h"

#include <string.h>

#include "flag.h"

enum { NAME_COLUMN = 30, WIDTH = 80 };

static const char *dashes(enum command_where where)
{
	return where == IN_SHELL ? "-" : "--";
}

/* Fills a paragraph behind an indentation of which `column` bytes are already
 * written. */
static void fill(struct text *out, const char *paragraph, size_t column, size_t indent)
{
	const char *at = paragraph;

	while (*at) {
		size_t word = strcspn(at, " ");

		if (column > indent && column + word + 1 > WIDTH) {
			text_printf(out, "\n%*s", (int)indent, "");
			column = indent;
		} else if (column > indent) {
			text_char(out, ' ');
			column++;
		}
		text_put(out, at, word);
		column += word;
		at += word;
		at += strspn(at, " ");
	}
	text_char(out, '\n');
}

static void put_flag(struct text *out, const struct flag *flag, enum command_where where)
{
	struct text name = {0}, help = {0};

	text_printf(&name, "  %s%s", dashes(where), flag->name);
	if (flag->group == FLAG_FILE || flag->group == FLAG_ADVICE)
		text_printf(&name, "%s%s", where == IN_SHELL ? " " : "=", flag->value);
	text_add(&help, flag->help);
	if (flag->default_value && *flag->default_value)
		text_printf(&help, " [%s]", flag->default_value);
	if (name.n + 2 > NAME_COLUMN)
		text_printf(out, "%s\n%*s", text_get(&name), NAME_COLUMN, "");
	else
		text_printf(out, "%-*s", NAME_COLUMN, text_get(&name));
	fill(out, text_get(&help), NAME_COLUMN, NAME_COLUMN);
	out->failed |= name.failed || help.failed;
	text_clear(&name);
	text_clear(&help);
}

static void put_flags(struct text *out, const char *title, enum flag_group group,
	enum command_where where)
{
	struct flag flag;

	text_printf(out, "\n%s:\n", title);
	for (size_t i = 0; flag_get(i, &flag); i++)
		if (flag.group == group && !flag.is_hidden)
			put_flag(out, &flag, where);
}

void help_overview(struct text *out, enum command_where where)
{
	const struct command *c;

	if (where == IN_PROGRAM)
		text_add(out,
			"tfprof: where the time, the memory and the parameters of a TensorFlow model go\n"
			"\n"
			"Usage: tfprof COMMAND --profile_path=FILE [OPTION...]      one report\n"
			"       tfprof --profile_path=FILE                          an interactive shell\n"
			"\n");
	text_add(out, "Commands:\n");
	for (size_t i = 0; (c = command_get(i)); i++)
		if (c->where & where && c->summary)
			text_printf(out, "  %-8s %s\n", c->name, c->summary);
	if (where == IN_PROGRAM)
		put_flags(out, "Files (a profile, or a graph and what goes with it)", FLAG_FILE, where);
	put_flags(out, "Options of scope, graph, op and code [default]", FLAG_OPTION, where);
	put_flags(out, "Options of advise", FLAG_ADVICE, where);
	if (where == IN_PROGRAM)
		put_flags(out, "Also", FLAG_PROGRAM, where);
	text_printf(out, "\n%s COMMAND and %s OPTION tell more.\n",
		where == IN_SHELL ? "help" : "tfprof help", where == IN_SHELL ? "help" : "tfprof help");
}

static void put_command(struct text *out, const struct command *c, enum command_where where)
{
	const char *program = where == IN_SHELL ? "" : "tfprof ";

	text_printf(out, "%s%s%s%s%s\n\n%s\n", program, c->name, *c->usage ? " " : "", c->usage,
		where == IN_PROGRAM && c->id != COMMAND_HELP ? " --profile_path=FILE" : "",
		c->description);
	if (*c->example)
		text_printf(out, "\nExample: %s%s %s\n", program, c->name, c->example);
}

static void put_flag_help(struct text *out, const struct flag *flag, enum command_where where)
{
	text_printf(out, "%s%s", dashes(where), flag->name);
	if (flag->value)
		text_printf(out, "%s%s", where == IN_SHELL ? " " : "=", flag->value);
	text_add(out, "\n\n");
	fill(out, flag->help, 0, 0);
	if (flag->words) {
		struct text words = {0};

		text_add(&words, "One of:");
		for (size_t i = 0; flag->words[i]; i++)
			text_printf(&words, " %s%s", flag->words[i], flag->words[i + 1] ? "," : ".");
		fill(out, text_get(&words), 0, 0);
		text_clear(&words);
	}
	if (flag->default_value)
		text_printf(out, "Default: %s\n", *flag->default_value ? flag->default_value : "none");
}

enum tfprof_status help_word(struct text *out, const char *word, enum command_where where,
	struct tfprof_error *err)
{
	const struct command *c = command_find(word, where);
	const char *name = word + strspn(word, "-"), *near;
	struct flag flag;

	if (c) {
		put_command(out, c, where);
		return TFPROF_OK;
	}
	if (flag_find(name, strlen(name), &flag)) {
		put_flag_help(out, &flag, where);
		return TFPROF_OK;
	}
	near = command_nearest(word, where);
	if (!near)
		near = flag_nearest(name);
	return fail(err, TFPROF_ARGUMENT, "no help on: %.200s: it is no command and no option%s%s%s",
		word, near ? ": did you mean " : "", near ? near : "", near ? "?" : "");
}
