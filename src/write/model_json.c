/* What a model costs, as JSON and columns. */
#include <math.h>

#include "write/model_report.h"

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

static double share_of(const struct model_report *r, const struct layer *l)
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
				column->doubles[i] = c == LAYER_share ? share_of(r, l)
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

/* ---- JSON ----------------------------------------------------------------------- */

static void put_dims(struct json *j, const char *key, const struct tensor *t)
{
	json_key(j, key);
	if (t->rank < 0) {
		json_null(j);
		return;
	}
	json_open_array(j);
	for (int d = 0; d < t->rank; d++)
		if (t->dims[d] < 0)
			json_null(j);
		else
			json_int(j, t->dims[d]);
	json_close_array(j);
}

static void put_numbers(struct json *j, const struct model_report *r, const struct layer *l)
{
	json_put_int(j, "parameters", l->parameters);
	json_put_int(j, "trainable_parameters", l->trainable_parameters);
	json_put_int(j, "macs", l->cost.macs);
	json_put_int(j, "float_ops", cost_float_ops(l->cost));
	json_put_int(j, "weight_bytes", l->weight_bytes);
	json_put_int(j, "activation_bytes", l->activation_bytes);
	json_put_int(j, "moved_bytes", l->moved_bytes);
	if (r->device.flops > 0)
		json_put_double(j, "min_seconds", l->seconds);
}

static void put_layer(struct json *j, const struct model_report *r, const struct layer *l)
{
	json_line(j);
	json_open_object(j);
	json_put_string(j, "name", l->name);
	json_put_string(j, "type", l->type);
	json_key(j, "output_shapes");
	json_open_array(j);
	if (l->out.rank >= 0) {
		json_open_array(j);
		for (int d = 0; d < l->out.rank; d++)
			if (l->out.dims[d] < 0)
				json_null(j);
			else
				json_int(j, l->out.dims[d]);
		json_close_array(j);
	}
	json_close_array(j);
	put_numbers(j, r, l);
	json_put_double(j, "share", share_of(r, l));
	if (l->times > 1)
		json_put_int(j, "times", l->times);
	json_put_int(j, "operations", (int64_t)l->n_operations);
	if (l->n_not_counted)
		json_put_int(j, "not_counted", (int64_t)l->n_not_counted);
	json_close_object(j);
}

static void put_inputs(struct json *j, const struct model_report *r)
{
	json_key(j, "inputs");
	json_open_array(j);
	for (size_t i = 0; i < r->file.inputs.n; i++) {
		const struct model_input *in = &r->file.inputs.at[i];

		json_open_object(j);
		json_put_string(j, "name", in->name);
		put_dims(j, "shape", &in->tensor);
		json_put_text(j, "dtype", dtype_text(in->tensor.dtype));
		json_close_object(j);
	}
	json_close_array(j);
}

static void put_totals(struct json *j, const struct model_report *r)
{
	const struct summary *s = &r->summary;

	json_key(j, "total");
	json_open_object(j);
	put_numbers(j, r, &s->total);
	json_put_int(j, "peak_activation_bytes", s->peak_bytes);
	if (s->peak_layer != NONE)
		json_put_string(j, "peak_layer", s->layers.at[s->peak_layer].name);
	json_put_int(j, "operations", (int64_t)s->total.n_operations);
	json_put_int(j, "not_counted", (int64_t)s->total.n_not_counted);
	json_key(j, "weights");
	json_open_object(j);
	for (size_t i = 0; i < s->dtypes.n; i++)
		json_put_int(j, dtype_text(s->dtypes.at[i].dtype), s->dtypes.at[i].bytes);
	json_close_object(j);
	json_close_object(j);
}

static void put_operations(struct json *j, const struct model_report *r)
{
	json_key(j, "operations");
	json_open_array(j);
	for (size_t i = 0; i < r->summary.ops.n; i++) {
		const struct op_total *op = &r->summary.ops.at[i];

		json_line(j);
		json_open_object(j);
		json_put_string(j, "type", op->type);
		json_put_int(j, "count", (int64_t)op->n);
		json_put_int(j, "macs", op->cost.macs);
		json_put_int(j, "float_ops", cost_float_ops(op->cost));
		json_close_object(j);
	}
	json_close_array(j);
	json_key(j, "not_counted");
	json_open_object(j);
	for (size_t i = 0; i < r->summary.ops.n; i++)
		if (r->summary.ops.at[i].n_not_counted) {
			json_key_span(j, r->summary.ops.at[i].type);
			json_int(j, (int64_t)r->summary.ops.at[i].n_not_counted);
		}
	json_close_object(j);
}

static void put_device(struct json *j, const struct model_report *r)
{
	if (!(r->device.flops > 0))
		return;
	json_key(j, "device");
	json_open_object(j);
	json_put_text(j, "name", r->device.name);
	json_put_double(j, "peak_flops", r->device.flops);
	json_put_double(j, "peak_bandwidth", r->device.bandwidth);
	json_close_object(j);
}

void model_put_members(const void *report, struct json *j)
{
	const struct model_report *r = report;

	json_put_text(j, "file", r->name);
	json_put_text(j, "format", r->file.format);
	json_put_string(j, "title", buf_get(&r->file.title));
	json_put_int(j, "batch_size", r->file.batch_size);
	put_inputs(j, r);
	json_line(j);
	put_totals(j, r);
	put_device(j, r);
	json_line(j);
	json_key(j, "layers");
	json_open_array(j);
	for (size_t i = 0; i < r->summary.layers.n; i++)
		put_layer(j, r, &r->summary.layers.at[r->order[i]]);
	json_close_array(j);
	json_line(j);
	put_operations(j, r);
}
