/* Commands that the Python package runs, since what they need comes from Python packages, such
 * as Parquet and SQL. To add one: a line in the table of in_python.c, an entry in command.c
 * (COMMAND_IN_PYTHON), and a module whose main(arguments), the command first, returns the exit
 * status. `python3 -m tfprof` follows. */
#ifndef TFPROF_CLI_IN_PYTHON_H
#define TFPROF_CLI_IN_PYTHON_H

#include <stdbool.h>

bool in_python_is_wanted(int argc, char **argv);
/* Becomes Python with the same arguments, so that signals and the exit status are those of the
 * command. Returns only on failure: an exit status. */
int in_python_run(int argc, char **argv);

#endif
