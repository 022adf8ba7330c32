/* The rows of a comparison as columns, and these as CSV. */
#include <math.h>
#include <stdio.h>

#include "query/metrics.h"
#include "ask/diff_report.h"

/* id, name, type */
#define LEADING(X)                          \
	X(NAME, "name", TEXT)               \
	X(BASE_NAME, "base_name", TEXT)     \
	X(PARENT, "parent", INT64)          \
	X(DEPTH, "depth", INT64)            \
	X(STATE, "state", TEXT)             \
	X(GUESSED, "guessed", BOOL)         \
	X(BASE_DEVICE, "base_device", TEXT) \
	X(DEVICE, "device", TEXT)

/* Of each metric, after its name: id, suffix, type */
#define OF_METRIC(X)                  \
	X(BASE, "base", INT64)        \
	X(NEW, "new", INT64)          \
	X(DELTA, "delta", INT64)      \
	X(PERCENT, "percent", DOUBLE) \
	X(P, "p", DOUBLE)             \
	X(VERDICT, "verdict", TEXT)   \
	X(GREW, "grew", INT64)        \
	X(SHRANK, "shrank", INT64)    \
	X(ADDED, "added", INT64)      \
	X(REMOVED, "removed", INT64)

enum {
#define X(id, ...) LEADING_##id,
	LEADING(X)
#undef X
		N_LEADING
};

enum {
#define X(id, ...) METRIC_COLUMN_##id,
	OF_METRIC(X)
#undef X
		N_OF_METRIC
};

/* The columns of a comparison, with room for the most metrics there can be. */
struct diff_columns {
	struct tfprof_column_info infos[N_LEADING + SIDE_MAX_METRICS * N_OF_METRIC];
	char names[SIDE_MAX_METRICS * N_OF_METRIC][48];
};

static void name_columns(struct diff_columns *c, const struct diff *d)
{
	static const struct tfprof_column_info leading[] = {
#define X(id, name, type) {name, TFPROF_COLUMN_##type, NULL, 0},
		LEADING(X)
#undef X
	};
	static const struct {
		const char *suffix;
		enum tfprof_column_type type;
	} of_metric[] = {
#define X(id, suffix, type) {suffix, TFPROF_COLUMN_##type},
		OF_METRIC(X)
#undef X
	};

	memcpy(c->infos, leading, sizeof(leading));
	for (size_t m = 0; m < d->n_metrics; m++)
		for (size_t k = 0; k < N_OF_METRIC; k++) {
			size_t i = m * N_OF_METRIC + k;
			bool is_amount = of_metric[k].type == TFPROF_COLUMN_INT64;

			snprintf(c->names[i], sizeof(c->names[i]), "%s_%s", d->metrics[m].name,
				of_metric[k].suffix);
			c->infos[N_LEADING + i] =
				(struct tfprof_column_info){c->names[i], of_metric[k].type,
					is_amount ? unit_names[d->metrics[m].unit] : NULL, 0};
		}
}

static void put_leading(struct table_column *c, const struct diff *d, size_t i)
{
	const struct diff_row *row = &d->rows[i];
	const struct side_row *base = diff_base_row(d, row), *new_row = diff_new_row(d, row);

	table_put_text(&c[LEADING_NAME], diff_name(d, row));
	table_put_text(&c[LEADING_BASE_NAME], base ? base->label : SPAN(""));
	c[LEADING_PARENT].numbers[i] = row->parent == NONE ? -1 : (int64_t)row->parent;
	c[LEADING_DEPTH].numbers[i] = row->depth;
	table_put_text(&c[LEADING_STATE], span_of(diff_state_names[row->state]));
	c[LEADING_GUESSED].numbers[i] = row->is_guessed;
	table_put_text(&c[LEADING_BASE_DEVICE], base ? base->device : SPAN(""));
	table_put_text(&c[LEADING_DEVICE], new_row ? new_row->device : SPAN(""));
}

static void put_number(struct table_column *c, const struct diff_number *n, size_t i)
{
	c[METRIC_COLUMN_BASE].numbers[i] = n->base;
	c[METRIC_COLUMN_NEW].numbers[i] = n->new_value;
	c[METRIC_COLUMN_DELTA].numbers[i] = diff_delta(n);
	c[METRIC_COLUMN_PERCENT].doubles[i] = 100 * diff_ratio(n->base, n->new_value);
	c[METRIC_COLUMN_P].doubles[i] = n->p < 0 ? NAN : n->p;
	table_put_text(&c[METRIC_COLUMN_VERDICT], span_of(diff_verdict_names[n->verdict]));
	c[METRIC_COLUMN_GREW].numbers[i] = n->split.grew;
	c[METRIC_COLUMN_SHRANK].numbers[i] = n->split.shrank;
	c[METRIC_COLUMN_ADDED].numbers[i] = n->split.added;
	c[METRIC_COLUMN_REMOVED].numbers[i] = n->split.removed;
}

static size_t count_columns(const struct diff_report *r)
{
	return N_LEADING + r->diff.n_metrics * N_OF_METRIC;
}

bool diff_name_columns(struct diff_report *r)
{
	r->columns = mem_zero(sizeof(*r->columns));
	if (r->columns)
		name_columns(r->columns, &r->diff);
	return r->columns;
}

enum tfprof_status diff_make_table(struct diff_report *r, struct column_table *t,
	struct tfprof_error *err)
{
	const struct diff *d = &r->diff;

	if (!column_table_init(t, r->columns->infos, count_columns(r), d->n))
		return error_no_memory(err);
	for (size_t i = 0; i < d->n; i++) {
		put_leading(t->columns, d, i);
		for (size_t m = 0; m < d->n_metrics; m++)
			put_number(t->columns + N_LEADING + m * N_OF_METRIC, diff_number(d, i, m),
				i);
	}
	t->columns[LEADING_PARENT].view.is_nullable = true;
	t->is_tree = true;
	return column_table_finish(t, err);
}
