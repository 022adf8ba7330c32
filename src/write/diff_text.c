/* A comparison as a report: a block for each metric; of models, one table (diff_models.c).
 *
 *     op: 5 runs against 5; 1 added, 0 removed, 0 renamed
 *     micros    | base      new       delta     change  p
 *     total     | 1.61sec   1.65sec   +38.12ms  +2.4%   0.010  ~
 */
#include "base/utf8.h"
#include "base/visible.h"
#include "query/format.h"
#include "write/diff.h"

enum { N_CELLS = 7 };

/* The cells of a line: name, base, new, delta, change, p, what it means. */
struct cells {
	struct buf at[N_CELLS];
	size_t width[N_CELLS];
};

static void put_split(struct buf *b, enum unit unit, const struct diff_split *s)
{
	const struct {
		const char *name;
		int64_t value;
	} parts[] = {{"grew", s->grew}, {"shrank", s->shrank}, {"added", s->added},
		{"removed", s->removed}};
	size_t n = 0, k = 0;

	for (size_t i = 0; i < 4; i++)
		n += parts[i].value != 0;
	if (n < 2)
		return;
	buf_text(b, b->n ? " (" : "(");
	for (size_t i = 0; i < 4; i++) {
		if (!parts[i].value)
			continue;
		buf_printf(b, "%s%s ", k++ ? ", " : "", parts[i].name);
		diff_put_delta(b, unit, parts[i].value);
	}
	buf_char(b, ')');
}

static void put_meaning(const struct diff_report *r, const struct diff_row *row,
	const struct diff_number *n, enum unit unit, struct buf *b)
{
	buf_text(b,
		row->state == DIFF_ADDED || row->state == DIFF_REMOVED
			? ""
			: diff_verdict_marks[n->verdict]);
	if (b->n && (row->state != DIFF_SAME || row->is_moved))
		buf_text(b, ", ");
	diff_put_state(r, row, b);
	if (row->has_children && !r->is_list)
		put_split(b, unit, &n->split);
}

static void fill(struct cells *c, const struct diff_report *r, size_t i, size_t metric)
{
	const struct diff *d = &r->diff;
	const struct diff_row *row = &d->rows[i];
	const struct diff_number *n = diff_number(d, i, metric);
	enum unit unit = d->metrics[metric].unit;
	bool tested = n->p >= 0 && d->base.runs.n + d->new_side.runs.n > 2 &&
		n->verdict != VERDICT_UNKNOWN && row->state != DIFF_ADDED &&
		row->state != DIFF_REMOVED;

	for (size_t k = 0; k < N_CELLS; k++)
		c->at[k].n = 0;
	if (i && !r->is_list)
		buf_fill(&c->at[0], ' ', 2 * (size_t)row->depth);
	visible_put(&c->at[0], i ? diff_name(d, row) : SPAN("total"));
	if (row->state == DIFF_ADDED)
		buf_text(&c->at[1], "--");
	else
		format_number(&c->at[1], unit, n->base);
	if (row->state == DIFF_REMOVED)
		buf_text(&c->at[2], "--");
	else
		format_number(&c->at[2], unit, n->new_value);
	diff_put_delta(&c->at[3], unit, diff_delta(n));
	diff_put_percent(&c->at[4], n->base, n->new_value);
	if (tested && n->base != n->new_value)
		buf_printf(&c->at[5], "%.3f", n->p);
	put_meaning(r, row, n, unit, &c->at[6]);
}

static void put_line(struct cells *c, struct sink *out)
{
	size_t last = N_CELLS;

	while (last > 1 && !c->at[last - 1].n)
		last--;
	for (size_t k = 0; k < last; k++) {
		sink_span(out, buf_get(&c->at[k]));
		if (k + 1 == last)
			break;
		for (size_t n = utf8_width(buf_get(&c->at[k])); n < c->width[k]; n++)
			sink_char(out, ' ');
		sink_text(out, k ? "  " : " | ");
	}
	sink_char(out, '\n');
}

static void put_head(struct cells *c, const char *metric, bool is_time, struct sink *out)
{
	const char *const heads[N_CELLS] = {metric, "base", "new", "delta", "change",
		is_time ? "p" : "", ""};

	for (size_t k = 0; k < N_CELLS; k++) {
		c->at[k].n = 0;
		buf_text(&c->at[k], heads[k]);
	}
	put_line(c, out);
}

static void widen(struct cells *c, const struct diff_report *r, size_t i, size_t metric)
{
	fill(c, r, i, metric);
	for (size_t k = 0; k < N_CELLS; k++) {
		size_t width = utf8_width(buf_get(&c->at[k]));

		c->width[k] = width > c->width[k] ? width : c->width[k];
	}
}

/* A list omits rows that are equal in this metric; a tree keeps them, as ancestors of others. */
static bool is_in_text(const struct diff_report *r, const bool *shown, size_t i, size_t metric)
{
	const struct diff_row *row = &r->diff.rows[i];
	bool is_listed = !i || !r->is_list || row->state != DIFF_SAME || row->is_moved ||
		diff_number(&r->diff, i, metric)->verdict != VERDICT_EQUAL;

	return shown[i] && is_listed && row->depth < r->max_depth;
}

static void put_metric(const struct diff_report *r, const bool *shown, size_t metric,
	struct sink *out)
{
	const struct diff *d = &r->diff;
	const char *name = d->metrics[metric].name;
	struct cells c = {.width = {strlen(name), 4, 3, 5, 6, 0, 0}};

	c.width[5] = diff_is_time(&d->metrics[metric]) ? 5 : 0;
	for (size_t i = 0; i < d->n; i++)
		if (is_in_text(r, shown, i, metric))
			widen(&c, r, i, metric);
	put_head(&c, name, diff_is_time(&d->metrics[metric]), out);
	for (size_t i = 0; i < d->n; i++)
		if (is_in_text(r, shown, i, metric)) {
			fill(&c, r, i, metric);
			put_line(&c, out);
		}
	for (size_t k = 0; k < N_CELLS; k++)
		buf_clear(&c.at[k]);
}

void diff_text(const struct answer *a, struct sink *out)
{
	const struct diff_report *r = a->detail;
	struct buf summary = {0};
	size_t n_hidden = 0;
	bool *shown = diff_choose_rows(r, &n_hidden);

	diff_put_summary(r, &summary);
	sink_span(out, buf_get(&summary));
	buf_clear(&summary);
	if (shown && r->is_of_models)
		diff_models_text(r, shown, out);
	for (size_t m = 0; shown && !r->is_of_models && m < r->diff.n_metrics; m++) {
		if (m)
			sink_char(out, '\n');
		put_metric(r, shown, m, out);
	}
	if (shown && n_hidden)
		sink_printf(out, "%zu row%s with smaller or no changes %s omitted\n", n_hidden,
			n_hidden == 1 ? "" : "s", n_hidden == 1 ? "is" : "are");
	if (!shown)
		sink_fail(out, 12);
	mem_free(shown);
}
