/* What a model costs: its table, a row for each layer, and its notes. */
#include <math.h>

#include "ask/model_report.h"

/* The columns of a layer: name, type, unit, and its value for numbers. */
#define LAYER_COLUMNS(X)                                                 \
	X(name, TEXT, NULL, 0)                                           \
	X(type, TEXT, NULL, 0)                                           \
	X(output_shape, TEXT, NULL, 0)                                   \
	X(parameters, INT64, "count", l->parameters)                     \
	X(trainable_parameters, INT64, "count", l->trainable_parameters) \
	X(weight_bytes, INT64, "bytes", l->weight_bytes)                 \
	X(macs, INT64, "count", l->cost.macs)                            \
	X(float_ops, INT64, "count", cost_float_ops(l->cost))            \
	X(share, DOUBLE, NULL, 0)                                        \
	X(activation_bytes, INT64, "bytes", l->activation_bytes)         \
	X(moved_bytes, INT64, "bytes", l->moved_bytes)                   \
	X(min_seconds, DOUBLE, "seconds", 0)                             \
	X(times, INT64, "count", l->times)                               \
	X(operations, INT64, "count", (int64_t)l->n_operations)          \
	X(not_counted, INT64, "count", (int64_t)l->n_not_counted)

static const struct tfprof_column_info columns[] = {
#define X(name, type, unit, value) {#name, TFPROF_COLUMN_##type, unit, 0},
	LAYER_COLUMNS(X)
#undef X
};

enum { N_LAYER_COLUMNS = sizeof(columns) / sizeof(*columns) };

enum layer_column {
#define X(name, ...) LAYER_##name,
	LAYER_COLUMNS(X)
#undef X
};

void model_put_shape(struct buf *b, const struct tensor *t)
{
	if (t->rank < 0)
		buf_char(b, '?');
	else if (!t->rank)
		buf_text(b, "scalar");
	for (int d = 0; d < t->rank; d++)
		if (t->dims[d] < 0)
			buf_printf(b, "%s?", d ? "x" : "");
		else
			buf_printf(b, "%s%lld", d ? "x" : "", (long long)t->dims[d]);
}

double model_share(const struct model_report *r, const struct layer *l)
{
	int64_t all = cost_float_ops(r->summary.total.cost);

	return all ? (double)cost_float_ops(l->cost) / (double)all : 0;
}

static int64_t number_of(const struct layer *l, int column)
{
	switch (column) {
#define X(name, type, unit, value) \
	case LAYER_##name: return value;
		LAYER_COLUMNS(X)
#undef X
	}
	return 0;
}

static void put_cell_text(struct buf *b, const struct layer *l, int column)
{
	if (column == LAYER_output_shape)
		model_put_shape(b, &l->out);
	else
		buf_span(b, column == LAYER_name ? l->name : l->type);
}

bool model_make_table(const struct model_report *r, struct column_table *t)
{
	const struct summary *s = &r->summary;

	if (!column_table_init(t, columns, N_LAYER_COLUMNS, s->layers.n))
		return false;
	for (int c = 0; c < N_LAYER_COLUMNS; c++) {
		struct table_column *column = &t->columns[c];

		for (size_t i = 0; i < s->layers.n; i++) {
			const struct layer *l = &s->layers.at[r->order[i]];

			if (columns[c].type == TFPROF_COLUMN_INT64) {
				column->numbers[i] = number_of(l, c);
			} else if (columns[c].type == TFPROF_COLUMN_DOUBLE) {
				column->doubles[i] = c == LAYER_share ? model_share(r, l)
					: r->device.flops > 0         ? l->seconds
								      : NAN;
			} else {
				put_cell_text(&column->bytes, l, c);
				table_end_text(column);
			}
		}
	}
	t->columns[LAYER_min_seconds].view.is_nullable = 1;
	return column_table_finish(t, NULL) == TFPROF_OK;
}

/* ---- notes ---------------------------------------------------------------------- */

void model_collect_notes(const struct model_report *r, struct answer *a)
{
	struct span lines = buf_get(&r->file.notes);
	struct buf text = {0};

	for (size_t i = 0; i < r->walk.notes.n; i++) {
		text.n = 0;
		walk_note_put(&r->walk.notes.at[i], &text);
		answer_note_text(a, walk_note_get_id(&r->walk.notes.at[i]), buf_get(&text));
	}
	if (r->walk.conflict.n) {
		text.n = 0;
		if (r->file.assumes_batch)
			buf_printf(&text,
				"batch %lld does not fit: ", (long long)r->file.batch_size);
		else
			buf_text(&text, "shapes do not fit: ");
		buf_span(&text, buf_get(&r->walk.conflict));
		answer_note_text(a, "shapes_do_not_fit", buf_get(&text));
	}
	for (size_t i = 0; i < r->summary.ops.n; i++)
		if (span_equal(r->summary.ops.at[i].type, SPAN("XlaCallModule")))
			answer_note(a, "stablehlo",
				"the arithmetic of XlaCallModule is StableHLO, which is not read: "
				"count the .keras file");
	if (r->summary.is_saturated)
		answer_note(a, "saturated",
			"a total does not fit in 64 bits and is shown as the largest number that "
			"does");
	for (size_t start = 0, end; start < lines.n; start = end) {
		size_t n = span_find(span_from(lines, start), SPAN("\n"));

		end = start + n + (start + n < lines.n);
		answer_note_text(a, model_file_get_note_id(&r->file, end),
			(struct span){lines.at + start, n});
	}
	a->failed |= text.failed;
	buf_clear(&text);
	for (size_t i = 0; i < a->notes.n; i++)
		a->notes.at[i].is_in_text = true;
}
