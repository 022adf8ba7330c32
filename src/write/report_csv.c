/* CSV as in RFC 4180: a header, CRLF line ends, quotes where needed. Invalid UTF-8 is
 * replaced as in JSON; lists are joined by `|`. */
#include "base/utf8.h"
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

void csv_put_text(struct sink *out, struct span text)
{
	const char *at = text.at, *end = text.at + text.n, *quote;

	if (!text.n ||
		(!memchr(at, ',', text.n) && !memchr(at, '"', text.n) &&
			!memchr(at, '\n', text.n) && !memchr(at, '\r', text.n))) {
		put_valid(out, text);
		return;
	}
	sink_char(out, '"');
	while ((quote = memchr(at, '"', (size_t)(end - at))) != NULL) {
		put_valid(out, (struct span){at, (size_t)(quote + 1 - at)});
		sink_char(out, '"');
		at = quote + 1;
	}
	put_valid(out, (struct span){at, (size_t)(end - at)});
	sink_char(out, '"');
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

static void put_value(struct rows *rows, const struct tfprof_column *c, uint32_t i,
	struct sink *out)
{
	switch (c->type) {
	case TFPROF_COLUMN_TEXT:
	case TFPROF_COLUMN_TEXTS: csv_put_text(out, rows_text(rows, c, i)); break;
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
	for (uint32_t i = 0; status == TFPROF_OK && i < w->q->n && !query_cancelled(w->q); i++) {
		sink_int(w->out, i);
		for (size_t k = 0; k < rows.n; k++) {
			sink_char(w->out, ',');
			put_value(&rows, rows.columns[k], i, w->out);
		}
		sink_text(w->out, "\r\n");
	}
	return rows_end(&rows, status, err);
}
