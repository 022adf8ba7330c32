/* Source code with costs in its margin: for a terminal, and as a page of HTML.
 *
 *     train.py
 *        total      %      own   python  line
 *      24.34ms  100.0     12us            35  x = conv(x)
 */
#include <errno.h>

#include "base/visible.h"
#include "query/format.h"
#include "write/answer.h"
#include "write/writer.h"

/* Lines from these shares on stand out. */
#define HOT 0.2
#define WARM 0.05

#define BOLD_RED "\033[1;31m"
#define YELLOW "\033[33m"
#define DIM "\033[2m"
#define BOLD "\033[1m"
#define PLAIN "\033[0m"

/* The columns of the margin: title, column of the table. */
/* clang-format off */
#define MARGIN(X)                              \
	X(TOTAL, "total", "total_exec_micros") \
	X(SHARE, "%", "share")                 \
	X(OWN, "own", "exec_micros")           \
	X(PYTHON, "python", "python_micros")   \
	X(FLOAT_OPS, "float ops", "total_float_ops") \
	X(MEMORY, "memory", "total_requested_bytes")
/* clang-format on */

enum {
#define X(id, ...) MARGIN_##id,
	MARGIN(X)
#undef X
		N_MARGIN
};

static const struct {
	const char *title, *column;
} margin[] = {
#define X(id, title, column) {title, column},
	MARGIN(X)
#undef X
};

enum { WIDTH = 10, LINE_WIDTH = 6 };

static const char legend[] = "total, own: time of operations per step, with and without the "
			     "functions that a line calls, "
			     "summed over threads and devices";
static const char python_legend[] =
	"python: time of a step in which the function that begins at the line runs or waits itself";

struct page {
	const struct column_table *table;
	const struct tfprof_column *depth, *name, *line, *source, *function, *columns[N_MARGIN];
	struct sink *out;
	struct buf text;
};

static void page_init(struct page *p, const struct answer *a, struct sink *out)
{
	const struct column_table *t = &a->table;

	*p = (struct page){.table = t, .out = out};
	p->depth = column_table_find(t, "depth");
	p->name = column_table_find(t, "name");
	p->line = column_table_find(t, "line");
	p->function = column_table_find(t, "function");
	p->source = column_table_find(t, "source");
	for (int i = 0; i < N_MARGIN; i++)
		p->columns[i] = column_table_find(t, margin[i].column);
}

static void page_end(struct page *p)
{
	if (p->text.failed)
		sink_fail(p->out, ENOMEM);
	buf_clear(&p->text);
}

static bool is_file(const struct page *p, size_t row)
{
	return p->depth->numbers[row] == 1;
}

/* Whether lines follow. */
static bool has_lines(const struct page *p, size_t row)
{
	return row + 1 < p->table->n_rows && p->depth->numbers[row + 1] == 2;
}

static bool has_cost(const struct page *p, size_t row)
{
	for (int i = 0; i < N_MARGIN; i++)
		if (p->columns[i] && !table_is_null(p->columns[i], row))
			return true;
	return false;
}

static double share_of(const struct page *p, size_t row)
{
	const struct tfprof_column *c = p->columns[MARGIN_SHARE];

	return c && !table_is_null(c, row) ? c->doubles[row] : 0;
}

/* A number of the margin, in p->text; nothing if there is none. */
static struct span show_number(struct page *p, size_t row, int i)
{
	const struct tfprof_column *c = p->columns[i];

	p->text.n = 0;
	if (table_is_null(c, row))
		return (struct span){"", 0};
	if (i == MARGIN_SHARE)
		buf_printf(&p->text, "%.1f", 100 * c->doubles[row]);
	else if (i == MARGIN_PYTHON)
		format_number(&p->text, UNIT_MICROS, (int64_t)(c->doubles[row] + 0.5));
	else
		format_number(&p->text,
			i == MARGIN_MEMORY              ? UNIT_BYTES
				: i == MARGIN_FLOAT_OPS ? UNIT_COUNT
							: UNIT_MICROS,
			c->numbers[row]);
	return buf_get(&p->text);
}

