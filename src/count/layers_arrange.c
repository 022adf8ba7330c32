/* Operations of keras.ops that only rearrange: their shapes follow from the axes given. */
#include "count/layers.h"

bool layer_insert_axis(struct tensor *t, int axis, int64_t size)
{
	if (t->rank == TENSOR_MAX_RANK)
		return false;
	memmove(t->dims + axis + 1, t->dims + axis, sizeof(*t->dims) * (size_t)(t->rank - axis));
	t->dims[axis] = size;
	t->rank++;
	return true;
}

static void remove_axis(struct tensor *t, int axis)
{
	t->rank--;
	memmove(t->dims + axis, t->dims + axis + 1, sizeof(*t->dims) * (size_t)(t->rank - axis));
}

static int axis_of(const struct eval *e, int64_t otherwise, int rank)
{
	return layer_axis_in(layer_int(e, A_axis, otherwise), rank);
}

bool layer_expand_dims(struct eval *e)
{
	int axis;

	if (!layer_start(e, 0))
		return layer_given(e);
	axis = axis_of(e, 0, e->out->rank + 1);
	return axis >= 0 && layer_insert_axis(e->out, axis, 1);
}

bool layer_squeeze(struct eval *e)
{
	const struct op_attr *attr = node_attr(e->graph, e->node, A_axis);
	int axis;

	if (!layer_start(e, 0))
		return layer_given(e);
	axis = axis_of(e, 0, e->out->rank);
	if (attr && axis >= 0)
		remove_axis(e->out, axis);
	for (int d = e->out->rank - 1; !attr && d >= 0; d--)
		if (e->out->dims[d] == 1)
			remove_axis(e->out, d);
	return !attr || axis >= 0;
}

/* axes: the order; without it, the reverse. */
bool layer_transpose(struct eval *e)
{
	const struct tensor *in = eval_in(e, 0);

	if (!layer_start(e, 0))
		return layer_given(e);
	for (int d = 0; d < in->rank; d++) {
		int from = layer_axis_in(layer_int_at(e, A_axes, d, in->rank - 1 - d), in->rank);

		if (from < 0)
			return false;
		e->out->dims[d] = in->dims[from];
	}
	return true;
}

bool layer_swap_axes(struct eval *e)
{
	const struct tensor *in = eval_in(e, 0);
	int a = layer_axis_in(layer_int(e, A_axis1, -1), in->rank);
	int b = layer_axis_in(layer_int(e, A_axis2, -2), in->rank);

	if (!layer_start(e, 0) || a < 0 || b < 0)
		return layer_given(e);
	e->out->dims[a] = in->dims[b];
	e->out->dims[b] = in->dims[a];
	return true;
}

bool layer_move_axis(struct eval *e)
{
	const struct tensor *in = eval_in(e, 0);
	const struct op_attr *many = node_attr(e->graph, e->node, A_source);
	int from = layer_axis_in(layer_int(e, A_source, 0), in->rank);
	int to = layer_axis_in(layer_int(e, A_destination, 0), in->rank);

	if (!layer_start(e, 0) || from < 0 || to < 0 || (many->kind == OP_INTS && many->n > 1))
		return layer_given(e);
	remove_axis(e->out, from);
	return layer_insert_axis(e->out, to, in->dims[from]);
}

bool layer_stack(struct eval *e)
{
	int axis;

	if (!layer_start(e, 0))
		return layer_given(e);
	axis = axis_of(e, 0, e->out->rank + 1);
	return axis >= 0 && layer_insert_axis(e->out, axis, (int64_t)e->n_in);
}

/* n results of equal shape, or the parts between the given borders. */
bool layer_split(struct eval *e)
{
	const struct op_attr *parts = node_attr(e->graph, e->node, A_indices_or_sections);
	bool has_borders = parts && parts->kind == OP_INTS;
	int64_t n = has_borders ? parts->n + 1 : layer_int(e, A_indices_or_sections, -1), size;
	struct tensor in = *eval_in(e, 0);
	int axis = axis_of(e, 0, in.rank);

	if (!tensor_is_known(&in) || n < 1 || axis < 0 || !eval_outputs(e, (size_t)n))
		return false;
	in.values = NULL;
	size = in.dims[axis];
	for (int64_t i = 0; i < n; i++) {
		int64_t from = has_borders && i ? parts->ints[i - 1] : 0;
		int64_t to = has_borders && i + 1 < n ? parts->ints[i] : size;

		e->out[i] = in;
		e->out[i].dims[axis] = has_borders ? to - from : size / n;
		if (e->out[i].dims[axis] < 0)
			return false;
	}
	return true;
}

bool layer_unstack(struct eval *e)
{
	struct tensor in = *eval_in(e, 0);
	int axis = axis_of(e, 0, in.rank);
	int64_t n;

	if (!tensor_is_known(&in) || axis < 0)
		return false;
	n = in.dims[axis];
	in.values = NULL;
	remove_axis(&in, axis);
	if (!eval_outputs(e, (size_t)(n + !n)))
		return false;
	for (int64_t i = 0; i < n; i++)
		e->out[i] = in;
	return n > 0;
}

/* pad_width: before and after, for each axis. */
bool layer_pad(struct eval *e)
{
	const struct op_attr *width = node_attr(e->graph, e->node, A_pad_width);

	if (!layer_start(e, 0) || !width || width->kind != OP_INTS ||
		width->n != 2 * (uint32_t)e->out->rank)
		return layer_given(e);
	for (int d = 0; d < e->out->rank; d++)
		e->out->dims[d] = count_add(e->out->dims[d],
			count_add(width->ints[2 * d], width->ints[2 * d + 1]));
	return tensor_is_known(e->out);
}

bool layer_tile(struct eval *e)
{
	const struct op_attr *repeats = node_attr(e->graph, e->node, A_repeats);
	uint32_t n = repeats && repeats->kind == OP_INTS ? repeats->n : 1;

	if (!layer_start(e, 0) || !repeats || n > TENSOR_MAX_RANK)
		return layer_given(e);
	while ((uint32_t)e->out->rank < n)
		layer_insert_axis(e->out, 0, 1);
	for (uint32_t i = 0; i < n; i++) {
		int64_t *dim = &e->out->dims[(uint32_t)e->out->rank - n + i];

		*dim = count_multiply(*dim, layer_int_at(e, A_repeats, (int)i, 1));
	}
	return tensor_is_known(e->out);
}

bool layer_repeat(struct eval *e)
{
	const struct op_attr *axis_given = node_attr(e->graph, e->node, A_axis);
	const struct op_attr *repeats = node_attr(e->graph, e->node, A_repeats);
	int axis;

	if (!layer_start(e, 0) || !axis_given || !repeats || repeats->kind != OP_INT)
		return layer_given(e);
	axis = axis_of(e, 0, e->out->rank);
	if (axis < 0)
		return false;
	e->out->dims[axis] = count_multiply(e->out->dims[axis], repeats->number);
	return tensor_is_known(e->out);
}

bool layer_broadcast_to(struct eval *e)
{
	const struct op_attr *shape = node_attr(e->graph, e->node, A_shape);

	if (!layer_start(e, 0) || !shape || shape->kind != OP_INTS || shape->n > TENSOR_MAX_RANK)
		return layer_given(e);
	*e->out = tensor_make(e->out->dtype, shape->ints, shape->n);
	return tensor_is_known(e->out) || layer_given(e);
}

bool layer_ravel(struct eval *e)
{
	int64_t n;

	if (!layer_start(e, 0))
		return false;
	n = tensor_elements(e->out);
	*e->out = tensor_make(e->out->dtype, &n, 1);
	return true;
}
