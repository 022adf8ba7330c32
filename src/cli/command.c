#include "command.h"

#include <string.h>

/* These follow the questions. */
static const struct command fixed[] = {
	{"ui", COMMAND_UI, IN_PROGRAM, "the profile in a browser", "FILE... [OPTION...]",
		"Prints an address to open in a browser; the page shows the profile as pictures "
		"and tables. The command must come first. See tfprof ui --help.",
		""},
	{"run", COMMAND_IN_PYTHON, IN_PROGRAM, "run a script of Python and record a part of it",
		"[OPTION...] [--] SCRIPT.py ARG...",
		"Runs a program of TensorFlow, Keras or JAX as it is, records some of its steps, "
		"and prints where their time goes. Needs the Python package. The command must come "
		"first. See tfprof run --help.",
		""},
	{"mcp", COMMAND_IN_PYTHON, IN_PROGRAM, "answers for coding agents", "[ROOT...]",
		"Answers questions about profiles below the directories given by the Model Context "
		"Protocol, over standard input and output. Needs the Python package with its extra "
		"mcp. The command must come first. See tfprof mcp --help.",
		""},
	{"index", COMMAND_IN_PYTHON, IN_PROGRAM, "Parquet tables from many profiles",
		"SRC OUT [OPTION...]",
		"Reads all profiles and traces below a directory into tables. Needs the Python "
		"package with its extra fleet. The command must come first. See tfprof index "
		"--help.",
		""},
	{"sql", COMMAND_IN_PYTHON, IN_PROGRAM, "a query over these tables, or over files",
		"OUT|FILE... [QUERY]",
		"Runs a query over what tfprof index wrote, such as 'SELECT * FROM regressions', "
		"or "
		"over profiles and traces, or lists the tables and views. The command must come "
		"first. See tfprof sql "
		"--help.",
		""},
	{"fleet", COMMAND_IN_PYTHON, IN_PROGRAM, "a report on these tables, with plots", "OUT",
		"Writes a page with the trend of each model, slow workers, and what got slower "
		"when. The command must come first. See tfprof fleet --help.",
		""},
	{"schema", COMMAND_SCHEMA, IN_PROGRAM, "the JSON Schema of an answer", "QUESTION",
		"Prints the JSON Schema of what a question writes with --output=json.", "step"},
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

static enum command_id id_of(const struct tfprof_question_info *info)
{
	switch (info->takes) {
	case TFPROF_TAKES_MODEL: return COMMAND_MODEL;
	case TFPROF_TAKES_SIDES: return COMMAND_DIFF;
	default: break;
	}
	return info->is_view ? (enum command_id)tfprof_view_from_name(info->name) : COMMAND_ASK;
}

static void collect(void)
{
	struct tfprof_question_info info;

	for (size_t i = 0; tfprof_question_get_info(i, &info); i++)
		add((struct command){info.name, id_of(&info),
			info.takes == TFPROF_TAKES_PROFILE ? EVERYWHERE : IN_PROGRAM, info.summary,
			info.usage, info.description, info.example});
	for (size_t i = 0; i < N_FIXED; i++)
		add(fixed[i]);
}

const struct command *command_get(size_t i)
{
	if (!n_commands)
		collect();
	return i < n_commands ? &commands[i] : NULL;
}

const struct command *command_of(enum command_id id)
{
	const struct command *c = NULL;

	for (size_t i = 0; (c = command_get(i)) && c->id != id; i++)
		;
	return c;
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
