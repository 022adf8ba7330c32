/* Operations of keras.ops that compute or choose, and layers without weights that do: each is a
 * layer in the file, with its arguments as the config. The shapes of those below follow from the
 * arguments; for others, the file has the shape in the layers that read the result. */
#include "count/layers.h"
#include "count/lower.h"
#include "proto/fields.h"

bool layer_same(struct eval *e)
{
	return layer_start(e, 0);
}

/* The operation that the class is lowered to, with the same inputs. */
bool layer_op(struct eval *e)
{
	struct span equation = node_text(e->graph, e->node, A_equation);
	struct lowering l;

	lower_begin(&l, e);
	l.takes_all = true;
	if (equation.n)
		lower_attr_text(&l, A_equation, equation);
	return lower_run(&l, e->rule->op);
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
	e->out->dtype = DT_FLOAT;
	return true;
}

/* ---- axes ----------------------------------------------------------------------- */

int layer_axis_in(int64_t axis, int rank)
{
	axis += axis < 0 ? rank : 0;
	return axis >= 0 && axis < rank ? (int)axis : -1;
}

bool layer_insert_axis(struct tensor *t, int axis, int64_t size)
{
	if (t->rank == TENSOR_MAX_RANK)
		return false;
	memmove(t->dims + axis + 1, t->dims + axis, sizeof(*t->dims) * (size_t)(t->rank - axis));
	t->dims[axis] = size;
	t->rank++;
	return true;
}

/* ---- merging -------------------------------------------------------------------- */

static bool lower_two(struct eval *e, struct tensor a, struct tensor b)
{
	struct lowering l;

	lower_begin(&l, e);
	lower_input(&l, a);
	lower_input(&l, b);
	return lower_run(&l, e->rule->op);
}

/* Two at a time. Constant operands are not inputs; then the file has the shape. */
bool layer_merge(struct eval *e)
{
	struct tensor all = *eval_in(e, 0);

	if (e->n_in == 1) {
		if (layer_given(e))
			all = *e->out;
		return lower_two(e, all, tensor_make(all.dtype, NULL, 0));
	}
	for (size_t i = 1; i < e->n_in; i++) {
		if (!lower_two(e, all, *e->in[i]))
			return false;
		all = *e->out;
	}
	/* An average divides by their number. */
	if (e->rule->factor)
		lower_elementwise(e, "RealDiv");
	return e->n_in > 0;
}

/* Where(condition, a, b) */
bool layer_where(struct eval *e)
{
	struct tensor all = *eval_in(e, 0), both;

	for (size_t i = 1; i < e->n_in; i++) {
		if (!shape_broadcast_two(&all, e->in[i], &both))
			return false;
		all = both;
	}
	if (e->n_in == 1 && layer_given(e))
		all = *e->out;
	all.dtype = eval_in(e, e->n_in ? e->n_in - 1 : 0)->dtype;
	if (!eval_outputs(e, 1))
		return false;
	*e->out = all;
	e->out->values = NULL;
	return tensor_is_known(e->out);
}

/* ---- reductions ----------------------------------------------------------------- */

/* Along the given axes, or all. */
bool layer_reduce(struct eval *e)
{
	const struct op_attr *given = node_attr(e->graph, e->node, A_axis);
	struct tensor in = *eval_in(e, 0);
	int n = !given ? in.rank : given->kind == OP_INTS ? (int)given->n : 1;
	int64_t axes[TENSOR_MAX_RANK];
	struct lowering l;

	if (n < 0 || n > TENSOR_MAX_RANK)
		return false;
	for (int i = 0; i < n; i++)
		axes[i] = given ? layer_int_at(e, A_axis, i, 0) : i;
	lower_begin(&l, e);
	lower_input(&l, in);
	lower_ints(&l, axes, n);
	lower_attr_int(&l, A_keep_dims, layer_int(e, A_keepdims, 0));
	if (!lower_run(&l, e->rule->op))
		return false;
	if (dtype_is_real(in.dtype))
		layer_add_others(e, tensor_elements(&in), e->rule->factor);
	return true;
}

/* A reduction followed by a square root or logarithm. */
bool layer_deviation(struct eval *e)
{
	if (!layer_reduce(e))
		return false;
	lower_elementwise(e, "Sqrt");
	return true;
}

