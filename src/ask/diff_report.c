/* What the reports of a comparison have in common. */
#include <math.h>

#include "base/visible.h"
#include "diff/sample.h"
#include "ask/diff_report.h"
#include "query/format.h"

void diff_put_delta(struct buf *b, enum unit unit, int64_t delta)
{
	if (delta)
		buf_char(b, delta < 0 ? '-' : '+');
	format_number(b, unit, delta < 0 && delta != INT64_MIN ? -delta : delta);
}

void diff_put_percent(struct buf *b, int64_t base, int64_t new_value)
{
	double percent = 100 * diff_ratio(base, new_value);

	if (base == new_value)
		return;
	if (isinf(percent))
		buf_text(b, "new");
	else if (fabs(percent) >= 1000)
		buf_printf(b, "%+.0f%%", percent);
	else
		buf_printf(b, "%+.1f%%", percent);
}

/* ---- summary ---------------------------------------------------------------------- */

static void put_runs(struct buf *b, size_t n)
{
	buf_printf(b, "%zu run%s", n, n == 1 ? "" : "s");
}

static void put_renamed_scopes(const struct diff_report *r, struct buf *b)
{
	enum { MOST = 10 };
	const struct diff *d = &r->diff;
	size_t n = 0;

	for (size_t i = 1; i < d->n; i++) {
		const struct diff_row *row = &d->rows[i];
		const struct diff_row *parent = &d->rows[row->parent];

		if (row->state != DIFF_RENAMED || parent->state == DIFF_RENAMED || n++ >= MOST)
			continue;
		buf_text(b, row->is_guessed ? "guessed: " : "by rule: ");
		visible_put(b, diff_base_row(d, row)->label);
		buf_text(b, " is now ");
		visible_put(b, diff_name(d, row));
		buf_char(b, '\n');
	}
	if (n > MOST)
		buf_printf(b, "and %zu more\n", n - MOST);
}

/* Says so if there are too few runs for statistics. */
static void put_too_few(const struct diff_report *r, struct buf *b)
{
	const struct diff *d = &r->diff;
	size_t n_base = d->base.runs.n, n_new = d->new_side.runs.n, unknown = 0;

	for (size_t m = 0; m < d->n_metrics; m++)
		for (size_t i = 0; i < d->n; i++)
			unknown += diff_number(d, i, m)->verdict == VERDICT_UNKNOWN;
	if (!unknown)
		return;
	if (sample_smallest_p(n_base, n_new) > 0.05)
		buf_text(b,
			"?: too few runs to tell a change of time from noise; compare at least "
			"4 runs with 4\n");
	else
		buf_printf(b,
			"?: too few runs to tell which of %zu rows changed; the total can be "
			"told\n",
			d->n_tests);
}

void diff_put_summary(const struct diff_report *r, struct buf *b)
{
	const struct diff *d = &r->diff;

	if (d->headline.n) {
		buf_span(b, buf_get(&d->headline));
		buf_char(b, '\n');
	}
	buf_printf(b, "%s: ", r->view);
	put_runs(b, d->new_side.runs.n);
	buf_printf(b, " against %zu; %zu added, %zu removed, %zu renamed", d->base.runs.n,
		d->n_of[DIFF_ADDED], d->n_of[DIFF_REMOVED], d->n_of[DIFF_RENAMED]);
	if (d->n_guessed)
		buf_printf(b, " (%zu guessed)", d->n_guessed);
	if (d->n_moved)
		buf_printf(b, ", %zu moved to another device", d->n_moved);
	if (d->n_lines_moved)
		buf_printf(b, ", %zu lines of code moved", d->n_lines_moved);
	buf_char(b, '\n');
	if (d->batch.n_rows && 2 * d->batch.n_rows > d->batch.n_known)
		buf_printf(b,
			"batch size: the first dimension of %zu of %zu shapes changed from %lld "
			"to %lld\n",
			d->batch.n_rows, d->batch.n_known, (long long)d->batch.from,
			(long long)d->batch.to);
	put_renamed_scopes(r, b);
	put_too_few(r, b);
}

