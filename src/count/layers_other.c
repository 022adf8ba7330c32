/* Layers without weights: activations, merging, reshaping. */
#include "count/layers.h"

bool layer_same(struct eval *e)
{
	return layer_start(e, 0);
}

/* The shape given in the file. */
bool layer_given(struct eval *e)
{
	const struct op_attr *shape = node_attr(e->graph, e->node, A_out_shape);

	if (!eval_outputs(e, 1) || !shape || shape->kind != OP_SHAPE || shape->n == OP_UNKNOWN_RANK)
		return false;
	*e->out = tensor_make(e->out->dtype, shape->ints, shape->n);
	return tensor_is_known(e->out);
}

bool layer_elementwise(struct eval *e)
{
	if (!layer_start(e, 0))
		return false;
	layer_add_others(e, tensor_elements(e->out), e->rule->factor);
	return true;
}

bool layer_activation(struct eval *e)
{
	if (!layer_start(e, 0))
		return false;
	layer_add_activation(e, false);
	return true;
}

/* In mode "int", a number for each element; other modes change the shape. */
bool layer_lookup(struct eval *e)
{
	struct span mode = node_text(e->graph, e->node, A_output_mode);

	if (!layer_start(e, 0) || (mode.n && !span_equal(mode, SPAN("int"))))
		return layer_given(e);
	e->out->dtype = (int16_t)layer_int(e, A_dtype, e->out->dtype);
	return true;
}

/* One row of tokens for each input, or for each element. */
bool layer_category_encoding(struct eval *e)
{
	int64_t n = layer_int(e, A_num_tokens, -1);

	if (!layer_start(e, 0) || n < 0 || e->out->rank < 1)
		return false;
	if (span_equal(node_text(e->graph, e->node, A_output_mode), SPAN("one_hot"))) {
		if (e->out->dims[e->out->rank - 1] != 1 && e->out->rank++ == TENSOR_MAX_RANK)
			return false;
	}
	e->out->dims[e->out->rank - 1] = n;
	e->out->dtype = 1;
	return true;
}

/* ---- merging -------------------------------------------------------------------- */

/* Constant operands are not inputs; then the file has the shape. */
bool layer_merge(struct eval *e)
{
	struct tensor all;
	size_t n = e->n_in > 1 ? e->n_in - 1 : 1;

	if (!layer_start(e, 0))
		return false;
	all = *e->out;
	for (size_t i = 1; i < e->n_in; i++) {
		struct tensor both;

		if (!shape_broadcast_two(&all, e->in[i], &both))
			return false;
		all = both;
	}
	if (e->n_in == 1 && layer_given(e))
		all = *e->out;
	if (!eval_outputs(e, 1))
		return false;
	*e->out = all;
	/* An average divides by their number. */
	layer_add_others(e, tensor_elements(e->out), (int64_t)n + e->rule->factor);
	return tensor_is_known(e->out);
}

bool layer_concatenate(struct eval *e)
{
	return shape_join(e, 0, e->n_in, layer_int(e, A_axis, -1));
}

bool layer_matmul(struct eval *e)
{
	const struct tensor *x = eval_in(e, 0);
	bool known = layer_given(e);

	if (!known && e->n_in == 2 && x->rank >= 2 && e->in[1]->rank >= 2) {
		known = layer_start(e, 0);
		e->out->dims[e->out->rank - 1] = e->in[1]->dims[e->in[1]->rank - 1];
	}
	if (!known || x->rank < 1)
		return false;
	layer_add_macs(e, tensor_elements(e->out), x->dims[x->rank - 1]);
	return true;
}

/* Dot: the axes given of both inputs are summed. */
/* The remaining dimensions of one side go to the result. */
static bool put_rest(struct tensor *out, const struct tensor *side, int64_t axis)
{
	for (int d = 1; d < side->rank; d++) {
		if (d == axis)
			continue;
		if (out->rank == TENSOR_MAX_RANK)
			return false;
		out->dims[out->rank++] = side->dims[d];
	}
	return true;
}

/* To a length of 1 along an axis: squares, their sum, its root, not below some least, and the
 * product with its inverse. */
static void add_normalizing(struct eval *e, const struct tensor *t, int64_t axis)
{
	int64_t n = tensor_elements(t);

	layer_add_others(e, n, 3);
	layer_add_others(e, t->dims[axis] ? n / t->dims[axis] : 0, 2);
}

bool layer_dot(struct eval *e)
{
	const struct tensor *a = eval_in(e, 0), *b = eval_in(e, 1);
	int64_t x = layer_int_at(e, A_axes, 0, -1), y = layer_int_at(e, A_axes, 1, x);

	if (a->rank < 2 || b->rank < 2 || !tensor_is_known(a) || !tensor_is_known(b) ||
		!layer_start(e, 0))
		return false;
	x += x < 0 ? a->rank : 0;
	y += y < 0 ? b->rank : 0;
	if (x < 1 || x >= a->rank || y < 1 || y >= b->rank || a->dims[x] != b->dims[y])
		return false;
	e->out->rank = 1;
	if (!put_rest(e->out, a, x) || !put_rest(e->out, b, y))
		return false;
	if (e->out->rank == 1)
		e->out->dims[e->out->rank++] = 1;
	layer_add_macs(e, tensor_elements(e->out), a->dims[x]);
	if (layer_int(e, A_normalize, 0)) {
		add_normalizing(e, a, x);
		add_normalizing(e, b, y);
	}
	return true;
}

/* ---- reshaping ------------------------------------------------------------------ */

