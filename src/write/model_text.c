/* The report on a model: a table by layer, then totals, one line each. */
#include "ask/model_report.h"
#include "write/answer.h"

#include <errno.h>
#include <stdio.h>

#include "base/utf8.h"
#include "base/visible.h"

/* ---- numbers -------------------------------------------------------------------- */

/* 3,538,984 */
static void put_exact(struct buf *b, int64_t n)
{
	char digits[BUF_INT_MAX + 1];
	int length = snprintf(digits, sizeof(digits), "%lld", (long long)n);

	for (int i = 0; i < length; i++) {
		if (i && (length - i) % 3 == 0 && digits[i - 1] != '-')
			buf_char(b, ',');
		buf_char(b, digits[i]);
	}
}

/* 300.77M */
static void put_short(struct buf *b, double n, const char *units)
{
	static const double factors[] = {1e3, 1e6, 1e9, 1e12, 1e15, 1e18};
	int i = -1;

	while (i < 5 && n >= factors[i + 1] * 0.99995)
		i++;
	if (i < 0)
		buf_printf(b, "%.0f", n);
	else
		buf_printf(b, "%.2f%c", n / factors[i], units[i]);
}

static void put_count(struct buf *b, int64_t n)
{
	put_short(b, (double)n, "kMGTPE");
}

/* 14.16 MB */
static void put_bytes(struct buf *b, int64_t n)
{
	static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
	double value = (double)n;
	int i = 0;

	while (i < 6 && value >= 999.95) {
		value /= 1000;
		i++;
	}
	if (i)
		buf_printf(b, "%.2f %s", value, units[i]);
	else
		buf_printf(b, "%.0f B", value);
}

static void put_seconds(struct buf *b, double s)
{
	if (s >= 1)
		buf_printf(b, "%.2f s", s);
	else if (s >= 1e-3)
		buf_printf(b, "%.2f ms", s * 1e3);
	else
		buf_printf(b, "%.2f us", s * 1e6);
}

/* ---- the table ------------------------------------------------------------------ */
enum { LEFT_CELLS = 3, OPS_CELL = 5, MAX_CELLS = 9, MAX_NAME = 60 };

static const char *const headers[MAX_CELLS] = {"layer", "type", "output", "parameters", "MACs",
	"FLOPs", "share", "bytes", "at least"};

struct cells {
	struct buf text[MAX_CELLS];
	int n;
};

static void clear_cells(struct cells *c)
{
	for (int i = 0; i < MAX_CELLS; i++)
		buf_clear(&c->text[i]);
}

static void put_name(struct buf *b, struct span name)
{
	if (name.n > MAX_NAME) {
		buf_text(b, "...");
		name = (struct span){name.at + name.n - (MAX_NAME - 3), MAX_NAME - 3};
	}
	visible_put(b, name);
}

static void fill_cells(const struct model_report *r, const struct layer *l, struct cells *c)
{
	const struct layer *total = &r->summary.total;
	bool is_total = l == total;
	double all = (double)cost_float_ops(total->cost), own = (double)cost_float_ops(l->cost);

	for (int i = 0; i < MAX_CELLS; i++)
		c->text[i].n = 0;
	c->n = r->device.flops > 0 ? MAX_CELLS : MAX_CELLS - 2;
	put_name(&c->text[0], is_total ? SPAN("total") : l->name);
	if (!is_total) {
		put_name(&c->text[1], l->type);
		if (l->times > 1)
			buf_printf(&c->text[1], " x%lld", (long long)l->times);
		if (l->out.rank >= 0)
			model_put_shape(&c->text[2], &l->out);
		if (all > 0)
			buf_printf(&c->text[6], "%.2f%%", 100 * own / all);
	}
	put_exact(&c->text[3], l->parameters);
	put_count(&c->text[4], l->cost.macs);
	put_count(&c->text[5], cost_float_ops(l->cost));
	if (l->n_not_counted && !is_total)
		buf_char(&c->text[5], '?');
	if (c->n == MAX_CELLS) {
		put_bytes(&c->text[7], l->moved_bytes);
		put_seconds(&c->text[8], l->seconds);
	}
}

static void widen(size_t *widths, const struct cells *c)
{
	for (int i = 0; i < c->n; i++) {
		size_t width = utf8_width(buf_get(&c->text[i]));

		widths[i] = width > widths[i] ? width : widths[i];
	}
}

