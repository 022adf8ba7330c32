/* The Tab key. */
#ifndef TFPROF_CLI_TAB_H
#define TFPROF_CLI_TAB_H

#include <histedit.h>
#include <stdio.h>

#include <tfprof/tfprof.h>

/* Inserts the common prefix of the candidates; if that adds nothing, lists them below
 * the line. Returns what libedit should do next (CC_*). */
unsigned char tab_complete(EditLine *edit, FILE *display, tfprof_profile *profile);

#endif
