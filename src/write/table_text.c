/* Tables for people: aligned text, and Markdown. Names are indented by depth; id, parent and
 * depth are not shown; numbers are shortened by unit; a cell without a value is empty. */
#include <errno.h>
#include <stdio.h>

#include "base/visible.h"
#include "query/metrics.h"
#include "query/format.h"
#include "write/table.h"

/* The cells that are shown, the name first. */
struct layout {
	struct written *w;
	size_t cells[256], widths[256];
	const struct tfprof_column *columns[256]; /* of them; NULL: none */
	size_t n;
	size_t depth; /* the cell of the depth */
	struct buf text;
};

/* Signatures of kernels take a thousand letters: other formats have them. */
static bool is_shown(const char *name)
{
	return strcmp(name, "full_name") != 0 && strcmp(name, "id") != 0 &&
		strcmp(name, "parent") != 0 && strcmp(name, "depth") != 0 &&
		strcmp(name, "name") != 0;
}

static size_t find_cell(const struct written *w, const char *name)
{
	size_t k = 0;

	while (k < written_n_cells(w) && strcmp(written_get_name(w, k), name) != 0)
		k++;
	return k;
}

static const struct tfprof_column *column_of(const struct written *w, size_t cell)
{
	const char *name = written_get_name(w, cell);

	for (size_t i = 0; i < w->n_columns; i++)
		if (strcmp(w->columns[i]->name, name) == 0)
			return w->columns[i];
	return NULL;
}

static bool has_values(struct written *w, size_t cell)
{
	for (size_t row = 0; row < written_n_rows(w); row++)
		if (written_get_cell(w, row, cell).type != CELL_NULL)
			return true;
	return false;
}

/* Columns without any value are left out. */
static void layout_init(struct layout *l, struct written *w)
{
	enum { MOST = sizeof(l->cells) / sizeof(*l->cells) };
	size_t n = written_n_cells(w);

	*l = (struct layout){.w = w, .n = 1, .depth = find_cell(w, "depth")};
	l->cells[0] = find_cell(w, "name");
	for (size_t k = 0; k < n && l->n < MOST; k++)
		if (is_shown(written_get_name(w, k)) && has_values(w, k))
			l->cells[l->n++] = k;
	for (size_t i = 0; i < l->n; i++)
		l->columns[i] = column_of(w, l->cells[i]);
}

static bool is_number(const struct layout *l, size_t i)
{
	const struct tfprof_column *c = l->columns[i];

	return c && (c->type == TFPROF_COLUMN_INT64 || c->type == TFPROF_COLUMN_DOUBLE);
}

static void put_number(struct buf *b, const char *unit, const struct cell *c)
{
	double value = c->type == CELL_DOUBLE ? c->real : (double)c->number;

	for (enum unit u = UNIT_COUNT; unit && u <= UNIT_BYTES; u++)
		if (strcmp(unit, unit_names[u]) == 0 && fabs(value) < 9e18) {
			if (value < 0)
				buf_char(b, '-');
			if (u == UNIT_MICROS && c->type == CELL_DOUBLE && fabs(value) < 1000)
				buf_printf(b, "%.2fus", fabs(value));
			else
				format_number(b, u, (int64_t)llround(fabs(value)));
			return;
		}
	if (unit && strcmp(unit, "fraction") == 0)
		buf_printf(b, "%.1f%%", 100 * value);
	else if (c->type == CELL_DOUBLE)
		buf_printf(b, "%.4g", value);
	else
		buf_int(b, c->number);
}

/* The text of a cell, in `l->text`. */
static struct span show(struct layout *l, size_t row, size_t i, const char *indent)
{
	const struct tfprof_column *column = l->columns[i];
	struct cell depth = i ? (struct cell){0} : written_get_cell(l->w, row, l->depth);
	struct cell c;

	l->text.n = 0;
	for (int64_t d = 1; i == 0 && d < depth.number; d++)
		buf_text(&l->text, indent);
	c = written_get_cell(l->w, row, l->cells[i]);
	switch (c.type) {
	case CELL_NULL: break;
	case CELL_BOOL: buf_text(&l->text, c.number ? "true" : "false"); break;
	case CELL_TEXT: visible_put(&l->text, c.text); break;
	default: put_number(&l->text, column ? column->unit : NULL, &c);
	}
	return buf_get(&l->text);
}

