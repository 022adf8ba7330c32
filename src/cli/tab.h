/* What the Tab key does in a line. */
#ifndef TFPROF_CLI_TAB_H
#define TFPROF_CLI_TAB_H

#include <histedit.h>
#include <stdio.h>

#include <tfprof/tfprof.h>

/* Types on as far as there is one way only; if there are several from here,
 * lists them below the line. Gives what libedit is to do next (CC_*). */
unsigned char tab_complete(EditLine *edit, FILE *display, tfprof_profile *profile);

#endif
