/* Shapes of operations that only move data: reshaping, joining, splitting, padding. */
#include "count/ops.h"
#include "proto/fields.h"

static bool normalize_axis(int64_t *axis, int rank)
{
	if (*axis < 0)
		*axis += rank;
	return *axis >= 0 && *axis < rank;
}

/* A copy of the first input's shape and type, without its value. */
static bool start_like(struct eval *e, size_t input)
{
	if (!eval_outputs(e, 1))
		return false;
	*e->out = *eval_in(e, input);
	e->out->values = NULL;
	e->out->parameter = 0;
	return e->out->rank >= 0;
}

/* The elements are the same, in the same order. */
static void keep_values(struct eval *e, const struct tensor *in)
{
	if (in->values && tensor_elements(in) == tensor_elements(e->out))
		e->out->values = in->values;
}

/* ---- one tensor ----------------------------------------------------------------- */

static bool fill_in_dim(struct eval *e, const struct tensor *in)
{
	int64_t n = tensor_elements(in), known = 1;
	int open = -1;

	for (int d = 0; d < e->out->rank; d++)
		if (e->out->dims[d] >= 0)
			known = count_multiply(known, e->out->dims[d]);
		else if (open >= 0)
			return false;
		else
			open = d;
	if (open >= 0 && n >= 0 && known > 0) {
		if (n % known) {
			e->problem[0] = SPAN("reshape");
			return false;
		}
		e->out->dims[open] = n / known;
	} else if (open < 0 && n >= 0 && known != n) {
		e->problem[0] = SPAN("reshape");
		return false;
	}
	return true;
}

bool shape_reshape(struct eval *e)
{
	const struct tensor *in = eval_in(e, 0);
	int64_t dims[TENSOR_MAX_RANK];
	int rank = tensor_get_ints(eval_in(e, 1), dims, TENSOR_MAX_RANK);

	if (!eval_outputs(e, 1))
		return false;
	e->out->dtype = in->dtype;
	if (rank < 0)
		return false;
	*e->out = tensor_make(in->dtype, dims, rank);
	if (!fill_in_dim(e, in))
		return false;
	keep_values(e, in);
	return tensor_is_known(e->out);
}

bool shape_squeeze(struct eval *e)
{
	const struct tensor *in = eval_in(e, 0);
	int64_t axes[TENSOR_MAX_RANK];
	int n = node_ints(e->graph, e->node, A_squeeze_dims, axes, TENSOR_MAX_RANK);
	bool drop[TENSOR_MAX_RANK] = {false};

	if (!start_like(e, 0))
		return false;
	for (int i = 0; i < n; i++) {
		if (!normalize_axis(&axes[i], in->rank))
			return false;
		drop[axes[i]] = true;
	}
	e->out->rank = 0;
	for (int d = 0; d < in->rank; d++)
		if (n > 0 ? !drop[d] : in->dims[d] != 1)
			e->out->dims[e->out->rank++] = in->dims[d];
	keep_values(e, in);
	return true;
}

bool shape_expand_dims(struct eval *e)
{
	const struct tensor *in = eval_in(e, 0);
	int64_t axis;

	if (!start_like(e, 0) || !tensor_get_int(eval_in(e, 1), 0, &axis) ||
		!normalize_axis(&axis, in->rank + 1) || in->rank == TENSOR_MAX_RANK)
		return false;
	e->out->rank++;
	for (int d = in->rank; d > axis; d--)
		e->out->dims[d] = in->dims[d - 1];
	e->out->dims[axis] = 1;
	keep_values(e, in);
	return true;
}

bool shape_transpose(struct eval *e)
{
	const struct tensor *in = eval_in(e, 0);
	int64_t order[TENSOR_MAX_RANK];
	int n = tensor_get_ints(eval_in(e, 1), order, TENSOR_MAX_RANK);

	if (!start_like(e, 0) || n != in->rank)
		return false;
	for (int d = 0; d < n; d++) {
		if (!normalize_axis(&order[d], n))
			return false;
		e->out->dims[d] = in->dims[order[d]];
	}
	return true;
}

bool shape_tile(struct eval *e)
{
	const struct tensor *in = eval_in(e, 0);
	int64_t times[TENSOR_MAX_RANK];

	if (!start_like(e, 0) || tensor_get_ints(eval_in(e, 1), times, TENSOR_MAX_RANK) != in->rank)
		return false;
	for (int d = 0; d < in->rank; d++)
		if (in->dims[d] >= 0)
			e->out->dims[d] = times[d] < 0 ? -1 : count_multiply(in->dims[d], times[d]);
	return true;
}

