/* Shapes of elementwise operations, reductions and the like. */
#include "count/ops.h"
#include "proto/fields.h"

bool shape_same(struct eval *e)
{
	const struct tensor *in = eval_in(e, 0);

	if (!eval_outputs(e, 1))
		return false;
	e->out[0] = *in;
	if (e->rule->value != VALUE_copy) {
		e->out[0].values = NULL;
		e->out[0].parameter = 0;
	}
	return e->n_in > 0;
}

bool shape_same_n(struct eval *e)
{
	if (!eval_outputs(e, e->n_in))
		return false;
	for (size_t i = 0; i < e->n_in; i++)
		e->out[i] = *e->in[i];
	return true;
}

/* Switch: both outputs are the input. */
bool shape_second(struct eval *e)
{
	if (!eval_outputs(e, 2))
		return false;
	e->out[0] = e->out[1] = *eval_in(e, 0);
	return e->n_in > 0;
}

bool shape_nothing(struct eval *e)
{
	return eval_outputs(e, 1);
}

/* Control flow, which the walk runs itself (control.c, loops.c); these functions only identify
 * it. If a function is missing, nothing is known about the outputs. */
bool shape_call(struct eval *e)
{
	eval_outputs(e, 1);
	return false;
}

bool shape_while(struct eval *e)
{
	return shape_same_n(e);
}

bool shape_if(struct eval *e)
{
	eval_outputs(e, 1);
	return false;
}

bool shape_enter(struct eval *e)
{
	return shape_same(e);
}

bool shape_exit(struct eval *e)
{
	bool known = shape_same(e);

	if (e->n_out)
		e->out->values = NULL; /* the first turn's values are not the last one's */
	return known;
}

bool shape_next(struct eval *e)
{
	return shape_same(e);
}

bool shape_loop_cond(struct eval *e)
{
	return shape_same(e);
}

/* In a conditional, either side will do: they have the same shape. */
bool shape_merge(struct eval *e)
{
	size_t n_known = 0;

	if (!eval_outputs(e, 2))
		return false;
	e->out[1] = tensor_make(DT_INT32, NULL, 0);
	for (size_t i = 0; i < e->n_in; i++)
		if (e->in[i]->rank >= 0 && !n_known++)
			e->out[0] = *e->in[i];
	if (n_known > 1)
		e->out[0].values = NULL;
	return n_known > 0;
}

bool shape_cast(struct eval *e)
{
	if (!shape_same(e))
		return false;
	e->out->dtype = (int16_t)node_int(e->graph, e->node, A_DstT, 0);
	return true;
}

bool shape_dequantize(struct eval *e)
{
	int64_t dtype = node_int(e->graph, e->node, A_dtype, DT_FLOAT);

	if (!shape_same(e))
		return false;
	e->out->dtype = (int16_t)dtype;
	return true;
}

bool shape_check(struct eval *e)
{
	if (!shape_same(e))
		return false;
	e->out->dtype = DT_BOOL;
	return true;
}

bool shape_bucketize(struct eval *e)
{
	if (!shape_same(e))
		return false;
	e->out->dtype = DT_INT32;
	return true;
}

bool shape_like(struct eval *e)
{
	return shape_same(e);
}

/* ---- broadcasting --------------------------------------------------------------- */

bool shape_broadcast_two(const struct tensor *a, const struct tensor *b, struct tensor *out)
{
	int rank = a->rank > b->rank ? a->rank : b->rank;

	*out = tensor_unknown(a->dtype);
	if (a->rank < 0 || b->rank < 0)
		return true;
	out->rank = (int8_t)rank;
	for (int i = 0; i < rank; i++) {
		int64_t x = i < rank - a->rank ? 1 : a->dims[i - (rank - a->rank)];
		int64_t y = i < rank - b->rank ? 1 : b->dims[i - (rank - b->rank)];

		if (x == y || y == 1)
			out->dims[i] = x;
		else if (x == 1)
			out->dims[i] = y;
		else if (x < 0 || y < 0)
			out->dims[i] = x < 0 ? y : x;
		else
			return false;
	}
	return true;
}

bool shape_broadcast(struct eval *e)
{
	if (e->n_in < 2 || !eval_outputs(e, 1))
		return false;
	if (!shape_broadcast_two(e->in[0], e->in[1], &e->out[0])) {
		e->problem[0] = SPAN("broadcast");
		return false;
	}
	return true;
}

bool shape_compare(struct eval *e)
{
	if (!shape_broadcast(e))
		return false;
	e->out->dtype = DT_BOOL;
	return true;
}

