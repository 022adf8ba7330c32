#include "command.h"

#include <string.h>

/* Questions follow the command advise. */
static const struct command fixed[] = {
#define X(id, name, message, summary, description, example, ...) \
	{#name, COMMAND_##id, EVERYWHERE, summary, "[OPTION...]", description, example},
	TFPROF_VIEW_LIST(X)
#undef X
		{"advise", COMMAND_ADVISE, EVERYWHERE, "problems found, and what to do about them",
			"[OPTION...]",
			"Runs all checkers, or those named with --checker, and prints what they "
			"found.",
			""},
	{"model", COMMAND_MODEL, IN_PROGRAM, "what a model costs, by layer", "FILE|DIR [OPTION...]",
		"Reads a model file and prints parameters, multiply-accumulates (MACs), float "
		"operations (FLOPs) and memory of each layer and in total, without TensorFlow and "
		"without running the model: SavedModel, .keras, .h5, .tflite, .meta and "
		"frozen graphs.",
		"--batch_size=8 --order_by=macs"},
	{"diff", COMMAND_DIFF, IN_PROGRAM, "what changed between two profiles or models",
		"[VIEW] BASE... -- NEW... [OPTION...]",
		"Compares a view (op by default) of two sides, each one or several runs: "
		"profiles, traces, or parts of one profile (a graph, run metadata, an op log), or "
		"one model file with another. Prints base, new, difference and a "
		"verdict: ~ cannot be told from noise, ? needs more runs. With --fail_if, the "
		"exit "
		"status is 0 within all limits, 3 over one, and 4 with too few runs to tell.",
		"scope --min_change=10%"},
	{"ui", COMMAND_UI, IN_PROGRAM, "the profile in a browser", "FILE... [OPTION...]",
		"Prints an address to open in a browser; the page shows the profile as pictures "
		"and tables. The command must come first. See tfprof ui --help.",
		""},
	{"index", COMMAND_FLEET, IN_PROGRAM, "Parquet tables from many profiles",
		"SRC OUT [OPTION...]",
		"Reads all profiles and traces below a directory into tables. Needs the Python "
		"package with its extra fleet. The command must come first. See tfprof index "
		"--help.",
		""},
	{"sql", COMMAND_FLEET, IN_PROGRAM, "a query over these tables", "OUT [QUERY]",
		"Runs a query over what tfprof index wrote, such as 'SELECT * FROM regressions', "
		"or lists the tables and views. The command must come first. See tfprof sql "
		"--help.",
		""},
	{"fleet", COMMAND_FLEET, IN_PROGRAM, "a report on these tables, with plots", "OUT",
		"Writes a page with the trend of each model, slow workers, and what got slower "
		"when. The command must come first. See tfprof fleet --help.",
		""},
	{"save", COMMAND_SAVE, IN_PROGRAM, "one saved profile from all the files given",
		"OUT FILE...",
		"Combines all the files given into one saved profile (ProfileProto), which gives "
		"the same reports.",
		"profile run.xplane.pb"},
	{"help", COMMAND_HELP, EVERYWHERE, "an overview, or help on a command or option", "[WORD]",
		"Prints an overview, or help on the command or option given.", "select"},
	{"?", COMMAND_HELP, IN_SHELL, NULL, "[WORD]", "Prints an overview, or help on a word.", ""},
	{"set", COMMAND_SET, IN_SHELL, "set default options for later lines", "[OPTION...]",
		"Makes the options given the defaults for the rest of the session. Without "
		"options, prints the current defaults, as does an empty line.",
		"--account_type_regexes=_trainable_variables"},
	{"reset", COMMAND_RESET, IN_SHELL, "return to the options the shell started with", "",
		"Undoes all changes made by set: the options are those of the command line again.",
		""},
	{"save", COMMAND_SAVE, IN_SHELL, "write the profile to a file, to load it again", "FILE",
		"Writes all that was loaded, except a checkpoint, as one saved profile. To write "
		"a "
		"report, end its line in > FILE; to show it in another program, in | COMMAND.",
		"profile_of_today"},
	{"quit", COMMAND_QUIT, IN_SHELL, "leave the shell (also: exit, Ctrl-D)", "",
		"Leaves the shell.", ""},
	{"exit", COMMAND_QUIT, IN_SHELL, NULL, "", "Leaves the shell.", ""},
};

enum { N_FIXED = sizeof(fixed) / sizeof(*fixed), MAX_COMMANDS = N_FIXED + 32 };

static struct command commands[MAX_COMMANDS];
static size_t n_commands;

static void add(struct command command)
{
	if (n_commands < MAX_COMMANDS)
		commands[n_commands++] = command;
}

static void add_questions(void)
{
	struct tfprof_question_info info;

	for (size_t i = 0; tfprof_question_get_info(i, &info); i++)
		add((struct command){info.name, COMMAND_ASK, EVERYWHERE, info.summary,
			"[OPTION...]", info.description, info.example});
}

static void collect(void)
{
	for (size_t i = 0; i < N_FIXED && n_commands < MAX_COMMANDS; i++) {
		add(fixed[i]);
		if (fixed[i].id == COMMAND_ADVISE)
			add_questions();
	}
}

const struct command *command_get(size_t i)
{
	if (!n_commands)
		collect();
	return i < n_commands ? &commands[i] : NULL;
}

const struct command *command_find(const char *name, enum command_where where)
{
	const struct command *c;

	for (size_t i = 0; (c = command_get(i)); i++)
		if (c->where & where && strcmp(c->name, name) == 0)
			return c;
	return NULL;
}

const char *command_nearest(const char *name, enum command_where where)
{
	const char *names[MAX_COMMANDS + 1];
	const struct command *c;
	size_t n = 0;

	for (size_t i = 0; (c = command_get(i)); i++)
		if (c->where & where)
			names[n++] = c->name;
	names[n] = NULL;
	return tfprof_word_get_nearest(name, names);
}

void command_put_names(struct buf *out, enum command_where where, const char *separator)
{
	const char *before = "";
	const struct command *c;

	for (size_t i = 0; (c = command_get(i)); i++)
		if (c->where & where && c->summary) {
			buf_printf(out, "%s%s", before, c->name);
			before = separator;
		}
}
