/* Which checkers run, with which options: what the option `checker` says.
 *
 * An option whose default is a number takes numbers, any other takes text. */
#ifndef TFPROF_ADVISE_OPTIONS_H
#define TFPROF_ADVISE_OPTIONS_H

#include "base/buf.h"
#include "base/error.h"
#include "base/vec.h"
#include "query/options.h"

/* NAME[:OPTION=VALUE,...], as on the command line. */
enum tfprof_status advice_options_add(struct tfprof_options *o, const char *text,
	struct tfprof_error *err);

/* Whether an option takes numbers. */
bool advice_option_is_number(const struct tfprof_checker_option_info *info);

/* Whether a checker is run: without options of checkers, all are; after a message, the checkers
 * that the message names. */
bool advice_options_chosen(const struct tfprof_options *o, size_t checker);
/* The value of an option as text, or its default. */
const char *advice_options_value(const struct tfprof_options *o, size_t checker, size_t option);
/* A line about each checker that a message names and nobody knows. */
void advice_options_put_unknown(const struct tfprof_options *o, struct buf *out);

#endif