bool shape_select(struct eval *e)
{
	struct tensor both;

	if (e->n_in < 3 || !eval_outputs(e, 1) || !shape_broadcast_two(e->in[1], e->in[2], &both))
		return false;
	/* Select's condition may be a vector along the first dimension. */
	if (!shape_broadcast_two(&both, e->in[0], &e->out[0]))
		e->out[0] = both;
	e->out->dtype = e->in[1]->dtype;
	if (e->in[0]->values && tensor_elements(e->in[0]) == 1) {
		const struct tensor *chosen = e->in[e->in[0]->values[0].i ? 1 : 2];

		if (tensor_same_shape(chosen, e->out))
			e->out->values = chosen->values;
	}
	return true;
}

bool shape_add_n(struct eval *e)
{
	if (!eval_outputs(e, 1))
		return false;
	for (size_t i = 0; i < e->n_in; i++)
		if (tensor_is_known(e->in[i])) {
			e->out[0] = *e->in[i];
			e->out[0].values = NULL;
			e->out[0].parameter = 0;
			return true;
		}
	return false;
}

/* ---- reductions ----------------------------------------------------------------- */

bool shape_reduce(struct eval *e)
{
	const struct tensor *in = eval_in(e, 0), *axes = eval_in(e, 1);
	bool keep = node_int(e->graph, e->node, A_keep_dims, 0);
	bool is_reduced[TENSOR_MAX_RANK] = {false};
	int64_t at[TENSOR_MAX_RANK];
	int n = tensor_get_ints(axes, at, TENSOR_MAX_RANK);

	if (!eval_outputs(e, 1) || in->rank < 0)
		return false;
	if (n < 0) {
		/* With unknown axes, only the rank is known. */
		if (keep)
			e->out->rank = in->rank;
		for (int d = 0; keep && d < in->rank; d++)
			e->out->dims[d] = -1;
		return false;
	}
	for (int i = 0; i < n; i++) {
		int64_t axis = at[i] < 0 ? at[i] + in->rank : at[i];

		if (axis < 0 || axis >= in->rank)
			return false;
		is_reduced[axis] = true;
	}
	e->out->rank = 0;
	for (int d = 0; d < in->rank; d++)
		if (!is_reduced[d])
			e->out->dims[e->out->rank++] = in->dims[d];
		else if (keep)
			e->out->dims[e->out->rank++] = 1;
	value_reduce(e, is_reduced);
	return true;
}

bool shape_arg_reduce(struct eval *e)
{
	const struct tensor *in = eval_in(e, 0);
	int64_t axis;

	if (!eval_outputs(e, 1))
		return false;
	e->out->dtype = (int16_t)node_int(e->graph, e->node, A_output_type, DT_INT64);
	if (in->rank < 1 || !tensor_get_int(eval_in(e, 1), 0, &axis))
		return false;
	axis += axis < 0 ? in->rank : 0;
	if (axis < 0 || axis >= in->rank)
		return false;
	e->out->rank = 0;
	for (int d = 0; d < in->rank; d++)
		if (d != axis)
			e->out->dims[e->out->rank++] = in->dims[d];
	return true;
}

/* ---- normalization and losses --------------------------------------------------- */

/* The result, and statistics per channel. */
bool shape_batch_norm(struct eval *e)
{
	const struct tensor *in = eval_in(e, 0), *scale = eval_in(e, 1);

	if (!eval_outputs(e, 6))
		return false;
	e->out[0] = *in;
	e->out[0].values = NULL;
	for (int i = 1; i < 6; i++) {
		e->out[i] = *scale;
		e->out[i].values = NULL;
		e->out[i].parameter = 0;
	}
	return in->rank >= 0;
}

bool shape_batch_norm_grad(struct eval *e)
{
	if (!shape_batch_norm(e))
		return false;
	for (int i = 1; i < 6; i++) {
		e->out[i] = *eval_in(e, 2);
		e->out[i].parameter = 0;
	}
	return true;
}

bool shape_bias_grad(struct eval *e)
{
	const struct tensor *in = eval_in(e, 0);
	struct span format = node_text(e->graph, e->node, A_data_format);

	if (!eval_outputs(e, 1) || in->rank < 2)
		return false;
	e->out->rank = 1;
	e->out->dims[0] = in->dims[span_starts(format, SPAN("NC")) ? 1 : in->rank - 1];
	return true;
}

/* The loss of each row, and the gradient. */
bool shape_cross_entropy(struct eval *e)
{
	const struct tensor *logits = eval_in(e, 0);

	if (!eval_outputs(e, 2) || logits->rank < 1)
		return false;
	e->out[0].rank = 1;
	e->out[0].dims[0] = logits->dims[0];
	e->out[1] = *logits;
	e->out[1].values = NULL;
	return true;
}
