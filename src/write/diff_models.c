/* A comparison of two models as one table: what each layer has and costs on both sides.
 *
 *               | params               MACs                 memory
 *               | base   new  change   base   new  change   base     new      change
 *     total     | 5.58k  …
 */
#include "base/clamped.h"
#include "base/utf8.h"
#include "base/visible.h"
#include "query/format.h"
#include "query/model_options.h"
#include "write/diff.h"

enum { N_GROUPS = 3, N_CELLS = 2 + 3 * N_GROUPS };

/* Metrics of a model by their place among them. */
enum {
#define X(word, value) NUMBER_##word,
	MODEL_NUMBERS(X)
#undef X
		N_NUMBERS
};

/* What the table shows: a metric, or the sum of two. */
static const struct {
	const char *name;
	int metric, plus; /* -1: none */
	enum unit unit;
} groups[N_GROUPS] = {{"params", NUMBER_params, -1, UNIT_COUNT},
	{"MACs", NUMBER_macs, -1, UNIT_COUNT},
	{"memory", NUMBER_weight_bytes, NUMBER_activation_bytes, UNIT_BYTES}};

static void get_numbers(const struct diff *d, size_t row, size_t group, int64_t *base,
	int64_t *new_value)
{
	const struct diff_number *n = diff_number(d, row, (size_t)groups[group].metric), *plus;

	*base = n->base;
	*new_value = n->new_value;
	if (groups[group].plus < 0)
		return;
	plus = diff_number(d, row, (size_t)groups[group].plus);
	*base = clamped_sum(*base, plus->base);
	*new_value = clamped_sum(*new_value, plus->new_value);
}

static void fill(struct buf *cells, const struct diff_report *r, size_t i)
{
	const struct diff_row *row = &r->diff.rows[i];

	for (size_t k = 0; k < N_CELLS; k++)
		cells[k].n = 0;
	visible_put(&cells[0], i ? diff_name(&r->diff, row) : SPAN("total"));
	for (size_t g = 0; g < N_GROUPS; g++) {
		struct buf *at = &cells[1 + 3 * g];
		int64_t base, new_value;

		get_numbers(&r->diff, i, g, &base, &new_value);
		if (row->state == DIFF_ADDED)
			buf_text(&at[0], "--");
		else
			format_number(&at[0], groups[g].unit, base);
		if (row->state == DIFF_REMOVED)
			buf_text(&at[1], "--");
		else
			format_number(&at[1], groups[g].unit, new_value);
		if (row->state != DIFF_ADDED && row->state != DIFF_REMOVED)
			diff_put_percent(&at[2], base, new_value);
	}
	diff_put_state(r, row, &cells[N_CELLS - 1]);
}

static void put_line(const struct buf *cells, const size_t *widths, struct sink *out)
{
	size_t last = N_CELLS;

	while (last > 1 && !cells[last - 1].n)
		last--;
	for (size_t k = 0; k < last; k++) {
		sink_span(out, buf_get(&cells[k]));
		if (k + 1 == last)
			break;
		for (size_t n = utf8_width(buf_get(&cells[k])); n < widths[k]; n++)
			sink_char(out, ' ');
		sink_text(out, k == 0 ? " | " : k % 3 == 0 && k + 2 < N_CELLS ? "   " : "  ");
	}
	sink_char(out, '\n');
}

static void fill_head(struct buf *cells, bool is_first)
{
	static const char *const heads[3] = {"base", "new", "change"};

	for (size_t k = 0; k < N_CELLS; k++)
		cells[k].n = 0;
	buf_text(&cells[0], is_first ? "layer" : "");
	for (size_t k = 0; k < 3 * N_GROUPS; k++)
		buf_text(&cells[1 + k],
			!is_first            ? heads[k % 3]
				: k % 3 == 0 ? groups[k / 3].name
					     : "");
}

/* Totals that have no column. */
static void put_totals(const struct diff_report *r, struct buf *line)
{
	static const int others[] = {NUMBER_trainable_params, NUMBER_float_ops};

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		const struct diff_number *n = diff_number(&r->diff, 0, (size_t)others[i]);

		buf_printf(line, "%s%s ", i ? ", " : "total: ", r->diff.metrics[others[i]].name);
		format_number(line, UNIT_COUNT, n->base);
		buf_text(line, " to ");
		format_number(line, UNIT_COUNT, n->new_value);
		if (n->base && n->base != n->new_value) {
			buf_text(line, " (");
			diff_put_percent(line, n->base, n->new_value);
			buf_char(line, ')');
		}
	}
	buf_char(line, '\n');
}

/* The i-th line: two of the head, then the rows; false if it is not shown. */
static bool fill_line(struct buf *cells, const struct diff_report *r, const bool *shown, size_t i)
{
	if (i < 2)
		fill_head(cells, i == 0);
	else if (shown[i - 2])
		fill(cells, r, i - 2);
	return i < 2 || shown[i - 2];
}

void diff_models_text(const struct diff_report *r, const bool *shown, struct sink *out)
{
	struct buf cells[N_CELLS] = {{0}}, totals = {0};
	size_t widths[N_CELLS] = {0};

	for (size_t i = 0; i < r->diff.n + 2; i++) {
		if (!fill_line(cells, r, shown, i))
			continue;
		for (size_t k = 0; k < N_CELLS; k++) {
			size_t width = utf8_width(buf_get(&cells[k]));

			widths[k] = width > widths[k] ? width : widths[k];
		}
	}
	for (size_t i = 0; i < r->diff.n + 2; i++) {
		if (!fill_line(cells, r, shown, i))
			continue;
		put_line(cells, widths, out);
	}
	put_totals(r, &totals);
	sink_span(out, buf_get(&totals));
	buf_clear(&totals);
	for (size_t k = 0; k < N_CELLS; k++)
		buf_clear(&cells[k]);
}

void diff_models_markdown(const struct diff_report *r, const bool *shown, size_t most,
	struct buf *b)
{
	struct buf cells[N_CELLS] = {{0}};
	size_t n = 0;

	buf_text(b, "\n| layer |");
	for (size_t g = 0; g < N_GROUPS; g++)
		buf_printf(b, " %s, base | new | change |", groups[g].name);
	buf_text(b, " |\n|---|");
	for (size_t k = 0; k < 3 * N_GROUPS; k++)
		buf_text(b, "--:|");
	buf_text(b, "---|\n");
	for (size_t i = 0; i < r->diff.n; i++) {
		if (!shown[i] || n++ >= most)
			continue;
		fill(cells, r, i);
		for (size_t k = 0; k < N_CELLS; k++) {
			buf_text(b, k ? " | " : "| ");
			diff_put_markdown(b, buf_get(&cells[k]));
		}
		buf_text(b, " |\n");
	}
	if (n > most)
		buf_printf(b, "\n%zu more rows\n", n - most);
	buf_text(b, "\n- ");
	put_totals(r, b);
	for (size_t k = 0; k < N_CELLS; k++)
		buf_clear(&cells[k]);
}
