/* Lines of op view: `name  value (cumulative%, own%), …`, followed by the combinations
 * of input shapes its nodes ran with. */
#include "query/combinations.h"
#include "write/report.h"

static void put_padded(struct buf *b, struct buf *piece, size_t width, const char **separator)
{
	buf_text(b, *separator);
	*separator = ", ";
	buf_fill(b, ' ', piece->n < width ? width - piece->n : 0);
	buf_span(b, buf_get(piece));
	b->failed |= piece->failed;
}

static double percent(int64_t part, int64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static void put_number(const struct query *q, uint32_t row, enum metric metric, struct buf *b)
{
	int64_t own = query_own(q, metric, row);
	int64_t total = query_total(q, metric, row);
	int64_t root = query_total(q, metric, 0);
	bool counts = (metric_infos[metric].unit == UNIT_BYTES ? own : total) > 0;

	format_like_tensorflow(b, metric_infos[metric].unit, own);
	if (metric_infos[metric].list_suffix)
		buf_text(b, metric_infos[metric].list_suffix);
	buf_printf(b, " (%.2f%%, %.2f%%)", counts ? percent(total, root) : 0,
		counts ? percent(own, root) : 0);
}

/* ---- combinations of input shapes ----------------------------------------- */

static void put_combinations(struct query *q, struct row_nodes nodes, struct buf *b)
{
	struct combinations c;

	b->failed |= !combinations_make(&c, q, nodes, ",\t");
	buf_char(b, '\n');
	for (size_t i = 0; i < c.n; i++) {
		buf_text(b, "input_type: ");
		buf_span(b, c.at[i].text);
		buf_printf(b, "\t(run*%lld|defined*%lld)\texec_time: ", (long long)c.at[i].runs,
			(long long)c.at[i].defined);
		format_like_tensorflow(b, UNIT_MICROS, c.at[i].micros);
		buf_char(b, '\n');
	}
	buf_char(b, '\n');
	combinations_clear(&c);
}

/* ---- lines ---------------------------------------------------------------- */

static void put_line(struct query *q, uint32_t row, const enum metric *numbers, size_t n,
	struct buf *b, struct buf *scratch)
{
	const struct tfprof_options *o = q->options;
	struct row_nodes nodes = query_nodes(q, q->view[row]);
	const char *separator = "";
	size_t start = b->n, width;

	report_name(q, b, tree_label(q->tree, q->view[row]));
	width = b->n - start;
	buf_fill(b, ' ', width < 25 ? 25 - width : 0);
	for (size_t i = 0; i < n; i++) {
		scratch->n = 0;
		put_number(q, row, numbers[i], scratch);
		put_padded(b, scratch, 30, &separator);
	}
	if (options_select(o, SEL_DEVICE)) {
		scratch->n = 0;
		report_devices(q, scratch, nodes);
		put_padded(b, scratch, 0, &separator);
	}
	if (options_select(o, SEL_OP_TYPES)) {
		scratch->n = 0;
		report_types(q, scratch, nodes);
		put_padded(b, scratch, 0, &separator);
	}
	if (options_select(o, SEL_KIND)) {
		scratch->n = 0;
		query_put_kind(q, (uint32_t)row, scratch);
		put_padded(b, scratch, 0, &separator);
	}
	if (options_select(o, SEL_THREADS)) {
		scratch->n = 0;
		report_threads(q, row, scratch);
		put_padded(b, scratch, 10, &separator);
	}
	if (options_select(o, SEL_OCCURRENCE)) {
		scratch->n = 0;
		buf_printf(scratch, "%lld|%lld", (long long)query_own(q, METRIC_OCCURRENCE, row),
			(long long)query_defined(q, row));
		put_padded(b, scratch, 10, &separator);
	}
	buf_char(b, '\n');
	if (row && options_select(o, SEL_INPUT_SHAPES))
		put_combinations(q, nodes, b);
}

bool report_list_lines(struct query *q, struct sink *out)
{
	enum metric numbers[N_METRICS];
	size_t n = report_numbers(q, numbers);
	struct buf text = {0}, scratch = {0};
	bool ok;
	/* The root has a line only if there is nothing else. */
	uint32_t first = q->tree->n > 1 ? 1 : 0;

	for (uint32_t i = first; i < q->n && !writer_stops(q, out); i++) {
		put_line(q, i, numbers, n, &text, &scratch);
		sink_span(out, buf_get(&text));
		text.n = 0;
	}
	ok = !text.failed && !scratch.failed;
	buf_clear(&text);
	buf_clear(&scratch);
	return ok;
}
