/* Shapes of operations that pick parts of a tensor. */
#include "count/ops.h"
#include "proto/fields.h"

/* ---- StridedSlice --------------------------------------------------------------- */

struct slice_spec {
	int64_t begin[32], end[32], strides[32];
	int n;
	uint64_t begin_mask, end_mask, ellipsis, new_axis, shrink;
};

static bool read_spec(const struct eval *e, struct slice_spec *s)
{
	s->n = tensor_get_ints(eval_in(e, 3), s->strides, 32);
	s->begin_mask = (uint64_t)node_int(e->graph, e->node, A_begin_mask, 0);
	s->end_mask = (uint64_t)node_int(e->graph, e->node, A_end_mask, 0);
	s->ellipsis = (uint64_t)node_int(e->graph, e->node, A_ellipsis_mask, 0);
	s->new_axis = (uint64_t)node_int(e->graph, e->node, A_new_axis_mask, 0);
	s->shrink = (uint64_t)node_int(e->graph, e->node, A_shrink_axis_mask, 0);
	if (s->n < 0) {
		/* Even if the strides are unknown, their number gives the rank. */
		const struct tensor *strides = eval_in(e, 3);

		s->n = strides->rank == 1 && strides->dims[0] >= 0 && strides->dims[0] <= 32
			? (int)strides->dims[0]
			: -1;
		for (int i = 0; i < s->n; i++)
			s->strides[i] = 0;
	}
	return s->n >= 0;
}

static int64_t clamp(int64_t at, int64_t size, int64_t stride)
{
	int64_t low = stride > 0 ? 0 : -1, high = stride > 0 ? size : size - 1;

	if (at < 0)
		at = at < -size ? -1 : at + size;
	return at < low ? low : at > high ? high : at;
}

/* One dimension: where it starts and how many elements remain; -1 if that is unknown. */
static int64_t slice_dim(const struct slice_spec *s, int i, bool known_begin, bool known_end,
	int64_t size, int64_t *start)
{
	int64_t stride = s->strides[i], begin, end;

	*start = -1;
	if (size < 0 || !stride)
		return -1;
	if (s->shrink >> i & 1) {
		if (known_begin)
			*start = s->begin[i] < 0 ? s->begin[i] + size : s->begin[i];
		return 1;
	}
	if ((!known_begin && !(s->begin_mask >> i & 1)) || (!known_end && !(s->end_mask >> i & 1)))
		return -1;
	begin = s->begin_mask >> i & 1 ? (stride > 0 ? 0 : size - 1)
				       : clamp(s->begin[i], size, stride);
	end = s->end_mask >> i & 1 ? (stride > 0 ? size : -1) : clamp(s->end[i], size, stride);
	*start = begin;
	if (stride > 0)
		return end > begin ? (end - begin - 1) / stride + 1 : 0;
	if (stride == INT64_MIN)
		return begin > end;
	return begin > end ? (begin - end - 1) / -stride + 1 : 0;
}

/* The value of a slice of a vector, usually of a shape. */
static void slice_vector(struct eval *e, const struct tensor *in, int64_t start, int64_t stride)
{
	int64_t n = tensor_elements(e->out);
	union number *to;

	if (!in->values || in->rank != 1 || start < 0 || n < 0 || e->out->rank > 1)
		return;
	to = eval_values(e, e->out);
	for (int64_t i = 0; to && i < n; i++) {
		int64_t at = start + i * stride;

		if (at < 0 || at >= in->dims[0]) {
			e->out->values = NULL;
			return;
		}
		to[i] = in->values[at];
	}
}

