/* `tfprof ui` runs the program tfprof-ui, which keeps a web server out of this one. */
#ifndef TFPROF_CLI_UI_H
#define TFPROF_CLI_UI_H

#include <stdbool.h>

bool ui_is_wanted(int argc, char **argv);
/* Returns only if it fails, with an exit status. */
int ui_run(char **argv);

#endif
