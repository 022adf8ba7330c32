/* A comparison of two sides, row by row:
 *
 *     base side ─┐
 *                ├─ matches ─> rows, numbers ─> verdicts, splits ─> display order
 *     new side  ─┘
 *
 * Rows are those of the new side and, among them, those that only the base has. A number is
 * the median of a side's runs. Of a time, a difference is believed if the runs tell it from
 * noise and it is large enough; all other metrics are exact. */
#ifndef TFPROF_DIFF_DIFF_H
#define TFPROF_DIFF_DIFF_H

#include "diff/match.h"
#include "query/metric_list.h"
#include "query/options.h"

/* id, name in JSON and columns */
#define DIFF_STATES(X)        \
	X(SAME, "same")       \
	X(ADDED, "added")     \
	X(REMOVED, "removed") \
	X(RENAMED, "renamed")

/* id, name, what reports print; the first two are for times */
#define DIFF_VERDICTS(X)              \
	X(EQUAL, "equal", "")         \
	X(SLOWER, "slower", "slower") \
	X(FASTER, "faster", "faster") \
	X(MORE, "more", "more")       \
	X(LESS, "less", "less")       \
	X(NOISE, "indistinct", "~")   \
	X(UNKNOWN, "too few runs", "?")

enum diff_state {
#define X(id, name) DIFF_##id,
	DIFF_STATES(X)
#undef X
		N_DIFF_STATES
};

enum diff_verdict {
#define X(id, name, mark) VERDICT_##id,
	DIFF_VERDICTS(X)
#undef X
};

extern const char *const diff_state_names[];
extern const char *const diff_verdict_names[], *const diff_verdict_marks[];

/* A metric of a comparison. Times need statistics. */
struct diff_metric {
	const char *name; /* "micros" */
	enum unit unit;
	int64_t minimum; /* reports show rows that reach it on one side */
};

static inline bool diff_is_time(const struct diff_metric *m)
{
	return m->unit == UNIT_MICROS;
}

/* How a scope's change comes about; the parts add up to it. */
struct diff_split {
	int64_t grew, shrank, added, removed;
};

struct diff_number {
	int64_t base, new_value; /* medians of the runs */
	double p, adjusted_p;    /* of times; -1: not tested */
	struct diff_split split;
	enum diff_verdict verdict;
};

struct diff_row {
	uint32_t base_row, new_row; /* of the sides; NONE: it has none */
	uint32_t parent;            /* NONE: the root */
	uint32_t place;             /* in `numbers` */
	uint32_t depth;
	enum diff_state state;
	bool is_guessed; /* renamed, by structure */
	bool is_moved;   /* to another device */
	bool has_children;
};

struct diff_settings {
	double min_change; /* smaller changes of times are no verdict: 0.05 is 5 % */
	int64_t min_delta_micros;
	enum diff_order order;
	struct match_options match;
};

struct diff {
	struct side base, new_side; /* filled by the caller */
	struct diff_metric metrics[SIDE_MAX_METRICS];
	size_t n_metrics;
	struct diff_settings settings;

	struct diff_row *rows; /* in display order; the first is the total */
	size_t n;
	struct diff_number *numbers; /* place * n_metrics + metric */
	size_t n_of[N_DIFF_STATES];  /* rows of each state, without the root */
	size_t n_guessed, n_moved, n_lines_moved;
	size_t n_tests;      /* rows that statistics were asked about, per metric at most */
	struct buf headline; /* what changed of the step; empty without traces */
	struct {
		int64_t from, to;
		size_t n_rows, n_known;
	} batch; /* the usual change of first dimensions; n_rows 0: none */
};

/* Compares the sides. */
enum tfprof_status diff_run(struct diff *d, struct tfprof_error *err);
void diff_clear(struct diff *d);

/* ---- rows ----------------------------------------------------------------------- */

static inline struct diff_number *diff_number(const struct diff *d, size_t row, size_t metric)
{
	return &d->numbers[d->rows[row].place * d->n_metrics + metric];
}

static inline int64_t diff_delta(const struct diff_number *n)
{
	return (int64_t)((uint64_t)n->new_value - (uint64_t)n->base);
}

/* Relative to the base; infinite where that is 0. */
double diff_ratio(int64_t base, int64_t new_value);

static inline const struct side_row *diff_base_row(const struct diff *d, const struct diff_row *r)
{
	return r->base_row == NONE ? NULL : &d->base.rows.at[r->base_row];
}

static inline const struct side_row *diff_new_row(const struct diff *d, const struct diff_row *r)
{
	return r->new_row == NONE ? NULL : &d->new_side.rows.at[r->new_row];
}

/* What it is called now, or was. */
static inline struct span diff_name(const struct diff *d, const struct diff_row *r)
{
	const struct side_row *row = diff_new_row(d, r);

	return row ? row->label : diff_base_row(d, r)->label;
}

/* Whether a report shows the row: it is new, gone, renamed or moved, or some number changed
 * by at least what the settings require. */
bool diff_is_notable(const struct diff *d, size_t row);

/* ---- verdicts --------------------------------------------------------------------- */

/* The numbers of some rows, added up run by run, are compared as one. */
enum tfprof_status diff_compare_rows(const struct diff *d, const uint32_t *rows, size_t n,
	size_t metric, struct diff_sum *sum, struct tfprof_error *err);

#endif