bool shape_strided_slice(struct eval *e)
{
	const struct tensor *in = eval_in(e, 0);
	struct slice_spec s = {.n = 0};
	int64_t first = -1, unused;
	bool known_begin, known_end;
	int at = 0, n_new = 0;

	if (!eval_outputs(e, 1))
		return false;
	e->out->dtype = in->dtype;
	if (in->rank < 0 || !read_spec(e, &s))
		return false;
	known_begin = tensor_get_ints(eval_in(e, 1), s.begin, 32) == s.n;
	known_end = tensor_get_ints(eval_in(e, 2), s.end, 32) == s.n;
	e->out->rank = 0;
	for (int i = 0; i < s.n; i++)
		n_new += !(s.ellipsis >> i & 1) && (s.new_axis >> i & 1);
	for (int i = 0; i <= s.n; i++) {
		bool ellipsis = i == s.n || (s.ellipsis >> i & 1);
		int rest = 0, until;
		int64_t size;

		/* What follows an ellipsis applies to the last dimensions. */
		for (int k = i + 1; k < s.n; k++)
			rest += !(s.new_axis >> k & 1);
		if (ellipsis) {
			until = i == s.n ? in->rank : in->rank - rest;
			for (; at < until && e->out->rank < TENSOR_MAX_RANK; at++)
				e->out->dims[e->out->rank++] = in->dims[at];
			continue;
		}
		if (e->out->rank == TENSOR_MAX_RANK)
			return false;
		if (s.new_axis >> i & 1) {
			e->out->dims[e->out->rank++] = 1;
			continue;
		}
		if (at >= in->rank)
			return false;
		size = slice_dim(&s, i, known_begin, known_end, in->dims[at],
			at ? &unused : &first);
		if (!(s.shrink >> i & 1))
			e->out->dims[e->out->rank++] = size;
		at++;
	}
	if (s.n == 1 && !n_new)
		slice_vector(e, in, first, s.strides[0]);
	return true;
}

/* ---- others --------------------------------------------------------------------- */

bool shape_slice(struct eval *e)
{
	const struct tensor *in = eval_in(e, 0);
	int64_t begin[TENSOR_MAX_RANK], size[TENSOR_MAX_RANK];
	int n = tensor_get_ints(eval_in(e, 2), size, TENSOR_MAX_RANK);
	bool known = tensor_get_ints(eval_in(e, 1), begin, TENSOR_MAX_RANK) == in->rank;

	if (!eval_outputs(e, 1) || in->rank < 0)
		return false;
	*e->out = *in;
	e->out->values = NULL;
	e->out->parameter = 0;
	for (int d = 0; d < in->rank; d++)
		if (n == in->rank && size[d] >= 0)
			e->out->dims[d] = size[d];
		else
			e->out->dims[d] = n == in->rank && known && in->dims[d] >= begin[d]
				? in->dims[d] - begin[d]
				: -1;
	if (known && in->rank == 1)
		slice_vector(e, in, begin[0], 1);
	return n == in->rank;
}

bool shape_gather(struct eval *e)
{
	const struct tensor *in = eval_in(e, 0), *indices = eval_in(e, 1);
	int64_t axis = node_int(e->graph, e->node, A_axis, 0);
	int64_t batch = node_int(e->graph, e->node, A_batch_dims, 0);
	int rank;

	if (!eval_outputs(e, 1) || in->rank < 1 || indices->rank < 0)
		return false;
	if (e->n_in > 2 && !tensor_get_int(e->in[2], 0, &axis))
		return false;
	axis += axis < 0 ? in->rank : 0;
	batch += batch < 0 ? indices->rank : 0;
	rank = in->rank - 1 + indices->rank - (int)batch;
	if (axis < 0 || axis >= in->rank || batch < 0 || batch > axis || batch > indices->rank ||
		rank > TENSOR_MAX_RANK)
		return false;
	if (node_attr(e->graph, e->node, A_dtype))
		e->out->dtype = (int16_t)node_int(e->graph, e->node, A_dtype, 0);
	e->out->rank = 0;
	for (int d = 0; d < axis; d++)
		e->out->dims[e->out->rank++] = in->dims[d];
	for (int d = (int)batch; d < indices->rank; d++)
		e->out->dims[e->out->rank++] = indices->dims[d];
	for (int d = (int)axis + 1; d < in->rank; d++)
		e->out->dims[e->out->rank++] = in->dims[d];
	if (in->values && indices->values && in->rank == 1 && indices->rank <= 1) {
		int64_t n = tensor_elements(e->out), at;
		union number *to = eval_values(e, e->out);

		for (int64_t i = 0; to && i < n; i++) {
			if (!tensor_get_int(indices, (size_t)i, &at) || at < 0 ||
				at >= in->dims[0]) {
				e->out->values = NULL;
				break;
			}
			to[i] = in->values[at];
		}
	}
	return true;
}

