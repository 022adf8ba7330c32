/* What each line of Python costs, and each file: for the question annotate.
 *
 *     tree of stacks      train.py:9 ── model.py:3 ── model.py:7
 *                                    └─ model.py:4 ── model.py:7
 *     own                 operations whose innermost frame of the user's code is the line
 *     total               operations whose stack passes the line, or the file: once, even if it
 *                         calls itself
 *     python              time of a step in which a function that begins there runs or waits
 *
 * Operations of a trace that no line made (view/lineless.h) are lines of files without a name. */
#ifndef TFPROF_ASK_LINE_COSTS_H
#define TFPROF_ASK_LINE_COSTS_H

#include "ask/question.h"
#include "query/metrics.h"

/* The metrics that are added up. */
enum { COST_MICROS, COST_FLOAT_OPS, COST_BYTES, COST_RUNS, N_COSTS };

struct line_cost {
	struct span function, source; /* source: the text of the line as recorded, or empty */
	uint32_t file;
	int32_t line;
	int64_t own[N_COSTS], total[N_COSTS];
	double python_us; /* of a step; 0: none */
};

struct file_cost {
	struct span name; /* its path; of work without a line, its kind */
	bool is_lineless;
	bool is_recorded; /* by stacks of operations: a path */
	int64_t own[N_COSTS], total[N_COSTS];
	double python_us;
};

struct line_costs {
	VEC(struct file_cost) files; /* in the order found; sorted_files: dearest first */
	VEC(struct line_cost) lines; /* by file in this order, and number */
	int64_t total[N_COSTS];
	bool has_python;
	struct hash_index file_index, line_index;
	struct arena arena;
};

/* Clear in any case. */
enum tfprof_status line_costs_read(struct line_costs *c, const struct asked *q,
	struct tfprof_error *err);
void line_costs_clear(struct line_costs *c);

/* The file of a path that may begin elsewhere; NONE if there is none, or if several fit equally
 * well. */
uint32_t line_costs_find_file(const struct line_costs *c, struct span path);

#endif
