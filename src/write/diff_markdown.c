/* A comparison for a pull request: a table of what changed. Names are untrusted: nothing in them
 * may become a link, a mention, markup or the end of a cell. */
#include <strings.h>

#include "base/visible.h"
#include "query/format.h"
#include "write/diff.h"

enum { MOST_ROWS = 100 };

/* Mentions, references and addresses are recognized in the rendered text, where an entity is the
 * character it stands for; a zero-width space breaks them up. */
static bool begins_link(const struct buf *text, size_t i)
{
	char c = text->at[i];

	if (c == ':')
		return i + 1 < text->n && text->at[i + 1] == '/';
	if (c == 'w' || c == 'W')
		return i >= 2 && text->n - i >= 2 && strncasecmp(text->at + i - 2, "www.", 4) == 0;
	return c == '@' || c == '#';
}

/* Everything that Markdown or HTML could take for markup is written as an entity. */
void diff_put_markdown(struct buf *b, struct span text)
{
	struct buf shown = {0};

	visible_put(&shown, text);
	for (size_t i = 0; i < shown.n; i++) {
		unsigned char c = (unsigned char)shown.at[i];

		if (c < 0x80 &&
			!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 "
				"/.,-+",
				c))
			buf_printf(b, "&#%d;", c);
		else
			buf_char(b, (char)c);
		if (begins_link(&shown, i))
			buf_text(b, "&#8203;");
	}
	b->failed |= shown.failed;
	buf_clear(&shown);
}

static void put_row(const struct diff_report *r, size_t i, size_t metric, struct buf *b)
{
	const struct diff *d = &r->diff;
	const struct diff_row *row = &d->rows[i];
	const struct diff_number *n = diff_number(d, i, metric);
	enum unit unit = d->metrics[metric].unit;
	bool has_verdict = row->state != DIFF_ADDED && row->state != DIFF_REMOVED;
	struct buf state = {0};

	buf_text(b, "| ");
	for (uint32_t k = 1; k < row->depth && !r->is_list && k < 20; k++)
		buf_text(b, "&emsp;");
	diff_put_markdown(b, i ? diff_name(d, row) : SPAN("total"));
	buf_text(b, " | ");
	if (row->state != DIFF_ADDED)
		format_number(b, unit, n->base);
	buf_text(b, " | ");
	if (row->state != DIFF_REMOVED)
		format_number(b, unit, n->new_value);
	buf_text(b, " | ");
	diff_put_delta(b, unit, diff_delta(n));
	buf_text(b, " | ");
	diff_put_percent(b, n->base, n->new_value);
	buf_text(b, " | ");
	if (has_verdict && n->verdict == VERDICT_NOISE)
		buf_text(b, "\\~");
	else if (has_verdict)
		buf_text(b, diff_verdict_marks[n->verdict]);
	diff_put_state(r, row, &state);
	if (state.n)
		buf_char(b, ' ');
	diff_put_markdown(b, buf_get(&state));
	buf_clear(&state);
	buf_text(b, " |\n");
}

static void put_table(const struct diff_report *r, const bool *shown, size_t metric, struct buf *b)
{
	size_t n = 0;

	buf_text(b, "\n| ");
	diff_put_markdown(b, span_of(r->diff.metrics[metric].name));
	buf_text(b, " | base | new | delta | change | |\n|---|--:|--:|--:|--:|---|\n");
	for (size_t i = 0; i < r->diff.n; i++) {
		const struct diff_row *row = &r->diff.rows[i];

		if (!shown[i] || row->depth >= r->max_depth)
			continue;
		if (n++ < MOST_ROWS)
			put_row(r, i, metric, b);
	}
	if (n > MOST_ROWS)
		buf_printf(b, "\n%zu more rows\n", n - MOST_ROWS);
}

/* Lines of the summary and of budgets, as a list. */
static void put_lines(struct buf *b, struct span lines)
{
	while (lines.n) {
		size_t n = span_find(lines, SPAN("\n"));

		buf_text(b, "- ");
		diff_put_markdown(b, (struct span){lines.at, n});
		buf_char(b, '\n');
		n += n < lines.n;
		lines.at += n;
		lines.n -= n;
	}
}

void diff_write_markdown(const struct diff_report *r, struct sink *out)
{
	struct buf b = {0}, lines = {0};
	size_t n_hidden;
	bool *shown = diff_choose_rows(r, &n_hidden);

	diff_put_summary(r, &lines);
	for (size_t i = 0; i < r->budgets.n; i++)
		diff_put_budget(r, &r->budgets.at[i], &lines);
	put_lines(&b, buf_get(&lines));
	if (shown && r->is_of_models)
		diff_models_markdown(r, shown, MOST_ROWS, &b);
	for (size_t m = 0; shown && !r->is_of_models && m < r->diff.n_metrics; m++)
		put_table(r, shown, m, &b);
	sink_span(out, buf_get(&b));
	if (!shown || b.failed || lines.failed)
		sink_fail(out, 12);
	buf_clear(&b);
	buf_clear(&lines);
	mem_free(shown);
}