/* ---- rows ------------------------------------------------------------------------- */

void diff_put_state(const struct diff_report *r, const struct diff_row *row, struct buf *b)
{
	const struct side_row *base = diff_base_row(&r->diff, row);

	if (row->state == DIFF_RENAMED) {
		buf_text(b, row->is_guessed ? "renamed (guessed) from " : "renamed from ");
		visible_put(b, base->label);
	} else if (row->state != DIFF_SAME) {
		buf_text(b, diff_state_names[row->state]);
	}
	if (row->is_moved) {
		buf_text(b, row->state == DIFF_SAME ? "moved from " : ", moved from ");
		visible_put(b, base->device);
		buf_text(b, " to ");
		visible_put(b, diff_new_row(&r->diff, row)->device);
	}
}

bool *diff_choose_rows(const struct diff_report *r, size_t *n_hidden)
{
	const struct diff *d = &r->diff;
	bool *shown = mem_zero_array(d->n + 1, sizeof(*shown));

	*n_hidden = 0;
	for (size_t i = d->n; shown && i-- > 0;) {
		const struct diff_row *row = &d->rows[i];
		const struct diff_row *parent = i ? &d->rows[row->parent] : NULL;
		/* The top of a new, removed or renamed scope stands for all of it. */
		bool is_implied = parent && row->state != DIFF_SAME &&
			parent->state == row->state && !row->is_moved;

		shown[i] |= !i || (diff_is_notable(d, i) && !is_implied);
		*n_hidden += !shown[i];
		if (shown[i] && i)
			shown[row->parent] = true;
	}
	return shown;
}

/* ---- budgets ---------------------------------------------------------------------- */

static void put_shares(const struct budget *b, struct buf *line)
{
	double base = (double)b->sum.base / 1e4, new_value = (double)b->sum.new_value / 1e4;

	buf_printf(line, "%.1f%% to %.1f%%, %+.1fpt, p=%.3f", base, new_value, new_value - base,
		b->sum.p);
}

static void put_numbers(const struct budget *b, struct buf *line)
{
	if (b->is_share) {
		put_shares(b, line);
		return;
	}
	format_number(line, b->unit, b->sum.base);
	buf_text(line, " to ");
	format_number(line, b->unit, b->sum.new_value);
	buf_text(line, ", ");
	diff_put_delta(line, b->unit,
		diff_delta(
			&(struct diff_number){.base = b->sum.base, .new_value = b->sum.new_value}));
	if (b->sum.base && b->sum.base != b->sum.new_value) {
		buf_text(line, ", ");
		diff_put_percent(line, b->sum.base, b->sum.new_value);
	}
	if (b->sum.p >= 0)
		buf_printf(line, ", p=%.3f", b->sum.p);
}

void diff_put_budget(const struct diff_report *r, const struct budget *b, struct buf *line)
{
	const struct diff *d = &r->diff;

	buf_text(line, "budget ");
	visible_put(line, span_of(b->limit->text));
	buf_printf(line, ": %s: ",
		b->state == BUDGET_UNKNOWN ? "cannot tell" : budget_state_names[b->state]);
	if (b->is_count) {
		buf_printf(line, "%lld\n", (long long)b->sum.new_value);
		return;
	}
	if (!b->n_rows) {
		buf_text(line, "no row matches\n");
		return;
	}
	if (b->is_of_steps && (!d->base.walls.steps.n || !d->new_side.walls.steps.n)) {
		buf_text(line, "only traces tell it, and a side has none with steps\n");
		return;
	}
	put_numbers(b, line);
	if (!b->sum.is_decidable && b->is_of_steps)
		buf_printf(line, "; %zu against %zu steps are too few: compare at least 4 with 4",
			d->new_side.walls.steps.n, d->base.walls.steps.n);
	else if (!b->sum.is_decidable)
		buf_printf(line, "; %zu against %zu runs are too few: compare at least 4 with 4",
			d->new_side.runs.n, d->base.runs.n);
	else if (!b->sum.is_distinct)
		buf_text(line, ", not distinguishable from noise");
	buf_char(line, '\n');
}
