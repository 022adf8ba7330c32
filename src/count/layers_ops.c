/* Operations of keras.ops that a model calls: each is a layer in the file, with its arguments as
 * the config. The shapes of those below follow from the arguments; for others, the file has the
 * shape in the layers that read the result. */
#include "count/layers.h"

/* ---- axes ----------------------------------------------------------------------- */

int layer_axis_in(int64_t axis, int rank)
{
	axis += axis < 0 ? rank : 0;
	return axis >= 0 && axis < rank ? (int)axis : -1;
}

/* Marks the given axes, or all. */
static bool mark_axes(const struct eval *e, const struct tensor *in, bool *marks)
{
	const struct op_attr *axes = node_attr(e->graph, e->node, A_axis);
	uint32_t n = axes && axes->kind == OP_INTS ? axes->n : 1;

	for (int d = 0; d < in->rank; d++)
		marks[d] = !axes;
	for (uint32_t i = 0; axes && i < n; i++) {
		int axis = layer_axis_in(layer_int_at(e, A_axis, (int)i, 0), in->rank);

		if (axis < 0)
			return false;
		marks[axis] = true;
	}
	return true;
}

static bool drop_axes(struct eval *e, const bool *marks, bool keeps)
{
	int n = 0;

	for (int d = 0; d < e->out->rank; d++)
		if (!marks[d] || keeps)
			e->out->dims[n++] = marks[d] ? 1 : e->out->dims[d];
	e->out->rank = (int8_t)n;
	return true;
}

/* ---- reductions ----------------------------------------------------------------- */

/* factor: float operations per element of the input; 0: one less for each result. */
bool layer_reduce(struct eval *e)
{
	const struct tensor *in = eval_in(e, 0);
	bool marks[TENSOR_MAX_RANK];
	int64_t n, factor = e->rule->factor;

	if (!layer_start(e, 0) || !mark_axes(e, in, marks))
		return false;
	drop_axes(e, marks, layer_int(e, A_keepdims, 0));
	n = tensor_elements(in);
	if (dtype_is_real(in->dtype))
		layer_add_others(e, factor ? n : n - tensor_elements(e->out), factor ? factor : 1);
	return true;
}

/* A reduction followed by a square root or logarithm. */
bool layer_deviation(struct eval *e)
{
	if (!layer_reduce(e))
		return false;
	layer_add_others(e, tensor_elements(e->out), 1);
	return true;
}

/* all and any: no float operations. */
bool layer_reduce_bool(struct eval *e)
{
	if (!layer_reduce(e))
		return false;
	e->layer_cost.others = 0;
	return true;
}

bool layer_arg(struct eval *e)
{
	if (!layer_reduce(e))
		return false;
	e->out->dtype = 3;
	return true;
}

bool layer_top_k(struct eval *e)
{
	struct tensor out;

	if (!layer_start(e, 0) || e->out->rank < 1)
		return false;
	out = *e->out;
	out.dims[out.rank - 1] = layer_int(e, A_k, -1);
	if (!eval_outputs(e, 2))
		return false;
	e->out[0] = e->out[1] = out;
	e->out[1].dtype = 3;
	return tensor_is_known(e->out);
}

/* ---- products ------------------------------------------------------------------- */

bool layer_einsum(struct eval *e)
{
	return shape_einsum(e) && tensor_is_known(e->out) && cost_einsum(e, &e->layer_cost);
}

/* axes: how many of the last and first dimensions, or a list for each side. */
bool layer_tensordot(struct eval *e)
{
	const struct tensor *a = eval_in(e, 0), *b = eval_in(e, 1);
	const struct op_attr *axes = node_attr(e->graph, e->node, A_axes);
	bool is_list = axes && axes->kind == OP_INTS;
	int n = is_list ? (int)(axes->n / 2) : (int)layer_int(e, A_axes, 2);
	bool sums[2][TENSOR_MAX_RANK] = {{0}};
	int64_t summed = 1;

	if (!tensor_is_known(a) || !tensor_is_known(b) || n < 0 || n > a->rank || n > b->rank ||
		!layer_start(e, 0))
		return false;
	for (int i = 0; i < n; i++) {
		int x = layer_axis_in(is_list ? axes->ints[i] : a->rank - n + i, a->rank);
		int y = layer_axis_in(is_list ? axes->ints[n + i] : i, b->rank);

		if (x < 0 || y < 0 || a->dims[x] != b->dims[y])
			return false;
		sums[0][x] = sums[1][y] = true;
		summed = count_multiply(summed, a->dims[x]);
	}
	e->out->rank = 0;
	for (int side = 0; side < 2; side++) {
		const struct tensor *t = side ? b : a;

		for (int d = 0; d < t->rank; d++) {
			if (sums[side][d])
				continue;
			if (e->out->rank == TENSOR_MAX_RANK)
				return false;
			e->out->dims[e->out->rank++] = t->dims[d];
		}
	}
	layer_add_macs(e, tensor_elements(e->out), summed);
	return true;
}