/* "busy_micros" is shown with its unit in each cell. */
static struct span title_of(const struct layout *l, size_t i)
{
	static const char *const units[] = {"_micros", "_bytes"};
	struct span title = span_of(i ? written_get_name(l->w, l->cells[i]) : "name");

	for (size_t k = 0; is_number(l, i) && k < sizeof(units) / sizeof(*units); k++) {
		size_t n = strlen(units[k]);

		if (title.n > n && memcmp(title.at + title.n - n, units[k], n) == 0)
			title.n -= n;
	}
	return title;
}

/* A root that only holds the others has nothing to show. */
static size_t first_row(const struct layout *l)
{
	for (size_t i = 1; i < l->n; i++)
		if (written_get_cell(l->w, 0, l->cells[i]).type != CELL_NULL)
			return 0;
	return written_n_rows(l->w) > 1;
}

/* How many characters; others than ASCII are as wide as most terminals show them. */
static size_t width_of(struct span text)
{
	size_t n = 0;

	for (size_t i = 0; i < text.n; i++)
		n += ((unsigned char)text.at[i] & 0xc0) != 0x80;
	return n;
}

static void layout_measure(struct layout *l)
{
	size_t n_rows = written_n_rows(l->w);

	for (size_t i = 0; i < l->n; i++)
		l->widths[i] = width_of(title_of(l, i));
	for (size_t row = first_row(l); row < n_rows; row++)
		for (size_t i = 0; i < l->n; i++) {
			size_t width = width_of(show(l, row, i, "  "));

			l->widths[i] = width > l->widths[i] ? width : l->widths[i];
		}
}

static void put_padded(const struct layout *l, size_t i, struct span text, struct sink *out)
{
	size_t pad = l->widths[i] - width_of(text);
	bool is_right = i && is_number(l, i);

	if (i)
		sink_text(out, "  ");
	for (size_t k = 0; is_right && k < pad; k++)
		sink_char(out, ' ');
	sink_span(out, text);
	for (size_t k = 0; !is_right && i + 1 < l->n && k < pad; k++)
		sink_char(out, ' ');
}

static void layout_end(struct layout *l, struct sink *out)
{
	if (l->text.failed)
		sink_fail(out, ENOMEM);
	buf_clear(&l->text);
}

void table_write_text(struct written *w, struct sink *out)
{
	size_t n_rows = written_n_rows(w);
	struct layout l;

	layout_init(&l, w);
	layout_measure(&l);
	for (size_t i = 0; i < l.n; i++)
		put_padded(&l, i, title_of(&l, i), out);
	sink_char(out, '\n');
	for (size_t row = first_row(&l); row < n_rows && !written_stops(w, out); row++) {
		for (size_t i = 0; i < l.n; i++)
			put_padded(&l, i, show(&l, row, i, "  "), out);
		sink_char(out, '\n');
	}
	layout_end(&l, out);
}

/* ---- Markdown ----------------------------------------------------------------- */

static void put_escaped(struct span text, struct sink *out)
{
	for (size_t i = 0; i < text.n; i++) {
		if (strchr("|\\`*_<>[]", text.at[i]) && text.at[i])
			sink_char(out, '\\');
		sink_char(out, text.at[i]);
	}
}

void table_write_markdown(struct written *w, struct sink *out)
{
	size_t n_rows = written_n_rows(w);
	struct layout l;

	layout_init(&l, w);
	for (size_t i = 0; i < l.n; i++) {
		sink_text(out, "| ");
		put_escaped(title_of(&l, i), out);
		sink_char(out, ' ');
	}
	sink_text(out, "|\n");
	for (size_t i = 0; i < l.n; i++)
		sink_text(out, i && is_number(&l, i) ? "|---:" : "|---");
	sink_text(out, "|\n");
	for (size_t row = first_row(&l); row < n_rows && !written_stops(w, out); row++) {
		for (size_t i = 0; i < l.n; i++) {
			sink_text(out, "| ");
			put_escaped(show(&l, row, i, "\u2003"), out);
			sink_char(out, ' ');
		}
		sink_text(out, "|\n");
	}
	layout_end(&l, out);
}
