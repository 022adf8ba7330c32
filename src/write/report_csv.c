/* CSV as in RFC 4180: a header, CRLF line ends, quotes where needed. Invalid UTF-8 is
 * replaced as in JSON; lists are joined by `|`. On request an apostrophe is put before
 * text that a spreadsheet would take for a formula. */
#include <errno.h>

#include "base/utf8.h"
#include "base/visible.h"
#include "write/csv.h"
#include "write/rows.h"

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

void csv_put_text(struct sink *out, struct span text)
{
	put_text(out, "", text);
}

static void put_header(const struct rows *rows, struct sink *out)
{
	sink_text(out, "id");
	for (size_t k = 0; k < rows->n; k++) {
		sink_char(out, ',');
		sink_text(out, rows->columns[k]->name);
	}
	sink_text(out, "\r\n");
}

/* Some spreadsheets skip a leading tab or carriage return, so these count as well. */
static bool starts_formula(struct span text)
{
	return text.n && text.at[0] && strchr("=+-@\t\r", text.at[0]);
}

static void put_value(const struct writing *w, struct rows *rows, const struct tfprof_column *c,
	uint32_t i)
{
	bool as_text = w->q->options->output.formulas_as_text;
	struct sink *out = w->out;
	struct span text;

	switch (c->type) {
	case TFPROF_COLUMN_TEXT:
	case TFPROF_COLUMN_TEXTS:
		text = rows_text(rows, c, i);
		put_text(out, as_text && starts_formula(text) ? "'" : "", text);
		break;
	case TFPROF_COLUMN_BOOL: sink_text(out, c->numbers[i] ? "true" : "false"); break;
	default:
		if (!c->is_nullable || c->numbers[i] >= 0)
			sink_int(out, c->numbers[i]);
	}
}

enum tfprof_status csv_write(const struct writing *w, struct tfprof_error *err)
{
	/* The order of version 1: depth comes before the name. */
	static const enum column_id first[] = {COLUMN_PARENT, COLUMN_DEPTH, COLUMN_NAME,
		COLUMN_ACCOUNTED};
	struct rows rows;
	enum tfprof_status status = rows_init(&rows, w, first, 4, err);

	if (status == TFPROF_OK)
		put_header(&rows, w->out);
	for (uint32_t i = 0; status == TFPROF_OK && i < w->q->n && !writer_stops(w->q, w->out);
		i++) {
		sink_int(w->out, i);
		for (size_t k = 0; k < rows.n; k++) {
			sink_char(w->out, ',');
			put_value(w, &rows, rows.columns[k], i);
		}
		sink_text(w->out, "\r\n");
	}
	return rows_end(&rows, status, err);
}
