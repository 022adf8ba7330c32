#include "in_python.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "exit_status.h"

static const struct in_python {
	const char *command;
	const char *module;
	const char *install; /* for pip: the package, with the extra it needs */
} table[] = {
	{"index", "tfprof.fleet._command", "tfprof[fleet]"},
	{"sql", "tfprof.fleet._command", "tfprof[fleet]"},
	{"fleet", "tfprof.fleet._command", "tfprof[fleet]"},
	{"run", "tfprof._run", "tfprof"},
	{"mcp", "tfprof._mcp", "tfprof[mcp]"},
};

static const struct in_python *find(int argc, char **argv)
{
	for (size_t i = 0; argc > 1 && i < sizeof(table) / sizeof(*table); i++)
		if (strcmp(argv[1], table[i].command) == 0)
			return &table[i];
	return NULL;
}

bool in_python_is_wanted(int argc, char **argv)
{
	return find(argc, argv) != NULL;
}

/* Its arguments are the module, what to install if there is no such package, and those of the
 * command. Files of the current directory, which Python would search first, are no packages. */
static const char script[] = "import sys\n"
			     "if not sys.path[0]:\n"
			     "    del sys.path[0]\n"
			     "import importlib\n"
			     "try:\n"
			     "    main = importlib.import_module(sys.argv[1]).main\n"
			     "except ModuleNotFoundError as error:\n"
			     "    if not str(error.name).startswith('tfprof'):\n"
			     "        raise\n"
			     "    sys.exit('tfprof: this command needs the Python package: '\n"
			     "             f\"python3 -m pip install '{sys.argv[2]}'\")\n"
			     "sys.exit(main(sys.argv[3:]))\n";

/* The Python that has the package: the one the program was started from, as from a script in
 * an environment that is not activated, or the first on PATH. */
static const char *find_python(void)
{
	const char *python = getenv("TFPROF_PYTHON");

	return python && *python ? python : "python3";
}

int in_python_run(int argc, char **argv)
{
	const struct in_python *command = find(argc, argv);
	const char **arguments = mem_zero_array((size_t)argc + 5, sizeof(*arguments));
	const char *python = find_python();

	if (arguments) {
		arguments[0] = python;
		arguments[1] = "-c";
		arguments[2] = script;
		arguments[3] = command->module;
		arguments[4] = command->install;
		memcpy(arguments + 5, argv + 1, (size_t)argc * sizeof(*arguments));
		execvp(python, (char *const *)(uintptr_t)arguments);
		mem_free(arguments);
	}
	fprintf(stderr, "tfprof: this command needs Python: %s: %s\n", python, strerror(errno));
	return EXIT_INPUT;
}
