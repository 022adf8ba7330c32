/* Shapes of convolutions, pools and other windows. */
#include "count/ops.h"
#include "count/window.h"
#include "proto/fields.h"

struct layout layout_get(const struct eval *e, int n_spatial)
{
	struct span format = node_text(e->graph, e->node, A_data_format);
	bool channels_first = span_starts(format, SPAN("NC"));

	return (struct layout){n_spatial, channels_first ? 2 : 1,
		channels_first ? 1 : n_spatial + 1};
}

int64_t window_size(int64_t in, int64_t kernel, int64_t stride, int64_t dilation,
	enum window_padding padding, int64_t before, int64_t after)
{
	int64_t reach;

	if (in < 0 || kernel < 0 || stride < 1 || dilation < 1)
		return -1;
	if (padding == WINDOW_SAME)
		return in / stride + (in % stride != 0);
	reach = count_add(count_multiply(kernel > 0 ? kernel - 1 : 0, dilation), 1);
	if (padding == WINDOW_EXPLICIT)
		in = count_add(in, count_add(before, after));
	return in < reach ? 0 : (in - reach) / stride + 1;
}

static enum window_padding padding_of(const struct eval *e)
{
	struct span padding = node_text(e->graph, e->node, A_padding);

	if (span_equal(padding, SPAN("SAME")))
		return WINDOW_SAME;
	return span_equal(padding, SPAN("EXPLICIT")) ? WINDOW_EXPLICIT : WINDOW_VALID;
}

/* An attribute with a number per dimension; all 1 if it is absent. */
static void per_dimension(const struct eval *e, enum attr_id id, int64_t *at, int rank)
{
	if (node_ints(e->graph, e->node, id, at, rank) == rank)
		return;
	for (int i = 0; i < rank; i++)
		at[i] = 1;
}

/* The result's spatial dimensions; `kernel` has one size for each. */
static bool slide(struct eval *e, const struct layout *l, const int64_t *kernel)
{
	const struct tensor *in = eval_in(e, 0);
	int rank = l->n_spatial + 2;
	int64_t strides[8], dilations[8], pads[16] = {0};
	enum window_padding padding = padding_of(e);
	bool known = true;

	per_dimension(e, A_strides, strides, rank);
	per_dimension(e, A_dilations, dilations, rank);
	if (padding == WINDOW_EXPLICIT)
		node_ints(e->graph, e->node, A_explicit_paddings, pads, 16);
	e->out->rank = (int8_t)rank;
	e->out->dims[0] = in->dims[0];
	for (int i = 0; i < l->n_spatial; i++) {
		int d = l->first + i;

		e->out->dims[d] = window_size(in->dims[d], kernel[i], strides[d], dilations[d],
			padding, pads[2 * d], pads[2 * d + 1]);
		known &= e->out->dims[d] >= 0;
	}
	return known;
}

struct tensor window_filter(const struct eval *e, bool is_transposed)
{
	struct tensor filter = *eval_in(e, 1), given = filter;

	if (filter.rank != 4 || !node_int(e->graph, e->node, A_output_first, 0))
		return filter;
	filter.dims[0] = given.dims[1];
	filter.dims[1] = given.dims[2];
	filter.dims[2] = given.dims[is_transposed ? 0 : 3];
	filter.dims[3] = given.dims[is_transposed ? 3 : 0];
	return filter;
}

bool shape_conv(struct eval *e)
{
	const struct tensor *in = eval_in(e, 0);
	struct tensor filter = window_filter(e, false);
	int n_spatial = in->rank - 2;
	struct layout l = layout_get(e, n_spatial);

	if (!eval_outputs(e, 1) || n_spatial < 1 || n_spatial > 3 || filter.rank != in->rank)
		return false;
	if (!slide(e, &l, filter.dims))
		return false;
	e->out->dims[l.channel] = filter.dims[n_spatial + 1];
	return true;
}

bool shape_depthwise(struct eval *e)
{
	const struct tensor *in = eval_in(e, 0);
	struct tensor filter = window_filter(e, false);
	int n = in->rank - 2;
	struct layout l = layout_get(e, n);

	if (!eval_outputs(e, 1) || n < 1 || n > 3 || filter.rank != in->rank)
		return false;
	if (!slide(e, &l, filter.dims))
		return false;
	e->out->dims[l.channel] = filter.dims[n] < 0 || filter.dims[n + 1] < 0
		? -1
		: count_multiply(filter.dims[n], filter.dims[n + 1]);
	return true;
}

bool window_pool_sizes(const struct eval *e, const struct layout *l, int64_t *sizes)
{
	int64_t all[8];
	int rank = l->n_spatial + 2;

	if (node_ints(e->graph, e->node, A_ksize, all, 8) != rank &&
		tensor_get_ints(eval_in(e, 1), all, 8) != rank)
		return false;
	for (int i = 0; i < l->n_spatial; i++)
		sizes[i] = all[l->first + i];
	return true;
}

bool shape_pool(struct eval *e)
{
	const struct tensor *in = eval_in(e, 0);
	struct layout l = layout_get(e, in->rank - 2);
	int64_t sizes[8];

	if (!eval_outputs(e, 1) || in->rank < 3 || in->rank > 5 || !window_pool_sizes(e, &l, sizes))
		return false;
	if (!slide(e, &l, sizes))
		return false;
	e->out->dims[l.channel] = in->dims[l.channel];
	return true;
}

static bool shape_from_value(struct eval *e, const struct tensor *value, const struct tensor *typed)
{
	int64_t dims[TENSOR_MAX_RANK];
	int rank = tensor_get_ints(value, dims, TENSOR_MAX_RANK);

	if (!eval_outputs(e, 1))
		return false;
	e->out->dtype = typed->dtype;
	if (rank < 0)
		return false;
	*e->out = tensor_make(typed->dtype, dims, rank);
	return true;
}

/* For gradients: the shape is the value of an input. */
/* Of the inputs behind the shape, the gradient, which has the type, is the last. */
bool shape_given(struct eval *e)
{
	return shape_from_value(e, eval_in(e, 0), eval_in(e, e->n_in > 2 ? e->n_in - 1 : 1));
}

/* A transposed convolution: the result's shape, the filter, x. */
bool shape_conv_input(struct eval *e)
{
	return shape_from_value(e, eval_in(e, 0), eval_in(e, 2));
}

bool shape_given_filter(struct eval *e)
{
	return shape_from_value(e, eval_in(e, 1), eval_in(e, 0));
}

bool shape_resize(struct eval *e)
{
	const struct tensor *in = eval_in(e, 0);
	int64_t size[2];
	bool nearest = span_equal(span_of(e->rule->name), SPAN("ResizeNearestNeighbor"));

	if (!eval_outputs(e, 1) || in->rank != 4 || tensor_get_ints(eval_in(e, 1), size, 2) != 2)
		return false;
	*e->out = *in;
	e->out->values = NULL;
	e->out->dims[1] = size[0];
	e->out->dims[2] = size[1];
	if (!nearest)
		e->out->dtype = DT_FLOAT;
	return true;
}
