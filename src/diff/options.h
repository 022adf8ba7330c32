/* What a comparison is asked for: the options of diff, read. */
#ifndef TFPROF_DIFF_OPTIONS_H
#define TFPROF_DIFF_OPTIONS_H

#include "diff/diff.h"
#include "query/limit.h"
#include "query/options.h"

/* What a budget can limit besides metrics: numbers of rows. */
enum diff_count { COUNT_ADDED, COUNT_REMOVED, COUNT_RENAMED, COUNT_MOVED, N_DIFF_COUNTS };

struct diff_options {
	double min_change; /* 0.05 is 5 % */
	rename_rules rules;
	limits budgets; /* of words of diff_limit_words() */
};

/* Clear them in any case. */
enum tfprof_status diff_options_read(struct diff_options *d, const struct tfprof_options *o,
	struct tfprof_error *err);
void diff_options_clear(struct diff_options *d);

/* The words of budgets: first counts, then the metrics of queries, then other numbers of
 * models, then values of steps. */
const struct limit_word *diff_limit_words(void);
/* The name of the metric that a budget limits; NULL if it limits a count. */
const char *diff_limit_metric(const struct limit *l);
/* The value of steps that it limits (diff/steps.h); N_STEP_VALUES if none. */
unsigned diff_limit_step(const struct limit *l);

#endif
