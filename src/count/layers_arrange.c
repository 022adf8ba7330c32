/* Layers and operations of keras.ops that only rearrange. Their arguments become the constant
 * inputs of TensorFlow's operations; constants that a model passes are not among a layer's inputs,
 * and then the file has the shape. */
#include "count/layers.h"
#include "count/lower.h"

/* An operation on the first input, with one constant input. */
static bool lower_with(struct eval *e, const char *op, const int64_t *at, int n)
{
	struct lowering l;

	lower_begin(&l, e);
	lower_input(&l, *eval_in(e, 0));
	lower_ints(&l, at, n);
	return lower_run(&l, op);
}

/* The numbers of an attribute; -1 if it is absent or has too many. */
static int numbers_of(const struct eval *e, enum attr_id id, int64_t *at, int max)
{
	const struct op_attr *attr = node_attr(e->graph, e->node, id);

	if (attr && attr->kind == OP_INT && max > 0) {
		at[0] = attr->number;
		return 1;
	}
	return attr ? node_ints(e->graph, e->node, id, at, max) : -1;
}

/* ---- shapes --------------------------------------------------------------------- */

/* A shape in which one size may be -1. */
static bool reshape(struct eval *e, const int64_t *dims, int n)
{
	return lower_with(e, "Reshape", dims, n);
}

bool layer_flatten(struct eval *e)
{
	const struct tensor *in = eval_in(e, 0);

	return in->rank > 0 && reshape(e, (int64_t[]){in->dims[0], -1}, 2);
}

bool layer_ravel(struct eval *e)
{
	return reshape(e, (int64_t[]){-1}, 1);
}

/* target_shape is without the batch; newshape, of keras.ops, has it. */
bool layer_reshape(struct eval *e)
{
	int64_t dims[TENSOR_MAX_RANK];
	int n = numbers_of(e, A_target_shape, dims + 1, TENSOR_MAX_RANK - 1);

	dims[0] = eval_in(e, 0)->rank > 0 ? eval_in(e, 0)->dims[0] : -1;
	if (n >= 0)
		return dims[0] >= 0 && reshape(e, dims, n + 1);
	n = numbers_of(e, A_newshape, dims, TENSOR_MAX_RANK);
	return (n >= 0 && reshape(e, dims, n)) || layer_given(e);
}

bool layer_expand_dims(struct eval *e)
{
	return lower_with(e, "ExpandDims", (int64_t[]){layer_int(e, A_axis, 0)}, 1) ||
		layer_given(e);
}

bool layer_squeeze(struct eval *e)
{
	int64_t axes[TENSOR_MAX_RANK];
	int n = numbers_of(e, A_axis, axes, TENSOR_MAX_RANK);
	struct lowering l;

	lower_begin(&l, e);
	lower_input(&l, *eval_in(e, 0));
	if (n > 0)
		lower_attr_ints(&l, A_squeeze_dims, axes, n);
	return lower_run(&l, "Squeeze") || layer_given(e);
}

bool layer_broadcast_to(struct eval *e)
{
	int64_t dims[TENSOR_MAX_RANK];
	int n = numbers_of(e, A_shape, dims, TENSOR_MAX_RANK);

	return (n >= 0 && lower_with(e, "BroadcastTo", dims, n)) || layer_given(e);
}

/* ---- order ---------------------------------------------------------------------- */

static bool transpose(struct eval *e, const int64_t *order)
{
	return lower_with(e, "Transpose", order, eval_in(e, 0)->rank);
}

/* The order in which the axes are now. Returns how many. */
static int number_axes(const struct eval *e, int64_t *order)
{
	int rank = eval_in(e, 0)->rank;

	for (int d = 0; d < rank; d++)
		order[d] = d;
	return rank;
}

/* axes: the order; without it, the reverse. */
bool layer_transpose(struct eval *e)
{
	int64_t order[TENSOR_MAX_RANK];
	int rank = number_axes(e, order);

	for (int d = 0; d < rank; d++)
		order[d] = layer_int_at(e, A_axes, d, rank - 1 - d);
	return (rank >= 0 && transpose(e, order)) || layer_given(e);
}

/* dims: the order of the dimensions but the batch, from 1. */
bool layer_permute(struct eval *e)
{
	int64_t order[TENSOR_MAX_RANK];
	int rank = number_axes(e, order);

	for (int d = 1; d < rank; d++) {
		order[d] = layer_int_at(e, A_dims, d - 1, -1);
		if (order[d] < 1)
			return false;
	}
	return rank > 0 && transpose(e, order);
}

