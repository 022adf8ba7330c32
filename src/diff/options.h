/* Options of comparisons, a line each (see query/option_info.h), next to those of the view
 * that is compared.
 *
 * order_by is also an option of queries, with other words. */
#ifndef TFPROF_DIFF_OPTIONS_H
#define TFPROF_DIFF_OPTIONS_H

#include "diff/diff.h"
#include "query/limit.h"

/* clang-format off */
#define DIFF_OPTIONS(X) \
	X(BASE_STEP, "base_step", "int", "N", NULL, "", \
		"Compare with this step of the base, or of the same profile.") \
	X(MIN_CHANGE, "min_change", "percent", "PERCENT", NULL, "5%", \
		"Treat smaller changes of times as noise; text reports omit their rows.") \
	X(MIN_DELTA_MICROS, "min_delta_micros", "int", "N[UNIT]", NULL, "0", \
		"Treat smaller differences of times as noise; text reports omit their rows.") \
	X(RENAME, "rename", "rules", "REGEX=>TEXT,...", NULL, "", \
		"Rename rows of the base before matching them.") \
	X(NO_GUESS, "no_guess", "bool", "true|false", NULL, "false", \
		"Do not match renamed scopes by their contents.") \
	X(FAIL_IF, "fail_if", "conditions", "[REGEX:]NAME>VALUE,...", NULL, "", \
		"Exit with status 3 if a change exceeds a limit, such as micros>5% or input_share>10pt; with 4 if there " \
		"are too few runs to tell.") \
	X(BUDGETS, "budgets", "file", "FILE", NULL, "", \
		"Read conditions like those of fail_if from a file, one per line.")
#define SHARED_DIFF_OPTIONS(X) \
	X(ORDER_BY, "order_by", "word", "WORD", diff_order_words, "delta", \
		"Sort rows by the size of the change, its percentage, or base, new or name.")
/* clang-format on */

enum diff_option_id {
#define X(id, ...) DIFF_OPT_##id,
	DIFF_OPTIONS(X) SHARED_DIFF_OPTIONS(X)
#undef X
		N_DIFF_OPTIONS
};

/* What a budget can limit besides metrics: numbers of rows. */
enum diff_count { COUNT_ADDED, COUNT_REMOVED, COUNT_RENAMED, COUNT_MOVED, N_DIFF_COUNTS };

struct tfprof_diff_options {
	int64_t base_step; /* -1: not given */
	double min_change; /* 0.05 is 5 % */
	int64_t min_delta_micros;
	rename_rules rules;
	bool no_guess;
	enum diff_order order;
	limits budgets; /* of words of diff_limit_words() */
};

/* The words of budgets: first counts, then the metrics of queries, then other numbers of
 * models, then values of steps. */
const struct limit_word *diff_limit_words(void);
/* The name of the metric that a budget limits; NULL if it limits a count. */
const char *diff_limit_metric(const struct limit *l);
/* The value of steps that it limits (diff/steps.h); N_STEP_VALUES if none. */
unsigned diff_limit_step(const struct limit *l);

#endif