/* ---- text ------------------------------------------------------------------------------ */

static void put_right(struct sink *out, struct span text, size_t width)
{
	for (size_t n = text.n; n < width; n++)
		sink_char(out, ' ');
	sink_span(out, text);
}

static void put_margin(struct page *p, size_t row)
{
	for (int i = 0; i < N_MARGIN; i++)
		if (p->columns[i])
			put_right(p->out, show_number(p, row, i), WIDTH);
}

static void put_titles(struct page *p)
{
	for (int i = 0; i < N_MARGIN; i++)
		if (p->columns[i])
			put_right(p->out, span_of(margin[i].title), WIDTH);
	put_right(p->out, SPAN("line"), LINE_WIDTH);
	sink_char(p->out, '\n');
}

static void put_colour(const struct page *p, const char *colour)
{
	if (p->out->has_colour)
		sink_text(p->out, colour);
}

static void put_visible(struct page *p, struct span text)
{
	p->text.n = 0;
	visible_put(&p->text, text);
	sink_span(p->out, buf_get(&p->text));
}

/* The text of a line, in p->text, with tabs at its start as blanks; of one that was not recorded,
 * the function. */
static struct span show_source(struct page *p, size_t row)
{
	struct span text = table_text(p->source, row), function = table_text(p->function, row);

	p->text.n = 0;
	if (!text.n && function.n) {
		buf_text(&p->text, "(in ");
		visible_put(&p->text, function);
		buf_char(&p->text, ')');
	}
	for (; text.n && text.at[0] == '\t'; text = span_from(text, 1))
		buf_text(&p->text, "        ");
	visible_put(&p->text, text);
	return buf_get(&p->text);
}

static void put_line(struct page *p, size_t row)
{
	double share = share_of(p, row);

	put_colour(p, share >= HOT ? BOLD_RED : share >= WARM ? YELLOW : "");
	put_margin(p, row);
	put_colour(p, has_cost(p, row) ? PLAIN DIM : DIM);
	p->text.n = 0;
	buf_int(&p->text, p->line->numbers[row]);
	put_right(p->out, buf_get(&p->text), LINE_WIDTH);
	put_colour(p, PLAIN);
	sink_text(p->out, "  ");
	sink_span(p->out, show_source(p, row));
	sink_char(p->out, '\n');
}

static void put_head(struct page *p, size_t row)
{
	put_colour(p, BOLD);
	put_visible(p, table_text(p->name, row));
	put_colour(p, PLAIN);
	sink_char(p->out, '\n');
	put_titles(p);
	put_margin(p, row);
	sink_text(p->out, "   all\n");
}

/* Work without lines, below all files. */
static void put_rest(struct page *p)
{
	bool is_first = true;

	for (size_t row = 1; row < p->table->n_rows; row++) {
		if (!is_file(p, row) || has_lines(p, row))
			continue;
		if (is_first)
			put_titles(p);
		is_first = false;
		put_margin(p, row);
		sink_text(p->out, "        ");
		put_visible(p, table_text(p->name, row));
		sink_char(p->out, '\n');
	}
}

void annotate_text(const struct answer *a, struct sink *out)
{
	struct page p;

	page_init(&p, a, out);
	if (p.columns[MARGIN_TOTAL])
		sink_printf(out, "%s\n", legend);
	if (p.columns[MARGIN_PYTHON])
		sink_printf(out, "%s\n", python_legend);
	sink_char(out, '\n');
	for (size_t row = 1; row < p.table->n_rows && !sink_failed(out); row++) {
		if (!is_file(&p, row)) {
			/* Lines that are left out. */
			if (!is_file(&p, row - 1) &&
				p.line->numbers[row] > p.line->numbers[row - 1] + 1)
				sink_text(out, "\n");
			put_line(&p, row);
		} else if (has_lines(&p, row)) {
			put_head(&p, row);
		}
		if (row + 1 == p.table->n_rows || is_file(&p, row + 1))
			sink_text(out, is_file(&p, row) ? "" : "\n");
	}
	put_rest(&p);
	page_end(&p);
}