/* Queries, keys and values of batch x positions x heads x width. */
bool layer_heads_attention(struct eval *e)
{
	const struct tensor *q = eval_in(e, 0), *k = eval_in(e, 1), *v = eval_in(e, 2);
	int64_t scores;

	if (!tensor_is_known(q) || !tensor_is_known(k) || !tensor_is_known(v) || q->rank != 4 ||
		k->rank != 4 || v->rank != 4 || !layer_start(e, 0))
		return false;
	scores = count_multiply(count_multiply(q->dims[0], q->dims[2]),
		count_multiply(q->dims[1], k->dims[1]));
	layer_add_macs(e, scores, count_add(q->dims[3], v->dims[3]));
	layer_add_others(e, scores, 6); /* softmax, and a scale */
	e->out->dims[3] = v->dims[3];
	return true;
}

/* ---- choosing ------------------------------------------------------------------- */

/* Compares two operands, one of which may be a constant. */
bool layer_compare(struct eval *e)
{
	bool is_real = dtype_is_real(eval_in(e, 0)->dtype);

	if (!layer_merge(e))
		return false;
	e->layer_cost.others = is_real ? tensor_elements(e->out) * e->rule->factor : 0;
	e->out->dtype = 10;
	return true;
}

/* Where(condition, a, b) */
bool layer_where(struct eval *e)
{
	int dtype = eval_in(e, e->n_in ? e->n_in - 1 : 0)->dtype;

	if (!layer_merge(e))
		return false;
	e->layer_cost.others = 0;
	e->out->dtype = (int16_t)dtype;
	return true;
}

bool layer_cast(struct eval *e)
{
	if (!layer_start(e, 0))
		return false;
	e->out->dtype = (int16_t)layer_int(e, A_dtype, e->out->dtype);
	return true;
}

bool layer_one_hot(struct eval *e)
{
	int axis;

	if (!layer_start(e, 0))
		return false;
	axis = layer_axis_in(layer_int(e, A_axis, -1), e->out->rank + 1);
	e->out->dtype = (int16_t)layer_int(e, A_dtype, 1);
	return axis >= 0 && layer_insert_axis(e->out, axis, layer_int(e, A_num_classes, -1)) &&
		tensor_is_known(e->out);
}

/* Constant indices are not among the inputs. */
bool layer_take(struct eval *e)
{
	const struct tensor *in = eval_in(e, 0), *indices = eval_in(e, 1);
	int axis = layer_axis_in(layer_int(e, A_axis, 0), in->rank), n = 0;
	struct tensor out;

	if (e->n_in < 2 || !tensor_is_known(in) || !tensor_is_known(indices) || axis < 0 ||
		in->rank + indices->rank - 1 > TENSOR_MAX_RANK || !layer_start(e, 0))
		return layer_given(e);
	out = *e->out;
	for (int d = 0; d < in->rank; d++) {
		if (d != axis)
			out.dims[n++] = in->dims[d];
		for (int k = 0; d == axis && k < indices->rank; k++)
			out.dims[n++] = indices->dims[k];
	}
	out.rank = (int8_t)n;
	*e->out = out;
	return true;
}

/* How many of n elements start:stop:step takes; KEY_OPEN: omitted. */
static int64_t slice_size(int64_t n, const int64_t *part)
{
	int64_t step = part[2] == KEY_OPEN || !part[2] ? 1 : part[2];
	int64_t first = step > 0 ? 0 : n - 1, end = step > 0 ? n : -1, least = step > 0 ? 0 : -1;
	int64_t from = part[0], to = part[1], span;

	from = from == KEY_OPEN ? first : from < 0 ? from + n : from;
	to = to == KEY_OPEN ? end : to < 0 ? to + n : to;
	from = from < least ? least : from > n + least ? n + least : from;
	to = to < least ? least : to > n + least ? n + least : to;
	span = step > 0 ? to - from : from - to;
	if (step == INT64_MIN || span <= 0)
		return 0;
	step = step < 0 ? -step : step;
	return (span - 1) / step + 1;
}

/* key: for each part of x[…] its kind, start, stop and step. */
bool layer_get_item(struct eval *e)
{
	const struct op_attr *key = node_attr(e->graph, e->node, A_key);
	const struct tensor *in = eval_in(e, 0);
	int at = 0, n_used = 0;
	struct tensor out;

	if (!key || key->kind != OP_INTS || !layer_start(e, 0))
		return layer_given(e);
	out = *e->out;
	out.rank = 0;
	for (uint32_t i = 0; i < key->n; i += 4)
		n_used += key->ints[i] == KEY_SLICE || key->ints[i] == KEY_INDEX;
	for (uint32_t i = 0; i <= key->n; i += 4) {
		int64_t kind = i < key->n ? key->ints[i] : KEY_REST;
		int rest = kind == KEY_REST ? in->rank - n_used : kind == KEY_NEW ? 0 : 1;

		if (kind == KEY_REST && i < key->n)
			n_used = in->rank; /* "…" stands for all remaining ones */
		for (; rest > 0; rest--, at++) {
			if (at >= in->rank || out.rank == TENSOR_MAX_RANK)
				return layer_given(e);
			if (kind == KEY_SLICE)
				out.dims[out.rank++] = slice_size(in->dims[at], key->ints + i + 1);
			else if (kind == KEY_REST)
				out.dims[out.rank++] = in->dims[at];
		}
		if (kind == KEY_NEW && !layer_insert_axis(&out, out.rank, 1))
			return layer_given(e);
	}
	*e->out = out;
	return true;
}