bool shape_gather_nd(struct eval *e)
{
	const struct tensor *in = eval_in(e, 0), *indices = eval_in(e, 1);
	int64_t depth = indices->rank > 0 ? indices->dims[indices->rank - 1] : -1;

	if (!eval_outputs(e, 1) || in->rank < 0 || depth < 0 || depth > in->rank ||
		indices->rank - 1 + in->rank - depth > TENSOR_MAX_RANK)
		return false;
	e->out->rank = 0;
	for (int d = 0; d + 1 < indices->rank; d++)
		e->out->dims[e->out->rank++] = indices->dims[d];
	for (int d = (int)depth; d < in->rank; d++)
		e->out->dims[e->out->rank++] = in->dims[d];
	return true;
}

bool shape_one_hot(struct eval *e)
{
	const struct tensor *in = eval_in(e, 0);
	int64_t axis = node_int(e->graph, e->node, A_axis, -1), depth;

	if (!eval_outputs(e, 1))
		return false;
	e->out->dtype = eval_in(e, 2)->dtype;
	if (in->rank < 0 || in->rank == TENSOR_MAX_RANK ||
		!tensor_get_int(eval_in(e, 1), 0, &depth))
		return false;
	axis += axis < 0 ? in->rank + 1 : 0;
	if (axis < 0 || axis > in->rank || depth < 0)
		return false;
	e->out->rank = 0;
	for (int d = 0; d <= in->rank; d++)
		e->out->dims[e->out->rank++] = d == axis ? depth : in->dims[d - (d > axis)];
	return true;
}

bool shape_top_k(struct eval *e)
{
	const struct tensor *in = eval_in(e, 0);
	int64_t k = node_int(e->graph, e->node, A_k, -1);

	if (!eval_outputs(e, 2))
		return false;
	e->out[1].dtype = DT_INT32;
	if (in->rank < 1 || (e->n_in > 1 && !tensor_get_int(e->in[1], 0, &k)) || k < 0)
		return false;
	for (int i = 0; i < 2; i++) {
		int16_t dtype = e->out[i].dtype;

		e->out[i] = tensor_make(dtype, in->dims, in->rank);
		e->out[i].dims[in->rank - 1] = k;
	}
	return true;
}

/* How many rows there are depends on the data. */
bool shape_where(struct eval *e)
{
	if (!eval_outputs(e, 1))
		return false;
	e->out->dtype = DT_INT64;
	e->out->rank = 2;
	e->out->dims[0] = -1;
	e->out->dims[1] = eval_in(e, 0)->rank;
	return eval_in(e, 0)->rank >= 0;
}

bool shape_unique(struct eval *e)
{
	if (!eval_outputs(e, 3))
		return false;
	e->out[0].rank = 1;
	e->out[0].dims[0] = -1;
	e->out[1] = tensor_make(DT_INT32, eval_in(e, 0)->dims, eval_in(e, 0)->rank);
	return true;
}

/* From n vectors of indices and n of data: the largest index + 1 rows. */
bool shape_dynamic_stitch(struct eval *e)
{
	size_t n = e->n_in / 2;
	int64_t most = -1, at;

	if (!eval_outputs(e, 1) || !n)
		return false;
	for (size_t i = 0; i < n; i++) {
		int64_t count = e->in[i]->values ? tensor_elements(e->in[i]) : -1;

		if (count < 0)
			return false;
		for (int64_t k = 0; k < count; k++)
			if (tensor_get_int(e->in[i], (size_t)k, &at) && at > most)
				most = at;
	}
	e->out->dtype = e->in[n]->dtype;
	if (e->in[n]->rank < e->in[0]->rank || most > INT32_MAX)
		return false;
	e->out->rank = (int8_t)(1 + e->in[n]->rank - e->in[0]->rank);
	e->out->dims[0] = most + 1;
	for (int d = 1; d < e->out->rank; d++)
		e->out->dims[d] = e->in[n]->dims[e->in[0]->rank + d - 1];
	return true;
}

bool shape_rfft(struct eval *e)
{
	const struct tensor *in = eval_in(e, 0);
	int64_t length;

	if (!eval_outputs(e, 1) || in->rank < 1 || !tensor_get_int(eval_in(e, 1), 0, &length))
		return false;
	*e->out = tensor_make(DT_COMPLEX64, in->dims, in->rank);
	e->out->dims[in->rank - 1] = length < 0 ? -1 : length / 2 + 1;
	return true;
}