/* ---- HTML ------------------------------------------------------------------------------- */

static const char style[] =
	"<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>tfprof "
	"annotate</title>\n<style>\n"
	":root { color-scheme: light dark }\n"
	"body { font: 14px system-ui, sans-serif; margin: 2em }\n"
	"table { border-collapse: collapse; font: 13px ui-monospace, monospace }\n"
	"td, th { padding: 0 .7em; text-align: right; white-space: pre }\n"
	"td:last-child { text-align: left }\n"
	"tr.none td { opacity: .6 }\n"
	"</style></head><body>\n";

/* Of visible text. */
static void put_escaped(struct page *p, struct span text)
{
	for (size_t i = 0; i < text.n; i++)
		switch (text.at[i]) {
		case '&': sink_text(p->out, "&amp;"); break;
		case '<': sink_text(p->out, "&lt;"); break;
		case '>': sink_text(p->out, "&gt;"); break;
		case '"': sink_text(p->out, "&quot;"); break;
		default: sink_char(p->out, text.at[i]);
		}
}

static void put_html_text(struct page *p, struct span text)
{
	p->text.n = 0;
	visible_put(&p->text, text);
	put_escaped(p, buf_get(&p->text));
}

static void put_html_margin(struct page *p, size_t row)
{
	for (int i = 0; i < N_MARGIN; i++)
		if (p->columns[i]) {
			sink_text(p->out, "<td>");
			sink_span(p->out, show_number(p, row, i));
			sink_text(p->out, "</td>");
		}
}

static void put_html_line(struct page *p, size_t row)
{
	double share = share_of(p, row);

	sink_text(p->out, has_cost(p, row) ? "<tr" : "<tr class=\"none\"");
	if (share >= WARM)
		sink_printf(p->out, " style=\"background: rgb(230 80 30 / %d%%)\"",
			(int)(10 + 40 * (share < 1 ? share : 1)));
	sink_text(p->out, ">");
	put_html_margin(p, row);
	sink_printf(p->out, "<td>%lld</td><td>", (long long)p->line->numbers[row]);
	put_escaped(p, show_source(p, row));
	sink_text(p->out, "</td></tr>\n");
}

static void put_html_head(struct page *p, size_t row)
{
	sink_text(p->out, "<h2>");
	put_html_text(p, table_text(p->name, row));
	sink_text(p->out, "</h2>\n<table>\n<tr>");
	for (int i = 0; i < N_MARGIN; i++)
		if (p->columns[i])
			sink_printf(p->out, "<th>%s</th>", margin[i].title);
	sink_text(p->out, "<th>line</th></tr>\n<tr>");
	put_html_margin(p, row);
	sink_text(p->out, "<td>all</td><td></td></tr>\n");
}

static void write_html(const struct answer *a, struct sink *out)
{
	struct page p;

	page_init(&p, a, out);
	sink_text(out, style);
	if (p.columns[MARGIN_TOTAL])
		sink_printf(out, "<p>%s.</p>\n", legend);
	if (p.columns[MARGIN_PYTHON])
		sink_printf(out, "<p>%s.</p>\n", python_legend);
	for (size_t i = 0; i < a->notes.n; i++) {
		sink_text(out, "<p>");
		put_html_text(&p, span_of(a->notes.at[i].text));
		sink_text(out, "</p>\n");
	}
	for (size_t row = 1; row < p.table->n_rows && !sink_failed(out); row++) {
		if (is_file(&p, row))
			put_html_head(&p, row);
		else
			put_html_line(&p, row);
		if (row + 1 == p.table->n_rows || is_file(&p, row + 1))
			sink_text(out, "</table>\n");
	}
	sink_text(out, "</body></html>\n");
	page_end(&p);
}

void html_refuse(const struct query *q, struct buf *why)
{
	buf_text(why, "views cannot be written as html: ask annotate");
}

bool annotate_write(struct answer *a, enum format format, struct sink *out,
	enum tfprof_status *status, struct tfprof_error *err)
{
	if (format == FORMAT_HTML)
		write_html(a, out);
	return format == FORMAT_HTML;
}
