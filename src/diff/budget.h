/* Checks budgets: limits on what a comparison found. */
#ifndef TFPROF_DIFF_BUDGET_H
#define TFPROF_DIFF_BUDGET_H

#include "diff/options.h"

/* id, name in JSON and messages */
#define BUDGET_STATES(X)    \
	X(WITHIN, "within") \
	X(OVER, "over")     \
	X(UNKNOWN, "unknown")

enum budget_state {
#define X(id, name) BUDGET_##id,
	BUDGET_STATES(X)
#undef X
};

extern const char *const budget_state_names[];

/* A budget that was checked. Its numbers are of the total, of all rows that match its
 * regex together, or a count of rows. */
struct budget {
	const struct limit *limit;
	enum budget_state state;
	bool is_count;
	bool is_share; /* of a step, in millionths */
	bool is_of_steps;
	enum unit unit;
	size_t n_rows; /* that match; without a regex 1 */
	struct diff_sum sum;
};

typedef VEC(struct budget) budgets;

/* Metrics that are not compared are an error. */
enum tfprof_status budgets_check(budgets *out, const struct diff *d, const limits *list,
	struct tfprof_error *err);

#endif