static void write_cells(const struct cells *c, const size_t *widths, struct sink *out)
{
	struct buf line = {0};

	for (int i = 0; i < c->n; i++) {
		size_t pad = widths[i] - utf8_width(buf_get(&c->text[i]));

		if (i)
			buf_text(&line, "  ");
		if (i >= LEFT_CELLS)
			buf_fill(&line, ' ', pad);
		buf_span(&line, buf_get(&c->text[i]));
		if (i < LEFT_CELLS)
			buf_fill(&line, ' ', pad);
	}
	while (line.n && line.at[line.n - 1] == ' ')
		line.n--;
	sink_span(out, buf_get(&line));
	sink_char(out, '\n');
	buf_clear(&line);
}

static void write_table(const struct model_report *r, struct sink *out)
{
	const struct summary *s = &r->summary;
	size_t widths[MAX_CELLS] = {0};
	struct cells c = {0};

	for (size_t i = 0; i <= s->layers.n; i++) {
		fill_cells(r, i < s->layers.n ? &s->layers.at[i] : &s->total, &c);
		widen(widths, &c);
	}
	for (int i = 0; i < c.n; i++) {
		c.text[i].n = 0;
		/* Those of a quantized model are on integers, too. */
		buf_text(&c.text[i], i == OPS_CELL && s->total.integer_macs ? "ops" : headers[i]);
	}
	widen(widths, &c);
	write_cells(&c, widths, out);
	for (size_t i = 0; i < s->layers.n; i++) {
		fill_cells(r, &s->layers.at[r->order[i]], &c);
		write_cells(&c, widths, out);
	}
	fill_cells(r, &s->total, &c);
	write_cells(&c, widths, out);
	clear_cells(&c);
}

/* ---- totals --------------------------------------------------------------------- */

static void put_parameters(const struct model_report *r, struct buf *b)
{
	const struct summary *s = &r->summary;

	buf_text(b, "parameters   ");
	put_exact(b, s->total.parameters);
	buf_text(b, " (");
	put_bytes(b, s->total.weight_bytes);
	buf_text(b, s->dtypes.n > 1 ? ":" : "");
	for (size_t i = 0; i < s->dtypes.n; i++) {
		buf_printf(b, "%s %s", i ? "," : "", dtype_text(s->dtypes.at[i].dtype));
		if (s->dtypes.n > 1) {
			buf_char(b, ' ');
			put_bytes(b, s->dtypes.at[i].bytes);
		}
	}
	buf_char(b, ')');
	if (!r->file.hides_training) {
		buf_text(b, ": ");
		put_exact(b, s->total.trainable_parameters);
		buf_text(b, " trainable, ");
		put_exact(b, s->total.parameters - s->total.trainable_parameters);
		buf_text(b, " not");
	}
	buf_char(b, '\n');
}

/* What a total of float operations leaves out: " (2 kinds of operations not counted: Einsum x18,
 * …)" */
static void put_not_counted(const struct model_report *r, struct buf *b)
{
	const struct summary *s = &r->summary;
	const char *what = r->file.is_of_layers ? "layer" : "operation";
	size_t n = 0, n_listed = 0;

	for (size_t i = 0; i < s->ops.n; i++)
		n += s->ops.at[i].n_not_counted > 0;
	if (!n)
		return;
	buf_printf(b, " (%zu kind%s of %ss not counted: ", n, n == 1 ? "" : "s", what);
	for (size_t i = 0; i < s->ops.n && n_listed < 3; i++) {
		if (!s->ops.at[i].n_not_counted)
			continue;
		buf_text(b, n_listed++ ? ", " : "");
		put_name(b, s->ops.at[i].type);
		buf_printf(b, " x%zu", s->ops.at[i].n_not_counted);
	}
	buf_text(b, n > n_listed ? ", ...)" : ")");
}

static void put_operations(const struct model_report *r, struct buf *b)
{
	const struct layer *total = &r->summary.total;
	const struct cost *cost = &total->cost;
	int64_t integer = layer_integer_ops(total), all = cost_float_ops(*cost);

	buf_text(b, "operations   ");
	put_count(b, cost->macs);
	buf_text(b, " multiply-accumulates; ");
	if (integer) {
		put_count(b, integer);
		buf_text(b, " integer operations and ");
	}
	put_count(b, all > integer ? all - integer : 0);
	buf_text(b, " float operations");
	put_not_counted(r, b);
	if (!integer) {
		buf_text(b, " = 2 x MACs + ");
		put_count(b, cost->others);
		buf_text(b, " others");
	}
	buf_char(b, '\n');
}