bool layer_swap_axes(struct eval *e)
{
	int64_t order[TENSOR_MAX_RANK];
	int rank = number_axes(e, order);
	int a = layer_axis_in(layer_int(e, A_axis1, -1), rank);
	int b = layer_axis_in(layer_int(e, A_axis2, -2), rank);

	if (a < 0 || b < 0)
		return layer_given(e);
	order[a] = b;
	order[b] = a;
	return transpose(e, order) || layer_given(e);
}

bool layer_move_axis(struct eval *e)
{
	const struct op_attr *many = node_attr(e->graph, e->node, A_source);
	int64_t order[TENSOR_MAX_RANK];
	int rank = number_axes(e, order);
	int from = layer_axis_in(layer_int(e, A_source, 0), rank);
	int to = layer_axis_in(layer_int(e, A_destination, 0), rank);

	if (from < 0 || to < 0 || (many && many->kind == OP_INTS && many->n > 1))
		return layer_given(e);
	for (int step = from < to ? 1 : -1; from != to; from += step) {
		int64_t next = order[from + step];

		order[from + step] = order[from];
		order[from] = next;
	}
	return transpose(e, order) || layer_given(e);
}

/* ---- sizes ---------------------------------------------------------------------- */

/* Adds `sign` times what is given per side: [[1, 2], [0, 1]] comes as 1, 2, 0, 1. */
static bool add_edges(struct eval *e, enum attr_id id, int sign)
{
	struct layout at = layer_layout(e, e->rule->factor);
	int64_t edges[2 * TENSOR_MAX_RANK] = {0}, given[6];
	int rank = at.n_spatial + 2, n = numbers_of(e, id, given, 6);

	if (eval_in(e, 0)->rank != rank || n < 1)
		return false;
	for (int i = 0; i < 2 * at.n_spatial; i++)
		edges[2 * at.first + i] =
			sign * (n == 2 * at.n_spatial ? given[i] : layer_int_at(e, id, i / 2, 0));
	return lower_with(e, "Pad", edges, 2 * rank);
}

bool layer_zero_padding(struct eval *e)
{
	return add_edges(e, A_padding, 1);
}

bool layer_cropping(struct eval *e)
{
	return add_edges(e, A_cropping, -1);
}

/* pad_width: before and after, for each axis. */
bool layer_pad(struct eval *e)
{
	int64_t width[2 * TENSOR_MAX_RANK];
	int n = numbers_of(e, A_pad_width, width, 2 * TENSOR_MAX_RANK);

	return (n == 2 * eval_in(e, 0)->rank && lower_with(e, "Pad", width, n)) || layer_given(e);
}

/* Axes that the input does not have are of size 1, and come first. */
static bool tile(struct eval *e, const int64_t *times, int n)
{
	struct tensor in = *eval_in(e, 0);
	int64_t all[TENSOR_MAX_RANK];
	struct lowering l;

	while (in.rank >= 0 && in.rank < n)
		if (!layer_insert_axis(&in, 0, 1))
			return false;
	for (int d = 0; d < in.rank; d++)
		all[d] = d < in.rank - n ? 1 : times[d - (in.rank - n)];
	if (in.rank < 0)
		return false;
	lower_begin(&l, e);
	lower_input(&l, in);
	lower_ints(&l, all, in.rank);
	return lower_run(&l, "Tile");
}

bool layer_tile(struct eval *e)
{
	int64_t times[TENSOR_MAX_RANK];
	int n = numbers_of(e, A_repeats, times, TENSOR_MAX_RANK);

	return (n >= 0 && tile(e, times, n)) || layer_given(e);
}

bool layer_repeat(struct eval *e)
{
	const struct op_attr *repeats = node_attr(e->graph, e->node, A_repeats);
	int64_t times[TENSOR_MAX_RANK] = {1, 1, 1, 1, 1, 1, 1, 1};
	int rank = eval_in(e, 0)->rank, axis = layer_axis_in(layer_int(e, A_axis, -1), rank);

	if (!node_attr(e->graph, e->node, A_axis) || !repeats || repeats->kind != OP_INT ||
		axis < 0)
		return layer_given(e);
	times[axis] = repeats->number;
	return tile(e, times, rank);
}

