#include "help.h"

#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "flag.h"
#include "terminal.h"
#include "words.h"
#include "wrap.h"

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

static void fill(struct buf *out, const char *paragraph, size_t indent)
{
	wrap_text(out, paragraph, indent, page_width());
	buf_char(out, '\n');
}

/* ---- the overview ---------------------------------------------------------------- */

/* Defaults of 0, false and nothing are not shown. */
static bool is_worth_showing(const char *value)
{
	return value && *value && strcmp(value, "0") != 0 && strcmp(value, "false") != 0;
}

static void put_flag(struct buf *out, const struct flag *flag, enum command_where where)
{
	struct buf name = {0}, help = {0};

	buf_printf(&name, "  %s%s", dashes(where), flag->name);
	if (flag->group == FLAG_FILE || flag->group == FLAG_OWN)
		buf_printf(&name, "%s%s", equals(where), flag->value);
	buf_text(&help, flag->help);
	if (is_worth_showing(flag->default_value))
		buf_printf(&help, " [%s]", flag->default_value);
	if (name.n + 1 > NAME_COLUMN)
		buf_printf(out, "%s\n%*s", buf_get(&name).at, NAME_COLUMN, "");
	else
		buf_printf(out, "%-*s", NAME_COLUMN, buf_get(&name).at);
	fill(out, buf_get(&help).at, NAME_COLUMN);
	out->failed |= name.failed || help.failed;
	buf_clear(&name);
	buf_clear(&help);
}