static void put_memory(const struct model_report *r, struct buf *b)
{
	const struct summary *s = &r->summary;

	buf_text(b, "activations  ");
	put_bytes(b, s->total.activation_bytes);
	buf_text(b, " in total, at most ");
	put_bytes(b, s->peak_bytes);
	buf_text(b, " at a time");
	if (s->peak_layer != NONE) {
		buf_text(b, " (at ");
		buf_span(b, s->layers.at[s->peak_layer].name);
		buf_char(b, ')');
	}
	buf_char(b, '\n');
}

static void put_bound(const struct model_report *r, struct buf *b)
{
	const struct layer *total = &r->summary.total;

	if (!(r->device.flops > 0))
		return;
	buf_text(b, "roofline     at least ");
	put_seconds(b, total->seconds);
	buf_printf(b, " on %s (", r->device.name);
	put_short(b, r->device.flops, "kMGTPE");
	buf_printf(b, "FLOP/s%s%s, ", r->device.dtype ? " " : "",
		r->device.dtype ? r->device.dtype : "");
	put_short(b, r->device.bandwidth, "kMGTPE");
	buf_printf(b, "B/s); %.2f float operations per byte\n",
		total->moved_bytes
			? (double)cost_float_ops(total->cost) / (double)total->moved_bytes
			: 0.0);
}

static void put_coverage(const struct model_report *r, struct buf *b)
{
	const struct summary *s = &r->summary;
	size_t n = s->total.n_operations, missing = s->total.n_not_counted, n_listed = 0;
	const char *what = r->file.is_of_layers ? "layers" : "operations";

	if (walk_is_cut(&r->walk))
		buf_printf(b, "counted      %zu %s, not all there are (see the note)", n - missing,
			what);
	else
		buf_printf(b, "counted      %zu of %zu %s (%.1f%%)", n - missing, n, what,
			n ? 100 * (double)(n - missing) / (double)n : 100.0);
	for (size_t i = 0; i < s->ops.n; i++) {
		if (!s->ops.at[i].n_not_counted)
			continue;
		if (n_listed++ == 20) {
			buf_text(b, ", ...");
			break;
		}
		buf_printf(b, "%s%zu ", n_listed == 1 ? "; not counted: " : ", ",
			s->ops.at[i].n_not_counted);
		put_name(b, s->ops.at[i].type);
	}
	buf_char(b, '\n');
}

/* ---- all ------------------------------------------------------------------------ */

static void put_title(const struct model_report *r, struct buf *b)
{
	buf_printf(b, "%s: %s", r->name, r->file.format);
	if (r->file.title.n) {
		buf_text(b, r->file.keras ? " " : ", ");
		visible_put(b, buf_get(&r->file.title));
	}
	for (size_t i = 0; i < r->file.inputs.n; i++) {
		const struct model_input *in = &r->file.inputs.at[i];

		buf_text(b, i ? ", " : "  (input ");
		visible_put(b, in->name);
		buf_char(b, ' ');
		model_put_shape(b, &in->tensor);
		buf_printf(b, " %s", dtype_text(in->tensor.dtype));
	}
	if (r->file.inputs.n)
		buf_printf(b, "%s)",
			r->file.assumes_batch && !r->options->number[OPT_BATCH_SIZE]
				? "; batch 1 assumed"
				: "");
	buf_char(b, '\n');
}

/* Escapes control characters: names come from files, also within sentences. */
static void write_visible(struct buf *b, struct sink *out)
{
	struct buf shown = {0};

	visible_put_slow(&shown, buf_get(b), true);
	sink_span(out, buf_get(&shown));
	if (b->failed || shown.failed)
		sink_fail(out, ENOMEM);
	buf_clear(&shown);
	b->n = 0;
}

void cost_text(const struct answer *a, struct sink *out)
{
	const struct model_report *r = a->detail;
	struct buf b = {0};

	put_title(r, &b);
	write_visible(&b, out);
	write_table(r, out);
	put_parameters(r, &b);
	if (r->summary.total.n_operations) {
		put_operations(r, &b);
		put_memory(r, &b);
		put_bound(r, &b);
		put_coverage(r, &b);
	}
	for (size_t i = 0; i < a->notes.n; i++)
		if (a->notes.at[i].is_in_text)
			buf_printf(&b, "note         %s\n", a->notes.at[i].text);
	write_visible(&b, out);
	buf_clear(&b);
}