bool layer_flatten(struct eval *e)
{
	int64_t n;

	if (!layer_start(e, 0) || e->out->rank < 1)
		return false;
	n = tensor_elements(e->out);
	e->out->dims[1] = e->out->dims[0] ? n / e->out->dims[0] : 0;
	e->out->rank = 2;
	return true;
}

/* keras.ops.reshape: newshape has the batch, too. */
static bool shape_of_all(struct eval *e)
{
	const struct op_attr *shape = node_attr(e->graph, e->node, A_newshape);
	int64_t n, known = 1;
	int open = -1;

	if (!shape || shape->kind != OP_INTS || shape->n > TENSOR_MAX_RANK || !layer_start(e, 0))
		return false;
	n = tensor_elements(e->out);
	*e->out = tensor_make(e->out->dtype, shape->ints, shape->n);
	for (int d = 0; d < e->out->rank; d++)
		if (e->out->dims[d] < 0)
			open = d;
		else
			known = count_multiply(known, e->out->dims[d]);
	if (open >= 0)
		e->out->dims[open] = known ? n / known : 0;
	return tensor_is_known(e->out) && tensor_elements(e->out) == n;
}

/* target_shape is without the batch and may have one -1. */
bool layer_reshape(struct eval *e)
{
	const struct op_attr *target = node_attr(e->graph, e->node, A_target_shape);
	int64_t left, known = 1;
	int open = -1;

	if (!target && shape_of_all(e))
		return true;
	if (!target || target->kind != OP_INTS)
		return layer_given(e);
	if (!layer_start(e, 0) || target->n >= TENSOR_MAX_RANK || e->out->rank < 1)
		return false;
	left = e->out->dims[0] ? tensor_elements(e->out) / e->out->dims[0] : 0;
	e->out->rank = (int8_t)(target->n + 1);
	for (uint32_t i = 0; i < target->n; i++) {
		e->out->dims[i + 1] = target->ints[i];
		if (target->ints[i] < 0)
			open = (int)i + 1;
		else
			known = count_multiply(known, target->ints[i]);
	}
	if (open > 0)
		e->out->dims[open] = known ? left / known : 0;
	return tensor_is_known(e->out);
}

/* dims: the order of the dimensions but the batch, from 1. */
bool layer_permute(struct eval *e)
{
	const struct tensor *in = eval_in(e, 0);

	if (!layer_start(e, 0))
		return false;
	for (int d = 1; d < in->rank; d++) {
		int64_t from = layer_int_at(e, A_dims, d - 1, -1);

		if (from < 1 || from >= in->rank)
			return false;
		e->out->dims[d] = in->dims[from];
	}
	return true;
}

bool layer_repeat_vector(struct eval *e)
{
	int64_t n = layer_int(e, A_n, -1);

	if (!layer_start(e, 0) || e->out->rank != 2 || n < 0)
		return false;
	e->out->dims[2] = e->out->dims[1];
	e->out->dims[1] = n;
	e->out->rank = 3;
	return true;
}

/* ---- space ---------------------------------------------------------------------- */

/* Adds `sign` times what is given per side: [[1, 2], [0, 1]] comes as 1, 2, 0, 1. */
static bool add_edges(struct eval *e, enum attr_id id, int sign)
{
	int n_spatial = e->rule->factor;
	struct layout l = layer_layout(e, n_spatial);
	const struct op_attr *attr = node_attr(e->graph, e->node, id);

	if (!layer_start(e, 0) || e->out->rank != n_spatial + 2 || !attr)
		return false;
	for (int i = 0; i < n_spatial; i++) {
		int64_t *dim = &e->out->dims[l.first + i], both;

		if (attr->kind == OP_INTS && attr->n == (uint32_t)(2 * n_spatial))
			both = count_add(attr->ints[2 * i], attr->ints[2 * i + 1]);
		else
			both = count_multiply(layer_int_at(e, id, i, 0), 2);
		*dim = sign > 0 ? count_add(*dim, both) : *dim - both;
		if (*dim < 0)
			return false;
	}
	return true;
}

bool layer_zero_padding(struct eval *e)
{
	return add_edges(e, A_padding, 1);
}

bool layer_cropping(struct eval *e)
{
	return add_edges(e, A_cropping, -1);
}

bool layer_up_sampling(struct eval *e)
{
	int n_spatial = e->rule->factor;
	struct layout l = layer_layout(e, n_spatial);
	struct span how = node_text(e->graph, e->node, A_interpolation);

	if (!layer_start(e, 0) || e->out->rank != n_spatial + 2)
		return false;
	for (int i = 0; i < n_spatial; i++)
		e->out->dims[l.first + i] =
			count_multiply(e->out->dims[l.first + i], layer_int_at(e, A_size, i, 2));
	if (span_equal(how, SPAN("bilinear")))
		layer_add_others(e, tensor_elements(e->out), 7);
	else if (span_equal(how, SPAN("bicubic")))
		layer_add_others(e, tensor_elements(e->out), 35);
	return true;
}

bool layer_resizing(struct eval *e)
{
	struct layout l = layer_layout(e, 2);

	if (!layer_start(e, 0) || e->out->rank != 4)
		return false;
	e->out->dims[l.first] = layer_int(e, A_height, layer_int_at(e, A_size, 0, -1));
	e->out->dims[l.first + 1] = layer_int(e, A_width, layer_int_at(e, A_size, 1, -1));
	layer_add_others(e, tensor_elements(e->out), e->rule->factor);
	return tensor_is_known(e->out);
}
