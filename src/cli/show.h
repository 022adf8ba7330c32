/* Shows a report on stdout: coloured on a terminal, paged in the shell. */
#ifndef TFPROF_CLI_SHOW_H
#define TFPROF_CLI_SHOW_H

#include <stdbool.h>

#include <tfprof/tfprof.h>

/* A text that is whole. */
enum tfprof_status show_report(const char *text, size_t length, bool may_page,
	struct tfprof_error *err);

/* For tfprof_result_output(), if the text then goes to stdout. */
unsigned show_flags(void);

/* Carries out the result's option output and shows its text in pieces while it is made,
 * never paged. Unless `notes` is NULL, they and those of the result go to stderr before
 * the text, but not if the result fails before. */
enum tfprof_status show_result(tfprof_result *result, const char *notes, const volatile int *cancel,
	struct tfprof_error *err);

#endif
