#include "help.h"

#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "flag.h"
#include "terminal.h"
#include "words.h"

enum { NAME_COLUMN = 30, MAX_WIDTH = 100, USUAL_WIDTH = 80 };

static size_t page_width(void)
{
	size_t rows, columns;

	if (!isatty(STDOUT_FILENO))
		return USUAL_WIDTH;
	terminal_size(STDOUT_FILENO, &rows, &columns);
	return columns < MAX_WIDTH ? columns : MAX_WIDTH;
}

static const char *dashes(enum command_where where)
{
	return where == IN_SHELL ? "-" : "--";
}

static const char *equals(enum command_where where)
{
	return where == IN_SHELL ? " " : "=";
}

static void fill(struct text *out, const char *paragraph, size_t indent)
{
	text_fill(out, paragraph, indent, page_width());
	text_char(out, '\n');
}

/* ---- the overview ---------------------------------------------------------------- */

/* Defaults of 0, false and nothing are not shown. */
static bool is_worth_showing(const char *value)
{
	return value && *value && strcmp(value, "0") != 0 && strcmp(value, "false") != 0;
}

static void put_flag(struct text *out, const struct flag *flag, enum command_where where)
{
	struct text name = {0}, help = {0};

	text_printf(&name, "  %s%s", dashes(where), flag->name);
	if (flag->group == FLAG_FILE || flag->group == FLAG_ADVICE || flag->group == FLAG_MODEL ||
		flag->group == FLAG_DIFF)
		text_printf(&name, "%s%s", equals(where), flag->value);
	text_add(&help, flag->help);
	if (is_worth_showing(flag->default_value))
		text_printf(&help, " [%s]", flag->default_value);
	if (name.n + 1 > NAME_COLUMN)
		text_printf(out, "%s\n%*s", text_get(&name), NAME_COLUMN, "");
	else
		text_printf(out, "%-*s", NAME_COLUMN, text_get(&name));
	fill(out, text_get(&help), NAME_COLUMN);
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

static const char usage[] =
	"tfprof: where the time, memory and parameters of a TensorFlow or JAX model go\n"
	"\n"
	"Usage: tfprof FILE...                         an overview, and a shell\n"
	"       tfprof COMMAND FILE... [OPTION...]     one report\n"
	"\n"
	"A FILE is recognized by its content: a saved profile; a graph, run metadata, an\n"
	"op log and a checkpoint, in any order; a trace of TensorFlow 2 or JAX; a model\n"
	"(SavedModel, .keras, .h5, .tflite); a directory of these; or - for standard\n"
	"input. Files may be compressed with gzip or zstd. A name that is also a command\n"
	"is written ./op.\n"
	"\n";

void help_overview(struct text *out, enum command_where where)
{
	const char *help = where == IN_SHELL ? "help" : "tfprof help";
	const struct command *c;

	if (where == IN_PROGRAM)
		text_add(out, usage);
	text_add(out, "Commands:\n");
	for (size_t i = 0; (c = command_get(i)); i++)
		if (c->where & where && c->summary)
			text_printf(out, "  %-8s %s\n", c->name, c->summary);
	if (where == IN_PROGRAM)
		put_flags(out, "Input files by kind, instead of FILE", FLAG_FILE, where);
	put_flags(out, "Options for views [default]", FLAG_OPTION, where);
	put_flags(out, "Options for advise, besides output", FLAG_ADVICE, where);
	if (where == IN_PROGRAM)
		put_flags(out, "Options for model, besides max_depth, order_by and output",
			FLAG_MODEL, where);
	if (where == IN_PROGRAM)
		put_flags(out, "Options for diff, besides those of the view and fail_if", FLAG_DIFF,
			where);
	if (where == IN_PROGRAM)
		put_flags(out, "Other options", FLAG_PROGRAM, where);
	text_add(out, "\nMinimums may have a unit, such as 1.5ms, 20MB or 3k.\n");
	if (where == IN_SHELL)
		text_add(out,
			"End a line in > FILE to write the report to a file, or in | COMMAND to "
			"pass "
			"it on.\n");
	text_printf(out, "\nSee '%s COMMAND' or '%s OPTION' for details.\n", help, help);
}

/* ---- a command -------------------------------------------------------------------- */

/* Examples are written for the command line; in the shell, flags are -name value. */
static void put_example(struct text *out, const char *example, enum command_where where)
{
	for (const char *at = example; *at;) {
		size_t word = strcspn(at, " "), name = strcspn(at, "= ");

		if (where == IN_SHELL && at[0] == '-' && name < word)
			text_printf(out, "%.*s %.*s", (int)name - 1, at + 1, (int)(word - name - 1),
				at + name + 1);
		else
			text_put(out, at, word);
		at += word;
		if (*at)
			text_char(out, *at++);
	}
	text_char(out, '\n');
}

static void put_options_of(struct text *out, const struct command *c, enum command_where where)
{
	struct text names = {0};
	struct flag flag;

	if (!command_is_view(c->id) && c->id != COMMAND_SET && c->id != COMMAND_ADVISE &&
		c->id != COMMAND_MODEL && c->id != COMMAND_DIFF)
		return;
	for (size_t i = 0; flag_get(i, &flag); i++)
		if (flag_applies_to(&flag, c))
			text_printf(&names, "%s%s%s", names.n ? " " : "", dashes(where), flag.name);
	text_add(out, "\nOptions:\n  ");
	fill(out, text_get(&names), 2);
	out->failed |= names.failed;
	text_clear(&names);
}

static void put_checkers(struct text *out)
{
	const struct tfprof_checker_info *info;
	const struct tfprof_checker_option_info *option;

	text_add(out, "\nCheckers:\n");
	for (size_t i = 0; (info = tfprof_checker_get_info(i)); i++) {
		text_printf(out, "  %s\n      ", info->name);
		fill(out, info->help, 6);
		for (option = info->options; option && option->name; option++) {
			struct text line = {0};

			text_printf(&line, "%s: %s [%s]", option->name, option->help,
				option->default_value);
			text_add(out, "      ");
			fill(out, text_get(&line), 10);
			text_clear(&line);
		}
	}
}

static void put_command(struct text *out, const struct command *c, enum command_where where)
{
	const char *program = where == IN_SHELL ? "" : "tfprof ";
	/* Others name what they need in their usage. */
	bool needs_files =
		where == IN_PROGRAM && (command_is_view(c->id) || c->id == COMMAND_ADVISE);
	const char *files = needs_files ? " FILE" : "";

	text_printf(out, "%s%s%s%s%s\n\n%s\n", program, c->name, files, *c->usage ? " " : "",
		c->usage, c->description);
	if (c->id == COMMAND_ADVISE)
		put_checkers(out);
	put_options_of(out, c, where);
	if (*c->example) {
		text_printf(out, "\nExample:\n  %s%s%s ", program, c->name,
			c->id == COMMAND_MODEL          ? " FILE"
				: c->id == COMMAND_DIFF ? " BASE NEW"
							: files);
		put_example(out, c->example, where);
	}
}

/* ---- a flag ------------------------------------------------------------------------ */

static void put_words(struct text *out, const struct flag *flag)
{
	size_t width = 0;

	for (size_t i = 0; flag->words[i]; i++)
		width = strlen(flag->words[i]) > width ? strlen(flag->words[i]) : width;
	text_char(out, '\n');
	for (size_t i = 0; flag->words[i]; i++) {
		const char *meaning = word_meaning(flag->name, flag->words[i]);

		text_printf(out, "  %-*s", meaning ? (int)width + 2 : 0, flag->words[i]);
		if (meaning)
			fill(out, meaning, width + 4);
		else
			text_char(out, '\n');
	}
}

static void put_flag_help(struct text *out, const struct flag *flag, enum command_where where)
{
	text_printf(out, "%s%s", dashes(where), flag->name);
	if (flag->value)
		text_printf(out, "%s%s", equals(where), flag->value);
	text_add(out, "\n\n");
	fill(out, flag->help, 0);
	if (flag->words)
		put_words(out, flag);
	if (flag->units)
		text_printf(out, "\nUnits: %s\n", flag->units);
	if (flag->default_value)
		text_printf(out, "\nDefault: %s\n",
			*flag->default_value ? flag->default_value : "none");
}

enum tfprof_status help_word(struct text *out, const char *word, enum command_where where,
	struct tfprof_error *err)
{
	const char *name = word + strspn(word, "-"), *near;
	const struct command *c = command_find(name, where);
	struct flag flag;

	if (c) {
		put_command(out, c, where);
		return TFPROF_OK;
	}
	if (flag_find(name, strlen(name), &flag) && !flag.is_hidden) {
		put_flag_help(out, &flag, where);
		return TFPROF_OK;
	}
	near = command_nearest(word, where);
	if (!near)
		near = flag_nearest(name, where);
	return error_set(err, TFPROF_ARGUMENT,
		"no help on: %.200s: not a command or an option%s%s%s", word,
		near ? ": did you mean " : "", near ? near : "", near ? "?" : "");
}
