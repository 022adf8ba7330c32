/* One side of a comparison: the rows of its runs, joined by name, and a number per row,
 * run and metric.
 *
 *     run ── steps, each a table of rows ──> median over the steps
 *     side ── rows: name, parent, …
 *          ── runs[k]: values[row * n_metrics + metric]
 *
 * Parents come before their children. A row that a run does not have counts 0 there. */
#ifndef TFPROF_DIFF_SIDE_H
#define TFPROF_DIFF_SIDE_H

#include "diff/steps.h"
#include "base/arena.h"
#include "base/hash.h"
#include "base/vec.h"

enum { SIDE_MAX_METRICS = 16 };

struct side_row {
	struct span name;   /* what it is joined by */
	struct span label;  /* what it is called */
	uint64_t type;      /* hash of its operation type; 0: a scope */
	struct span device; /* empty: unknown */
	uint32_t parent;    /* NONE: the root */
	uint32_t seen;      /* in this table, numbered from 1 */
	uint64_t
		kind; /* of a layer with a generated name: hash of what is not generated; 0: else */
	int64_t batch; /* the first dimension of what it works on; -1: unknown */
};

typedef VEC(int64_t) side_values;

struct side {
	bool by_parent; /* names belong to their parents; equal ones are joined in order */
	size_t n_metrics;
	VEC(struct side_row) rows;
	VEC(side_values) runs;
	VEC(side_values) steps; /* of the run being read */
	uint32_t expected;      /* the row that probably comes next in a table */
	uint32_t table;         /* the one being read, numbered from 1 */
	struct hash_index index;
	size_t n_indexed;
	struct step_side walls; /* of traces: steps on the clock */
	int64_t only_step;      /* of the run being read; negative: all */
	struct arena arena;     /* of texts */
	bool failed;            /* allocation failed */
};

void side_init(struct side *s, size_t n_metrics, bool by_parent);
void side_clear(struct side *s);

/* Starts the table of a further step of the run, of about n rows. */
void side_begin_table(struct side *s, size_t n);
/* The row of a name, added if it is new; `parent` is a row or NONE. NONE on allocation
 * failure. A new row has no more than name, label and parent: *is_new tells. */
uint32_t side_add(struct side *s, uint32_t parent, struct span name, bool *is_new);
/* Adds to a number of the table begun last. */
void side_add_value(struct side *s, uint32_t row, size_t metric, int64_t value);
/* Ends a run: its numbers are the medians of its steps. */
void side_end_run(struct side *s);

/* The row of a name, starting the search at row `hint`; NONE if there is none. */
uint32_t side_find(struct side *s, uint32_t parent, struct span name, uint32_t hint);

static inline int64_t side_get(const struct side *s, size_t run, uint32_t row, size_t metric)
{
	size_t i = (size_t)row * s->n_metrics + metric;

	return i < s->runs.at[run].n ? s->runs.at[run].at[i] : 0;
}

#endif
