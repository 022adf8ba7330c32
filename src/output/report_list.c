/* Lines of op view: `name  value (cumulative%, own%), …`, and below a line the
 * combinations of input shapes its nodes ran with. */
#include <stdlib.h>

#include "output/report.h"

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

static void put_number(const struct query *q, uint32_t row, const struct report_number *column,
	struct buf *b)
{
	int64_t own = q->own[column->metric][row], total = q->total[column->metric][row];
	int64_t root = q->total[column->metric][0];
	bool counts = (column->unit == UNIT_BYTES ? own : total) > 0;

	format_number(b, column->unit, own);
	if (column->metric == METRIC_PARAMS)
		buf_text(b, " params");
	else if (column->metric == METRIC_FLOAT_OPS)
		buf_text(b, " float_ops");
	buf_printf(b, " (%.2f%%, %.2f%%)", counts ? percent(total, root) : 0,
		counts ? percent(own, root) : 0);
}

/* ---- combinations of input shapes ----------------------------------------- */

struct combination {
	struct span text;
	int64_t runs, micros, defined;
};

static int by_text(const void *a, const void *b)
{
	return span_compare(((const struct combination *)a)->text,
		((const struct combination *)b)->text);
}

static int by_runs(const void *a, const void *b)
{
	const struct combination *x = a, *y = b;

	return x->runs != y->runs ? (x->runs < y->runs) - (x->runs > y->runs) : by_text(a, b);
}

/* Sorts by text and adds up what is equal; returns how many are left. */
static size_t merge(struct combination *c, size_t n)
{
	size_t kept = 0;

	if (n)
		qsort(c, n, sizeof(*c), by_text);
	for (size_t i = 0; i < n; i++) {
		if (kept && span_equal(c[kept - 1].text, c[i].text)) {
			c[kept - 1].runs += c[i].runs;
			c[kept - 1].micros += c[i].micros;
			c[kept - 1].defined += c[i].defined;
		} else {
			c[kept++] = c[i];
		}
	}
	if (kept)
		qsort(c, kept, sizeof(*c), by_runs);
	return kept;
}

static void put_combinations(struct query *q, struct report_nodes nodes, struct buf *b)
{
	const struct model *m = q->model;
	struct arena arena = {0};
	struct combination *c = arena_array(&arena, nodes.n, sizeof(*c));
	struct buf text = {0};
	struct numbers numbers;
	size_t n = 0;

	for (size_t i = 0; c && i < nodes.n; i++) {
		if (!query_picks(q, m->nodes.types[nodes.at[i]]))
			continue;
		text.n = 0;
		report_input_shapes(m, &text, nodes.at[i], ",\t");
		metrics_of(m, nodes.at[i], q->options->number[OPT_STEP], &numbers);
		c[n] = (struct combination){arena_copy(&arena, buf_get(&text)),
			numbers.at[METRIC_RUNS], numbers.at[METRIC_MICROS], 1};
		b->failed |= text.failed || !c[n].text.at;
		n++;
	}
	b->failed |= !c;
	buf_char(b, '\n');
	n = c ? merge(c, n) : 0;
	for (size_t i = 0; i < n; i++) {
		buf_text(b, "input_type: ");
		buf_span(b, c[i].text);
		buf_printf(b, "\t(run*%lld|defined*%lld)\texec_time: ", (long long)c[i].runs,
			(long long)c[i].defined);
		format_number(b, UNIT_MICROS, c[i].micros);
		buf_char(b, '\n');
	}
	buf_char(b, '\n');
	buf_clear(&text);
	arena_clear(&arena);
}

/* ---- lines ---------------------------------------------------------------- */

static void put_line(struct query *q, uint32_t row, const struct report_number *numbers, size_t n,
	struct buf *b, struct buf *scratch)
{
	const struct tfprof_options *o = q->options;
	struct span name = row ? model_text(q->model, q->groups->op[q->view[row]]) : SPAN(ROOT_NAME);
	struct report_nodes nodes = report_nodes_of(q, q->view[row]);
	const char *separator = "";

	buf_span(b, name);
	buf_fill(b, ' ', name.n < 25 ? 25 - name.n : 0);
	for (size_t i = 0; i < n; i++) {
		scratch->n = 0;
		put_number(q, row, &numbers[i], scratch);
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
	if (options_select(o, SEL_OCCURRENCE)) {
		scratch->n = 0;
		buf_printf(scratch, "%lld|%lld", (long long)q->own[METRIC_RUNS][row],
			(long long)q->defined[row]);
		put_padded(b, scratch, 10, &separator);
	}
	buf_char(b, '\n');
	if (options_select(o, SEL_INPUT_SHAPES))
		put_combinations(q, nodes, b);
}

void report_list_lines(struct query *q, struct sink *out, struct buf *text)
{
	struct report_number numbers[N_METRICS];
	size_t n = report_numbers(q, numbers);
	struct buf scratch = {0};
	/* The root has a line only where there is nothing else. */
	uint32_t first = q->groups->n ? 1 : 0;

	for (uint32_t i = first; i < q->n && !query_cancelled(q); i++) {
		put_line(q, i, numbers, n, text, &scratch);
		if (text->n >= REPORT_CHUNK)
			report_flush(text, out);
	}
	report_flush(text, out);
	text->failed |= scratch.failed;
	buf_clear(&scratch);
}
