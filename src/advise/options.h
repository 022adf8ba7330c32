/* Which checkers run, with which options, and where the advice goes.
 *
 * An option takes the kind of its default: a number where that is a number,
 * else a word. */
#ifndef TFPROF_ADVISE_OPTIONS_H
#define TFPROF_ADVISE_OPTIONS_H

#include "base/buf.h"
#include "base/error.h"
#include "base/vec.h"

enum advice_output { ADVICE_STDOUT, ADVICE_NONE, ADVICE_FILE, ADVICE_JSON };

struct advice_setting {
	size_t checker, option;
	char *value;
};

struct tfprof_advice_options {
	bool all; /* until one is named */
	bool named_all;
	VEC(size_t) chosen; /* checkers, in the order they were named */
	VEC(struct advice_setting) settings;
	struct buf unknown; /* lines about checkers there are none of */
	bool source_lines;
	enum advice_output output;
	char *outfile; /* NULL: none, or into the result */
};

/* NULL on allocation failure. */
struct tfprof_advice_options *advice_options_copy(const struct tfprof_advice_options *o);

bool advice_options_chosen(const struct tfprof_advice_options *o, size_t checker);
/* The value of an option as text: what was set, or its default. */
const char *advice_options_value(const struct tfprof_advice_options *o, size_t checker,
	size_t option);

#endif