bool shape_broadcast_to(struct eval *e)
{
	int64_t dims[TENSOR_MAX_RANK];
	int rank = tensor_get_ints(eval_in(e, 1), dims, TENSOR_MAX_RANK);

	if (!eval_outputs(e, 1) || rank < 0)
		return false;
	*e->out = tensor_make(eval_in(e, 0)->dtype, dims, rank);
	return true;
}

bool shape_pad(struct eval *e)
{
	const struct tensor *in = eval_in(e, 0);
	int64_t pads[2 * TENSOR_MAX_RANK];

	if (!start_like(e, 0) ||
		tensor_get_ints(eval_in(e, 1), pads, 2 * TENSOR_MAX_RANK) != 2 * in->rank)
		return false;
	for (int d = 0; d < in->rank; d++)
		if (in->dims[d] >= 0)
			e->out->dims[d] =
				count_add(in->dims[d], count_add(pads[2 * d], pads[2 * d + 1]));
	return tensor_is_known(e->out) || !tensor_is_known(in);
}

/* ---- joining -------------------------------------------------------------------- */

bool shape_pack(struct eval *e)
{
	const struct tensor *in = eval_in(e, 0);
	int64_t axis = node_int(e->graph, e->node, A_axis, 0);
	union number *to;

	if (!start_like(e, 0) || !normalize_axis(&axis, in->rank + 1) ||
		in->rank == TENSOR_MAX_RANK)
		return false;
	e->out->rank++;
	for (int d = in->rank; d > axis; d--)
		e->out->dims[d] = in->dims[d - 1];
	e->out->dims[axis] = (int64_t)e->n_in;
	for (size_t i = 0; i < e->n_in; i++)
		if (!e->in[i]->values || e->in[i]->rank != 0)
			return true;
	to = eval_values(e, e->out);
	for (size_t i = 0; to && i < e->n_in; i++)
		to[i] = e->in[i]->values[0];
	return true;
}

static void concat_values(struct eval *e, size_t first, size_t n)
{
	union number *to;
	size_t at = 0;

	for (size_t i = first; i < first + n; i++)
		if (!e->in[i]->values || e->in[i]->rank != 1)
			return;
	to = eval_values(e, e->out);
	for (size_t i = first; to && i < first + n; i++)
		for (int64_t k = 0; k < e->in[i]->dims[0]; k++)
			to[at++] = e->in[i]->values[k];
}

bool shape_join(struct eval *e, size_t first, size_t n, int64_t axis)
{
	int64_t size = 0;

	if (!n || !start_like(e, first) || !normalize_axis(&axis, e->out->rank))
		return false;
	for (size_t i = first; i < first + n; i++) {
		const struct tensor *in = e->in[i];

		if (in->rank != e->out->rank || in->dims[axis] < 0)
			return false;
		size = count_add(size, in->dims[axis]);
		for (int d = 0; d < in->rank; d++)
			if (e->out->dims[d] < 0)
				e->out->dims[d] = in->dims[d];
	}
	e->out->dims[axis] = size;
	concat_values(e, first, n);
	return true;
}

bool shape_concat(struct eval *e)
{
	int64_t axis;

	return e->n_in && tensor_get_int(e->in[0], 0, &axis) && shape_join(e, 1, e->n_in - 1, axis);
}

bool shape_concat_v2(struct eval *e)
{
	int64_t axis;

	return e->n_in && tensor_get_int(e->in[e->n_in - 1], 0, &axis) &&
		shape_join(e, 0, e->n_in - 1, axis);
}

/* ---- splitting ------------------------------------------------------------------ */

bool shape_unpack(struct eval *e)
{
	const struct tensor *in = eval_in(e, 0);
	int64_t axis = node_int(e->graph, e->node, A_axis, 0);
	int64_t n = node_int(e->graph, e->node, A_num, -1);

	if (n < 0 || !eval_outputs(e, (size_t)n) || !normalize_axis(&axis, in->rank))
		return false;
	for (int64_t i = 0; i < n; i++) {
		struct tensor *out = &e->out[i];

		out->rank = 0;
		for (int d = 0; d < in->rank; d++)
			if (d != axis)
				out->dims[out->rank++] = in->dims[d];
		if (in->values && in->rank == 1 && i < in->dims[0])
			out->values = &in->values[i];
	}
	return true;
}

