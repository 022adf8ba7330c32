#include "command.h"

#include <string.h>

#include <tfprof/tfprof.h>

static const struct command commands[] = {
	{"scope", COMMAND_SCOPE, EVERYWHERE, "nodes as a tree of name scopes", "[OPTION...]",
		"Nodes hang under the scopes their names spell out: a/b/c is under a/b, which is\n"
		"under a. Numbers are own/total; the total is that of the node and everything\n"
		"below it. Best for parameters, shapes, float operations and tensor values.",
		"--select=params --account_type_regexes=_trainable_variables"},
	{"graph", COMMAND_GRAPH, EVERYWHERE, "nodes as a tree of what feeds what", "[OPTION...]",
		"Nodes hang under those that consume their output, each one once. Best to find\n"
		"what a node depends on, and for timelines of a step.",
		"--start_name_regexes=cost.* --max_depth=100 --min_micros=10000"},
	{"op", COMMAND_OP, EVERYWHERE, "operation types as a list", "[OPTION...]",
		"One line per operation type, over all its nodes. Numbers show their share of the\n"
		"whole in percent: that of this line and all below it, then its own. Best to find\n"
		"which kind of operation takes the time or the memory.",
		"--select=micros,bytes,occurrence --order_by=micros"},
	{"code", COMMAND_CODE, EVERYWHERE, "nodes as a tree of the Python code that made them",
		"[OPTION...]",
		"Nodes hang under the lines of Python that created them, outermost call first.\n"
		"Needs call stacks: a profile saved from Python, or --op_log_path. Best to find\n"
		"the line of a model that costs most; can also be written for pprof.",
		"--max_depth=1000 --show_name_regexes=.*model.*py.* --order_by=micros"},
	{"advise", COMMAND_ADVISE, EVERYWHERE, "problems found, and what to do about them",
		"[OPTION...]",
		"Runs all checkers, or those named with --checker, and prints what they found.",
		""},
	{"help", COMMAND_HELP, EVERYWHERE, "help, also on a command or an option", "[WORD]",
		"Without a word: an overview. With one: the command or option of that name.",
		"select"},
	{"set", COMMAND_SET, IN_SHELL, "make options the defaults of later lines", "[OPTION...]",
		"The options given hold for every later line of the session that does not say\n"
		"otherwise. Without options: shows those that hold now (so does an empty line).",
		"--account_type_regexes=_trainable_variables"},
	{"quit", COMMAND_QUIT, IN_SHELL, "leave the shell (also: exit, Ctrl-D)", "",
		"Leaves the shell.", ""},
	{"exit", COMMAND_QUIT, IN_SHELL, NULL, "", "Leaves the shell.", ""},
};

enum { N_COMMANDS = sizeof(commands) / sizeof(*commands) };

const struct command *command_get(size_t i)
{
	return i < N_COMMANDS ? &commands[i] : NULL;
}

const struct command *command_find(const char *name, enum command_where where)
{
	for (size_t i = 0; i < N_COMMANDS; i++)
		if (commands[i].where & where && strcmp(commands[i].name, name) == 0)
			return &commands[i];
	return NULL;
}

const char *command_nearest(const char *name, enum command_where where)
{
	const char *names[N_COMMANDS + 1];
	size_t n = 0;

	for (size_t i = 0; i < N_COMMANDS; i++)
		if (commands[i].where & where)
			names[n++] = commands[i].name;
	names[n] = NULL;
	return tfprof_word_get_nearest(name, names);
}
