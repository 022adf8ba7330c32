#include "fleet.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "exit_status.h"

bool fleet_is_wanted(int argc, char **argv)
{
	return argc > 1 &&
		(strcmp(argv[1], "index") == 0 || strcmp(argv[1], "sql") == 0 ||
			strcmp(argv[1], "fleet") == 0);
}

/* As `python3 -m tfprof`, but says what to install if there is no such package. */
static const char script[] = "import sys\n"
			     "try:\n"
			     "    from tfprof.fleet._command import main\n"
			     "except ModuleNotFoundError as error:\n"
			     "    if not str(error.name).startswith('tfprof'):\n"
			     "        raise\n"
			     "    sys.exit('tfprof: this command needs the Python package: '\n"
			     "             \"python3 -m pip install 'tfprof[fleet]'\")\n"
			     "sys.exit(main(sys.argv[1:]))\n";

/* The Python that has the package: the one the program was started from, as from a script in
 * an environment that is not activated, or the first on PATH. */
static const char *find_python(void)
{
	const char *python = getenv("TFPROF_PYTHON");

	return python && *python ? python : "python3";
}

int fleet_run(int argc, char **argv)
{
	const char **arguments = mem_zero_array((size_t)argc + 3, sizeof(*arguments));
	const char *python = find_python();

	if (arguments) {
		arguments[0] = python;
		arguments[1] = "-c";
		arguments[2] = script;
		memcpy(arguments + 3, argv + 1, (size_t)argc * sizeof(*arguments));
		execvp(python, (char *const *)(uintptr_t)arguments);
		mem_free(arguments);
	}
	fprintf(stderr, "tfprof: this command needs Python: %s: %s\n", python, strerror(errno));
	return EXIT_INPUT;
}