bool layer_arg(struct eval *e)
{
	if (!layer_reduce(e))
		return false;
	e->out->dtype = DT_INT32;
	return true;
}

bool layer_top_k(struct eval *e)
{
	struct lowering l;

	lower_begin(&l, e);
	lower_input(&l, *eval_in(e, 0));
	lower_attr_int(&l, A_k, layer_int(e, A_k, -1));
	return lower_run(&l, "TopKV2");
}

/* ---- products ------------------------------------------------------------------- */

bool layer_matmul(struct eval *e)
{
	const struct tensor *x = eval_in(e, 0), *y = eval_in(e, 1);
	struct lowering l;

	if (e->n_in == 2 && x->rank >= 2 && y->rank >= 2) {
		lower_begin(&l, e);
		l.takes_all = true;
		return lower_run(&l, "BatchMatMulV2");
	}
	/* One is a vector, or a constant. */
	if (x->rank < 1 || !layer_given(e))
		return false;
	layer_add_macs(e, tensor_elements(e->out), x->dims[x->rank - 1]);
	return true;
}

/* Sums n axes of `a` with as many of `b`; the result has those that are left. */
static bool contract(struct eval *e, const int64_t *of_a, const int64_t *of_b, int n)
{
	const struct tensor *sides[2] = {eval_in(e, 0), eval_in(e, 1)};
	bool sums[2][TENSOR_MAX_RANK] = {{0}};
	struct tensor out = tensor_make(sides[0]->dtype, NULL, 0);
	int64_t summed = 1;

	if (!tensor_is_known(sides[0]) || !tensor_is_known(sides[1]))
		return false;
	for (int i = 0; i < n; i++) {
		int x = layer_axis_in(of_a[i], sides[0]->rank);
		int y = layer_axis_in(of_b[i], sides[1]->rank);

		if (x < 0 || y < 0 || sides[0]->dims[x] != sides[1]->dims[y])
			return false;
		sums[0][x] = sums[1][y] = true;
		summed = count_multiply(summed, sides[0]->dims[x]);
	}
	for (int side = 0; side < 2; side++)
		for (int d = 0; d < sides[side]->rank; d++) {
			if (sums[side][d])
				continue;
			if (out.rank == TENSOR_MAX_RANK)
				return false;
			out.dims[out.rank++] = sides[side]->dims[d];
		}
	if (!tensor_is_known(&out) || !eval_outputs(e, 1))
		return false;
	lower_product(e, 1, tensor_elements(&out), summed, 1);
	*e->out = out;
	return true;
}

/* axes: how many of the last and first dimensions, or a list for each side. */
bool layer_tensordot(struct eval *e)
{
	const struct op_attr *axes = node_attr(e->graph, e->node, A_axes);
	bool is_list = axes && axes->kind == OP_INTS;
	int64_t n = is_list ? axes->n / 2 : layer_int(e, A_axes, 2);
	int64_t of_a[TENSOR_MAX_RANK], of_b[TENSOR_MAX_RANK];

	if (n < 0 || n > eval_in(e, 0)->rank || n > eval_in(e, 1)->rank)
		return false;
	for (int i = 0; i < n; i++) {
		of_a[i] = is_list ? axes->ints[i] : eval_in(e, 0)->rank - n + i;
		of_b[i] = is_list ? axes->ints[n + i] : i;
	}
	return contract(e, of_a, of_b, (int)n);
}

/* To a length of 1 along an axis: squares, their sum, its root, not below some least, and the
 * product with its inverse. */
static void add_normalizing(struct eval *e, const struct tensor *t, int64_t size)
{
	int64_t n = tensor_elements(t);

	layer_add_others(e, n, 3);
	layer_add_others(e, size > 0 ? n / size : 0, 2);
}

