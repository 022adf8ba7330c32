/* Which checkers run, with which options, and where the advice goes.
 *
 * An option whose default is a number takes numbers, any other takes text. */
#ifndef TFPROF_ADVISE_OPTIONS_H
#define TFPROF_ADVISE_OPTIONS_H

#include "base/buf.h"
#include "base/error.h"
#include "base/vec.h"
#include "query/options.h"

struct advice_setting {
	size_t checker, option;
	char *value;
};

struct tfprof_advice_options {
	bool all; /* true until a checker is named */
	bool named_all;
	VEC(size_t) chosen; /* checkers, in the order they were named */
	VEC(struct advice_setting) settings;
	struct buf unknown; /* lines about unknown checkers */
	bool source_lines;
	bool tolerant;     /* came as a message: lines of code are those of TensorFlow's profiler */
	char *output_text; /* what `output` points into; NULL: stdout */
	struct output_option output;
};

/* NULL on allocation failure. */
struct tfprof_advice_options *advice_options_copy(const struct tfprof_advice_options *o);

/* Whether an option takes numbers. */
bool advice_option_is_number(const struct tfprof_checker_option_info *info);

bool advice_options_chosen(const struct tfprof_advice_options *o, size_t checker);
/* The value of an option as text, or its default. */
const char *advice_options_value(const struct tfprof_advice_options *o, size_t checker,
	size_t option);

#endif