static bool split(struct eval *e, const struct tensor *in, const struct tensor *axis_in,
	const struct tensor *sizes)
{
	int64_t n = node_int(e->graph, e->node, A_num_split, -1), axis, at[256], left;
	int open = -1;

	if (n < 1 || n > 65536 || !eval_outputs(e, (size_t)n))
		return false;
	for (int64_t i = 0; i < n; i++)
		e->out[i].dtype = in->dtype;
	if (in->rank < 0 || !tensor_get_int(axis_in, 0, &axis) || !normalize_axis(&axis, in->rank))
		return false;
	if (sizes && tensor_get_ints(sizes, at, 256) != n)
		return false;
	left = in->dims[axis];
	for (int64_t i = 0; sizes && i < n; i++)
		if (at[i] < 0)
			open = (int)i;
		else
			left -= at[i];
	if (open >= 0)
		at[open] = left;
	for (int64_t i = 0; i < n; i++) {
		e->out[i] = *in;
		e->out[i].values = NULL;
		e->out[i].parameter = 0;
		e->out[i].dims[axis] = sizes ? at[i] : in->dims[axis] < 0 ? -1 : in->dims[axis] / n;
	}
	return true;
}

bool shape_split(struct eval *e)
{
	return split(e, eval_in(e, 1), eval_in(e, 0), NULL);
}

bool shape_split_v(struct eval *e)
{
	return split(e, eval_in(e, 0), eval_in(e, 2), eval_in(e, 1));
}

/* ---- space and batch ------------------------------------------------------------ */

/* Block sizes of the spatial dimensions, and padding or crops. */
static bool blocks(struct eval *e, int64_t *block, int64_t *edges, int *n)
{
	*n = tensor_get_ints(eval_in(e, 1), block, TENSOR_MAX_RANK);
	if (!start_like(e, 0) || *n < 0 || *n >= e->out->rank ||
		tensor_get_ints(eval_in(e, 2), edges, 2 * TENSOR_MAX_RANK) != 2 * *n)
		return false;
	for (int i = 0; i < *n; i++)
		if (block[i] < 1)
			return false;
	return tensor_is_known(e->out);
}

bool shape_space_to_batch(struct eval *e)
{
	int64_t block[TENSOR_MAX_RANK], pads[2 * TENSOR_MAX_RANK];
	int n;

	if (!blocks(e, block, pads, &n))
		return false;
	for (int i = 0; i < n; i++) {
		e->out->dims[0] = count_multiply(e->out->dims[0], block[i]);
		e->out->dims[i + 1] =
			count_add(e->out->dims[i + 1], count_add(pads[2 * i], pads[2 * i + 1])) /
			block[i];
	}
	return true;
}

bool shape_batch_to_space(struct eval *e)
{
	int64_t block[TENSOR_MAX_RANK], crops[2 * TENSOR_MAX_RANK];
	int n;

	if (!blocks(e, block, crops, &n))
		return false;
	for (int i = 0; i < n; i++) {
		e->out->dims[0] /= block[i];
		e->out->dims[i + 1] = count_multiply(e->out->dims[i + 1], block[i]);
		e->out->dims[i + 1] = e->out->dims[i + 1] - crops[2 * i] - crops[2 * i + 1];
		if (e->out->dims[i + 1] < 0)
			return false;
	}
	return true;
}

static bool blocks_of_depth(struct eval *e, bool to_depth)
{
	int64_t block = node_int(e->graph, e->node, A_block_size, 0);
	struct layout l = layout_get(e, 2);
	int64_t *dims;

	if (!start_like(e, 0) || e->out->rank != 4 || block < 1 || block > 65536)
		return false;
	dims = e->out->dims;
	for (int i = 0; i < 2; i++)
		if (dims[l.first + i] >= 0)
			dims[l.first + i] = to_depth ? dims[l.first + i] / block
						     : count_multiply(dims[l.first + i], block);
	if (dims[l.channel] >= 0)
		dims[l.channel] = to_depth ? count_multiply(dims[l.channel], block * block)
					   : dims[l.channel] / (block * block);
	return true;
}

bool shape_space_to_depth(struct eval *e)
{
	return blocks_of_depth(e, true);
}

bool shape_depth_to_space(struct eval *e)
{
	return blocks_of_depth(e, false);
}
