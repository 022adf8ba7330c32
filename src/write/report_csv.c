/* CSV as RFC 4180 has it: a header, CRLF at the end of each line, quotes around
 * what needs them. What is not valid UTF-8 is replaced as in JSON. */
#include "write/report_rows.h"

#include "base/utf8.h"
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

static void put_text(struct sink *out, struct span text)
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

static void put_header(const struct query *q, struct sink *out)
{
	const struct table_field *f;
	size_t at = 0;

	sink_text(out, "id,parent,depth,name,accounted");
	while ((f = table_next_field(q->options->selected, &at)) != NULL) {
		sink_char(out, ',');
		sink_text(out, f->name);
	}
	sink_text(out, "\r\n");
}

static void put_row(const struct query *q, uint32_t i, const struct table_reader *t,
	struct sink *out)
{
	const struct tfprof_row *row = &t->row;
	const struct table_field *f;
	size_t at = 0;

	sink_int(out, i);
	sink_char(out, ',');
	if (row->parent >= 0)
		sink_int(out, row->parent);
	sink_char(out, ',');
	sink_int(out, row->depth);
	sink_char(out, ',');
	put_text(out, buf_get(&t->name));
	sink_text(out, row->accounted ? ",true" : ",false");
	while ((f = table_next_field(q->options->selected, &at)) != NULL) {
		sink_char(out, ',');
		if (f->is_text)
			put_text(out, table_get_text(t, f));
		else
			sink_int(out, table_get_int(t, f));
	}
	sink_text(out, "\r\n");
}

bool report_csv_write(struct query *q, struct sink *out)
{
	struct table_reader t = {.q = q, .selected = q->options->selected};
	bool fine = true;

	put_header(q, out);
	for (uint32_t i = 0; fine && i < q->n && !query_cancelled(q); i++) {
		fine = table_read(&t, i);
		if (fine)
			put_row(q, i, &t, out);
	}
	table_reader_clear(&t);
	return fine;
}
