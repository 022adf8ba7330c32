/* What JSON says about a model besides its layers as nodes. */
#include "ask/model_report.h"
#include "write/answer.h"

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
	if (l->integer_macs)
		json_put_int(j, "integer_ops", layer_integer_ops(l));
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
	json_put_double(j, "share", model_share(r, l));
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

void cost_members(const struct answer *a, struct json *j)
{
	const struct model_report *r = a->detail;

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
