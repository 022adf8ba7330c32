/* CSV as in RFC 4180: a header, CRLF line ends, quotes where needed. Invalid UTF-8 is
 * replaced as in JSON. On request an apostrophe is put before text that a spreadsheet would take
 * for a formula. */
#include <errno.h>

#include "base/utf8.h"
#include "base/visible.h"
#include "query/format.h"
#include "write/table.h"

static void put_valid(struct sink *out, struct span text)
{
	const unsigned char *at = (const unsigned char *)text.at, *plain = at;
	const unsigned char *end = text.n ? at + text.n : at;

	while (at < end) {
		int length = utf8_sequence(at, (size_t)(end - at));

		if (length > 0) {
			at += length;
			continue;
		}
		sink_put(out, plain, (size_t)(at - plain));
		sink_text(out, UTF8_REPLACEMENT);
		at -= length;
		plain = at;
	}
	sink_put(out, plain, (size_t)(at - plain));
}

static void put_cell(struct sink *out, const char *prefix, struct span text)
{
	const char *at = text.at, *end = text.at + text.n, *quote;

	if (!text.n ||
		(!memchr(at, ',', text.n) && !memchr(at, '"', text.n) &&
			!memchr(at, '\n', text.n) && !memchr(at, '\r', text.n))) {
		sink_text(out, prefix);
		put_valid(out, text);
		return;
	}
	sink_char(out, '"');
	sink_text(out, prefix);
	while ((quote = memchr(at, '"', (size_t)(end - at))) != NULL) {
		put_valid(out, (struct span){at, (size_t)(quote + 1 - at)});
		sink_char(out, '"');
		at = quote + 1;
	}
	put_valid(out, (struct span){at, (size_t)(end - at)});
	sink_char(out, '"');
}

static void put_text(struct sink *out, const char *prefix, struct span text)
{
	struct buf shown = {0};

	if (!out->is_terminal || visible_is_plain(text)) {
		put_cell(out, prefix, text);
		return;
	}
	visible_put(&shown, text);
	if (shown.failed)
		sink_fail(out, ENOMEM);
	else
		put_cell(out, prefix, buf_get(&shown));
	buf_clear(&shown);
}

/* Some spreadsheets skip a leading tab or carriage return, so these count as well. */
static bool starts_formula(struct span text)
{
	return text.n && text.at[0] && strchr("=+-@\t\r", text.at[0]);
}

static void put_value(const struct written *w, const struct cell *c, struct sink *out)
{
	char number[FORMAT_MAX];

	switch (c->type) {
	case CELL_NULL: break;
	case CELL_INT: sink_int(out, c->number); break;
	case CELL_BOOL: sink_text(out, c->number ? "true" : "false"); break;
	case CELL_DOUBLE:
		format_write_double(number, c->real);
		sink_text(out, number);
		break;
	case CELL_TEXT:
		put_text(out, w->formulas_as_text && starts_formula(c->text) ? "'" : "", c->text);
		break;
	}
}

void table_write_csv(struct written *w, struct sink *out)
{
	size_t n_cells = written_n_cells(w), n_rows = written_n_rows(w);

	for (size_t k = 0; k < n_cells; k++) {
		if (k)
			sink_char(out, ',');
		sink_text(out, written_get_name(w, k));
	}
	sink_text(out, "\r\n");
	for (size_t row = 0; row < n_rows && !written_stops(w, out); row++) {
		for (size_t k = 0; k < n_cells; k++) {
			struct cell c = written_get_cell(w, row, k);

			if (k)
				sink_char(out, ',');
			put_value(w, &c, out);
		}
		sink_text(out, "\r\n");
	}
}