/* `question` of FLAG_OWN, else NULL. */
static void put_flags(struct buf *out, const char *title, enum flag_group group,
	const char *question, enum command_where where)
{
	struct flag flag;

	buf_printf(out, "\n%s:\n", title);
	for (size_t i = 0; flag_get(i, &flag); i++)
		if (flag.group == group && (!question || strcmp(flag.question, question) == 0) &&
			!flag.is_hidden)
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

void help_overview(struct buf *out, enum command_where where)
{
	const char *help = where == IN_SHELL ? "help" : "tfprof help";
	const struct command *c;
	struct tfprof_question_info question;

	if (where == IN_PROGRAM)
		buf_text(out, usage);
	buf_text(out, "Commands:\n");
	for (size_t i = 0; (c = command_get(i)); i++)
		if (c->where & where && c->summary)
			buf_printf(out, "  %-8s %s\n", c->name, c->summary);
	if (where == IN_PROGRAM)
		put_flags(out, "Input files by kind, instead of FILE", FLAG_FILE, NULL, where);
	put_flags(out, "Options for views [default]", FLAG_VIEW, NULL, where);
	put_flags(out, "Options for questions, besides output", FLAG_ASK, NULL, where);
	for (size_t i = 0; tfprof_question_get_info(i, &question); i++)
		if (question.options_title &&
			(where == IN_PROGRAM || question.takes == TFPROF_TAKES_PROFILE))
			put_flags(out, question.options_title, FLAG_OWN, question.name, where);
	if (where == IN_PROGRAM)
		put_flags(out, "Other options", FLAG_PROGRAM, NULL, where);
	buf_text(out, "\nMinimums may have a unit, such as 1.5ms, 20MB or 3k.\n");
	if (where == IN_SHELL)
		buf_text(out,
			"End a line in > FILE to write the report to a file, or in | COMMAND to "
			"pass "
			"it on.\n");
	buf_printf(out, "\nSee '%s COMMAND' or '%s OPTION' for details.\n", help, help);
}

/* ---- a command -------------------------------------------------------------------- */

/* Examples are written for the command line; in the shell, flags are -name value. */
static void put_example(struct buf *out, const char *example, enum command_where where)
{
	for (const char *at = example; *at;) {
		size_t word = strcspn(at, " "), name = strcspn(at, "= ");

		if (where == IN_SHELL && at[0] == '-' && name < word)
			buf_printf(out, "%.*s %.*s", (int)name - 1, at + 1, (int)(word - name - 1),
				at + name + 1);
		else
			buf_put(out, at, word);
		at += word;
		if (*at)
			buf_char(out, *at++);
	}
	buf_char(out, '\n');
}

static void put_options_of(struct buf *out, const struct command *c, enum command_where where)
{
	struct buf names = {0};
	struct flag flag;

	if (!command_is_question(c->id) && c->id != COMMAND_SET)
		return;
	for (size_t i = 0; flag_get(i, &flag); i++)
		if (flag_applies_to(&flag, c))
			buf_printf(&names, "%s%s%s", names.n ? " " : "", dashes(where), flag.name);
	buf_text(out, "\nOptions:\n  ");
	fill(out, buf_get(&names).at, 2);
	out->failed |= names.failed;
	buf_clear(&names);
}

static bool takes_checkers(const struct command *c)
{
	struct flag flag;

	return flag_find("checker", strlen("checker"), &flag) && command_is_question(c->id) &&
		flag_applies_to(&flag, c);
}

static void put_checkers(struct buf *out)
{
	const struct tfprof_checker_info *info;
	const struct tfprof_checker_option_info *option;

	buf_text(out, "\nCheckers:\n");
	for (size_t i = 0; (info = tfprof_checker_get_info(i)); i++) {
		buf_printf(out, "  %s\n      ", info->name);
		fill(out, info->help, 6);
		for (option = info->options; option && option->name; option++) {
			struct buf line = {0};

			buf_printf(&line, "%s: %s [%s]", option->name, option->help,
				option->default_value);
			buf_text(out, "      ");
			fill(out, buf_get(&line).at, 10);
			buf_clear(&line);
		}
	}
}

static void put_command(struct buf *out, const struct command *c, enum command_where where)
{
	const char *program = where == IN_SHELL ? "" : "tfprof ";
	/* Others name what they need in their usage. */
	bool needs_files = where == IN_PROGRAM && command_has_report(c->id);
	const char *files = needs_files ? " FILE" : "";

	buf_printf(out, "%s%s%s%s%s\n\n", program, c->name, files, *c->usage ? " " : "", c->usage);
	fill(out, c->description, 0);
	if (takes_checkers(c))
		put_checkers(out);
	put_options_of(out, c, where);
	if (*c->example) {
		buf_printf(out, "\nExample:\n  %s%s%s ", program, c->name,
			c->id == COMMAND_MODEL          ? " FILE"
				: c->id == COMMAND_DIFF ? " BASE NEW"
							: files);
		put_example(out, c->example, where);
	}
}

/* ---- a flag ------------------------------------------------------------------------ */

static void put_words(struct buf *out, const struct flag *flag)
{
	size_t width = 0;

	for (size_t i = 0; flag->words[i]; i++)
		width = strlen(flag->words[i]) > width ? strlen(flag->words[i]) : width;
	buf_char(out, '\n');
	for (size_t i = 0; flag->words[i]; i++) {
		const char *meaning = word_meaning(flag->name, flag->words[i]);

		buf_printf(out, "  %-*s", meaning ? (int)width + 2 : 0, flag->words[i]);
		if (meaning)
			fill(out, meaning, width + 4);
		else
			buf_char(out, '\n');
	}
}

static void put_flag_help(struct buf *out, const struct flag *flag, enum command_where where)
{
	buf_printf(out, "%s%s", dashes(where), flag->name);
	if (flag->value)
		buf_printf(out, "%s%s", equals(where), flag->value);
	buf_text(out, "\n\n");
	fill(out, flag->help, 0);
	if (flag->words)
		put_words(out, flag);
	if (flag->units)
		buf_printf(out, "\nUnits: %s\n", flag->units);
	if (flag->default_value)
		buf_printf(out, "\nDefault: %s\n",
			*flag->default_value ? flag->default_value : "none");
}

enum tfprof_status help_word(struct buf *out, const char *word, enum command_where where,
	struct tfprof_error *err)
{
	const char *name = word + strspn(word, "-"), *near;
	const struct command *c = command_find(name, where);
	struct flag flag;
	bool has_flag = flag_find(name, strlen(name), &flag) && !flag.is_hidden;

	/* A command may have the name of an option, as step does: dashes tell them apart. */
	if (c && !(has_flag && flag.value && name > word)) {
		put_command(out, c, where);
		return TFPROF_OK;
	}
	if (has_flag) {
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
