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

int fleet_run(int argc, char **argv)
{
	const char **arguments = mem_zero_array((size_t)argc + 3, sizeof(*arguments));

	if (arguments) {
		arguments[0] = "python3";
		arguments[1] = "-c";
		arguments[2] = script;
		memcpy(arguments + 3, argv + 1, (size_t)argc * sizeof(*arguments));
		execvp("python3", (char *const *)(uintptr_t)arguments);
		mem_free(arguments);
	}
	fprintf(stderr, "tfprof: this command needs python3: %s\n", strerror(errno));
	return EXIT_INPUT;
}
