/* `tfprof index`, `tfprof sql` and `tfprof fleet`: the Python package does the work, since
 * Parquet and SQL come from Python packages. */
#ifndef TFPROF_CLI_FLEET_H
#define TFPROF_CLI_FLEET_H

#include <stdbool.h>

bool fleet_is_wanted(int argc, char **argv);
/* Becomes python3 with the same arguments. Returns only on failure: an exit status. */
int fleet_run(int argc, char **argv);

#endif
