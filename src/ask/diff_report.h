/* A comparison: the detail of the answer to `diff`. */
#ifndef TFPROF_ASK_DIFF_REPORT_H
#define TFPROF_ASK_DIFF_REPORT_H

#include "diff/budget.h"
#include "query/table.h"

struct diff_report {
	struct diff diff;
	limits limits; /* what the budgets refer to */
	budgets budgets;
	const char *view;             /* "op", or "model" */
	VEC(char *) base, new_names;  /* of the runs */
	uint32_t max_depth;           /* of text */
	bool is_list;                 /* one level, without scopes */
	bool is_of_models;            /* files; always a list */
	struct diff_columns *columns; /* what they are called, once they are made */
};

/* Names the columns; call before the next one. False on allocation failure. */
bool diff_name_columns(struct diff_report *r);
/* The columns of the rows; their names belong to the report. */
enum tfprof_status diff_make_table(struct diff_report *r, struct column_table *table,
	struct tfprof_error *err);

/* ---- for reports ------------------------------------------------------------------ */

/* "+38.12ms", "-4", "0" */
void diff_put_delta(struct buf *b, enum unit unit, int64_t delta);
/* "+11.9%", "new" if there was nothing, "" if nothing changed */
void diff_put_percent(struct buf *b, int64_t base, int64_t new_value);
/* "op: 6 runs against 4; 1 added, …", and a line for each thing found or guessed. */
void diff_put_summary(const struct diff_report *r, struct buf *b);
/* "renamed a/b → c/d (guess), moved from x to y": empty if the row is unchanged. */
void diff_put_state(const struct diff_report *r, const struct diff_row *row, struct buf *b);
/* Which rows reports show: notable ones and their ancestors. NULL on allocation failure. */
bool *diff_choose_rows(const struct diff_report *r, size_t *n_hidden);
/* One line about a budget. */
void diff_put_budget(const struct diff_report *r, const struct budget *budget, struct buf *b);

#endif