/* Dot: the axes given of both inputs are summed, for each of the batch. */
bool layer_dot(struct eval *e)
{
	struct tensor a = *eval_in(e, 0), b = *eval_in(e, 1);
	int x = layer_axis_in(layer_int_at(e, A_axes, 0, -1), a.rank);
	int y = layer_axis_in(layer_int_at(e, A_axes, 1, layer_int(e, A_axes, -1)), b.rank);
	int64_t batch, of_a = x, of_b = y;
	struct eval one = *e;

	if (x < 1 || y < 1 || !tensor_is_known(&a) || !tensor_is_known(&b))
		return false;
	/* The batch stays, once: 1 for now, at the front of the first. */
	batch = a.dims[0];
	memmove(b.dims, b.dims + 1, sizeof(*b.dims) * (size_t)--b.rank);
	a.dims[0] = 1;
	of_b--;
	one.in = (const struct tensor *[]){&a, &b};
	one.n_in = 2;
	if (!contract(&one, &of_a, &of_b, 1))
		return false;
	e->out = one.out;
	e->n_out = one.n_out;
	e->out->dims[0] = batch;
	if (e->out->rank == 1)
		layer_insert_axis(e->out, 1, 1);
	layer_add_macs(e, one.layer_cost.macs, batch);
	if (layer_int(e, A_normalize, 0)) {
		add_normalizing(e, eval_in(e, 0), eval_in(e, 0)->dims[x]);
		add_normalizing(e, eval_in(e, 1), eval_in(e, 1)->dims[y]);
	}
	return true;
}

/* ---- choosing ------------------------------------------------------------------- */

bool layer_cast(struct eval *e)
{
	if (!layer_start(e, 0))
		return false;
	e->out->dtype = (int16_t)layer_int(e, A_dtype, e->out->dtype);
	return true;
}

bool layer_one_hot(struct eval *e)
{
	struct lowering l;

	lower_begin(&l, e);
	lower_input(&l, *eval_in(e, 0));
	lower_ints(&l, (int64_t[]){layer_int(e, A_num_classes, -1)}, 1);
	lower_input(&l, tensor_make((int)layer_int(e, A_dtype, DT_FLOAT), NULL, 0));
	lower_attr_int(&l, A_axis, layer_int(e, A_axis, -1));
	return lower_run(&l, "OneHot");
}

/* Constant indices are not among the inputs. */
bool layer_take(struct eval *e)
{
	struct lowering l;

	if (e->n_in < 2)
		return layer_given(e);
	lower_begin(&l, e);
	lower_input(&l, *eval_in(e, 0));
	lower_input(&l, *eval_in(e, 1));
	lower_ints(&l, (int64_t[]){layer_int(e, A_axis, 0)}, 1);
	return lower_run(&l, "GatherV2") || layer_given(e);
}

/* key: for each part of x[…] its kind, start, stop and step. */
bool layer_get_item(struct eval *e)
{
	const struct op_attr *key = node_attr(e->graph, e->node, A_key);
	int64_t parts[3][TENSOR_MAX_RANK] = {{0}}, masks[5] = {0};
	static const enum attr_id ids[5] = {A_begin_mask, A_end_mask, A_shrink_axis_mask,
		A_new_axis_mask, A_ellipsis_mask};
	int n = key && key->kind == OP_INTS ? (int)(key->n / 4) : -1;
	struct lowering l;

	if (n < 0 || n > TENSOR_MAX_RANK)
		return layer_given(e);
	for (int i = 0; i < n; i++) {
		const int64_t *part = key->ints + 4 * i;

		for (int k = 0; k < 3; k++)
			parts[k][i] = part[1 + k] == KEY_OPEN ? 0 : part[1 + k];
		if (part[0] != KEY_SLICE || !parts[2][i])
			parts[2][i] = 1;
		masks[0] |= (int64_t)(part[0] == KEY_SLICE && part[1] == KEY_OPEN) << i;
		masks[1] |= (int64_t)(part[0] == KEY_SLICE && part[2] == KEY_OPEN) << i;
		masks[2] |= (int64_t)(part[0] == KEY_INDEX) << i;
		masks[3] |= (int64_t)(part[0] == KEY_NEW) << i;
		masks[4] |= (int64_t)(part[0] == KEY_REST) << i;
	}
	lower_begin(&l, e);
	lower_input(&l, *eval_in(e, 0));
	for (int k = 0; k < 3; k++)
		lower_ints(&l, parts[k], n);
	for (int k = 0; k < 5; k++)
		lower_attr_int(&l, ids[k], masks[k]);
	return lower_run(&l, "StridedSlice") || layer_given(e);
}