bool layer_repeat_vector(struct eval *e)
{
	const struct tensor *in = eval_in(e, 0);

	return in->rank == 2 &&
		lower_with(e, "BroadcastTo",
			(int64_t[]){in->dims[0], layer_int(e, A_n, -1), in->dims[1]}, 3);
}

/* ---- pictures ------------------------------------------------------------------- */

/* Adds what computing an element from its neighbours costs. */
static void interpolate(struct eval *e)
{
	struct span how = node_text(e->graph, e->node, A_interpolation);

	if (span_equal(how, SPAN("bilinear")))
		lower_elementwise(e, "ResizeBilinear");
	else if (span_equal(how, SPAN("bicubic")))
		lower_elementwise(e, "ResizeBicubic");
	else if (how.n && !span_equal(how, SPAN("nearest")))
		lower_elementwise(e, "ResizeArea");
}

bool layer_up_sampling(struct eval *e)
{
	struct layout at = layer_layout(e, e->rule->factor);
	int64_t times[TENSOR_MAX_RANK] = {1, 1, 1, 1, 1, 1, 1, 1};

	for (int i = 0; i < at.n_spatial; i++)
		times[at.first + i] = layer_int_at(e, A_size, i, 2);
	if (eval_in(e, 0)->rank != at.n_spatial + 2 || !tile(e, times, at.n_spatial + 2))
		return false;
	interpolate(e);
	return true;
}

/* Crops have a factor of 0. */
bool layer_resizing(struct eval *e)
{
	struct layout l = layer_layout(e, 2);

	if (!layer_start(e, 0) || e->out->rank != 4)
		return false;
	e->out->dims[l.first] = layer_int(e, A_height, layer_int_at(e, A_size, 0, -1));
	e->out->dims[l.first + 1] = layer_int(e, A_width, layer_int_at(e, A_size, 1, -1));
	if (e->rule->factor)
		interpolate(e);
	return tensor_is_known(e->out);
}

/* ---- joining and splitting ------------------------------------------------------ */

/* An operation on all inputs along an axis. */
static bool lower_along(struct eval *e, const char *op, int64_t n)
{
	struct lowering l;

	lower_begin(&l, e);
	l.takes_all = true;
	lower_attr_int(&l, A_axis, layer_int(e, A_axis, 0));
	lower_attr_int(&l, A_num, n);
	return lower_run(&l, op);
}

bool layer_concatenate(struct eval *e)
{
	return shape_join(e, 0, e->n_in, layer_int(e, A_axis, -1));
}

bool layer_stack(struct eval *e)
{
	return lower_along(e, "Pack", 0) || layer_given(e);
}

bool layer_unstack(struct eval *e)
{
	const struct tensor *in = eval_in(e, 0);
	int axis = layer_axis_in(layer_int(e, A_axis, 0), in->rank);

	return axis >= 0 && in->dims[axis] > 0 && lower_along(e, "Unpack", in->dims[axis]);
}

/* n results of equal shape, or the parts between the given borders. */
bool layer_split(struct eval *e)
{
	const struct op_attr *parts = node_attr(e->graph, e->node, A_indices_or_sections);
	bool has_borders = parts && parts->kind == OP_INTS;
	int64_t n = has_borders ? parts->n + 1 : layer_int(e, A_indices_or_sections, -1);
	const struct tensor *in = eval_in(e, 0);
	int axis = layer_axis_in(layer_int(e, A_axis, 0), in->rank);
	int64_t sizes[LOWER_MAX_NUMBERS - 1], from = 0;
	struct lowering l;

	if (axis < 0 || n < 1 || (has_borders && n >= LOWER_MAX_NUMBERS))
		return false;
	for (int64_t i = 0; has_borders && i < n; i++) {
		int64_t to = i + 1 < n ? parts->ints[i] : in->dims[axis];

		sizes[i] = to - from;
		from = to;
		if (sizes[i] < 0)
			return false;
	}
	lower_begin(&l, e);
	if (has_borders)
		lower_input(&l, *in);
	lower_ints(&l, has_borders ? sizes : (int64_t[]){axis}, has_borders ? (int)n : 1);
	if (has_borders)
		lower_ints(&l, (int64_t[]){axis}, 1);
	else
		lower_input(&l, *in);
	lower_attr_int(&l, A_num_split, n);
	return lower_run(&l, has_borders ? "SplitV" : "Split");
}
