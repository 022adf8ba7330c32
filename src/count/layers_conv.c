/* Convolutions and pools of Keras, as those of TensorFlow. */
#include "count/layers.h"
#include "count/lower.h"
#include "count/window.h"

enum { MAX_RANK = 5 };

struct layout layer_layout(const struct eval *e, int n_spatial)
{
	bool first =
		span_equal(node_text(e->graph, e->node, A_data_format), SPAN("channels_first"));

	return (struct layout){n_spatial, first ? 2 : 1, first ? 1 : n_spatial + 1};
}

static bool pads_same(const struct eval *e)
{
	struct span padding = node_text(e->graph, e->node, A_padding);

	/* "causal" pads on one side and has as many results as "same". */
	return span_equal(padding, SPAN("same")) || span_equal(padding, SPAN("causal"));
}

/* How a window of these sizes slides; a pool without strides steps by its own size. */
static void add_window(struct lowering *l, const struct eval *e, const struct layout *at,
	const int64_t *sizes, bool is_pool)
{
	int64_t strides[MAX_RANK] = {1, 1, 1, 1, 1}, dilations[MAX_RANK] = {1, 1, 1, 1, 1};

	for (int i = 0; i < at->n_spatial; i++) {
		strides[at->first + i] = layer_int_at(e, A_strides, i, is_pool ? sizes[i] : 1);
		dilations[at->first + i] = layer_int_at(e, A_dilation_rate, i, 1);
	}
	lower_attr_ints(l, A_strides, strides, at->n_spatial + 2);
	lower_attr_ints(l, A_dilations, dilations, at->n_spatial + 2);
	lower_attr_text(l, A_padding, pads_same(e) ? SPAN("SAME") : SPAN("VALID"));
	lower_attr_text(l, A_data_format, at->first > 1 ? SPAN("NCHW") : SPAN("NHWC"));
}

/* The window's sizes, followed by two numbers of channels. */
static bool make_filter(const struct eval *e, int n_spatial, int64_t a, int64_t b, int64_t *filter)
{
	for (int i = 0; i < n_spatial; i++)
		filter[i] = layer_int_at(e, A_kernel_size, i, -1);
	filter[n_spatial] = a;
	filter[n_spatial + 1] = b;
	for (int i = 0; i < n_spatial + 2; i++)
		if (filter[i] < 0)
			return false;
	return true;
}

static void add_bias(struct eval *e, int64_t n)
{
	if (layer_uses_bias(e))
		layer_add_parameters(e, n, true);
	layer_add_activation(e, layer_uses_bias(e));
}

/* A convolution of `x` with a filter of the layer's sizes and these channels. */
static bool convolve(struct eval *e, const char *op, struct tensor x, int n_spatial, int64_t a,
	int64_t b)
{
	struct layout at = layer_layout(e, n_spatial);
	int64_t filter[MAX_RANK];
	struct lowering l;

	if (x.rank != n_spatial + 2 || !make_filter(e, n_spatial, a, b, filter))
		return false;
	lower_begin(&l, e);
	lower_input(&l, x);
	lower_weights(&l, filter, x.rank);
	add_window(&l, e, &at, filter, false);
	return lower_run(&l, op);
}

static int64_t channels_of(const struct eval *e, const struct tensor *x, int n_spatial)
{
	return x->rank == n_spatial + 2 ? x->dims[layer_layout(e, n_spatial).channel] : -1;
}

bool layer_conv(struct eval *e)
{
	struct tensor x = layer_input(e, 0);
	int64_t filters = layer_int(e, A_filters, -1), groups = layer_int(e, A_groups, 1);
	int n_spatial = e->rule->factor;

	if (groups < 1 ||
		!convolve(e, "Conv", x, n_spatial, channels_of(e, &x, n_spatial) / groups, filters))
		return false;
	add_bias(e, filters);
	return true;
}

/* The size of a transposed convolution's result in a dimension. */
static int64_t transposed_size(const struct eval *e, int i, int64_t in, int64_t size)
{
	int64_t stride = layer_int_at(e, A_strides, i, 1),
		dilation = layer_int_at(e, A_dilation_rate, i, 1);
	int64_t reach = count_add(count_multiply(size - 1, dilation), 1);
	const struct op_attr *extra = node_attr(e->graph, e->node, A_output_padding);

	if (in < 0 || size < 1 || stride < 1)
		return -1;
	if (extra && (extra->kind == OP_INT || extra->kind == OP_INTS)) {
		int64_t pad = pads_same(e) ? reach / 2 : 0;

		return count_multiply(in - 1, stride) + reach - 2 * pad +
			layer_int_at(e, A_output_padding, i, 0);
	}
	if (pads_same(e))
		return count_multiply(in, stride);
	return count_add(count_multiply(in, stride), reach > stride ? reach - stride : 0);
}

/* The gradient of a convolution by its input. */
bool layer_conv_transpose(struct eval *e)
{
	struct tensor x = layer_input(e, 0);
	struct layout at = layer_layout(e, e->rule->factor);
	int64_t filters = layer_int(e, A_filters, -1), filter[MAX_RANK], dims[MAX_RANK];
	struct lowering l;

	if (x.rank != at.n_spatial + 2 ||
		!make_filter(e, at.n_spatial, filters, x.dims[at.channel], filter))
		return false;
	memcpy(dims, x.dims, sizeof(*dims) * (size_t)x.rank);
	for (int i = 0; i < at.n_spatial; i++)
		dims[at.first + i] = transposed_size(e, i, dims[at.first + i], filter[i]);
	dims[at.channel] = filters;
	lower_begin(&l, e);
	lower_ints(&l, dims, x.rank);
	lower_weights(&l, filter, x.rank);
	lower_input(&l, x);
	if (!lower_run(&l, "Conv2DBackpropInput"))
		return false;
	add_bias(e, filters);
	return true;
}

/* One or several filters for each channel. */
static bool convolve_channels(struct eval *e)
{
	struct tensor x = layer_input(e, 0);
	int n_spatial = e->rule->factor;
	int64_t multiplier = layer_int(e, A_depth_multiplier, 1);

	return multiplier >= 1 &&
		convolve(e, "DepthwiseConv2dNative", x, n_spatial, channels_of(e, &x, n_spatial),
			multiplier);
}

bool layer_depthwise(struct eval *e)
{
	if (!convolve_channels(e))
		return false;
	add_bias(e, channels_of(e, e->out, e->rule->factor));
	return true;
}

/* A depthwise convolution, then a pointwise one. */
bool layer_separable(struct eval *e)
{
	int n_spatial = e->rule->factor;
	int64_t filters = layer_int(e, A_filters, -1), point[MAX_RANK] = {1, 1, 1, 1, 1};
	struct lowering l;

	if (filters < 0 || !convolve_channels(e))
		return false;
	point[n_spatial] = channels_of(e, e->out, n_spatial);
	point[n_spatial + 1] = filters;
	lower_begin(&l, e);
	lower_input(&l, *e->out);
	lower_weights(&l, point, n_spatial + 2);
	lower_attr_text(&l, A_data_format,
		layer_layout(e, n_spatial).first > 1 ? SPAN("NCHW") : SPAN("NHWC"));
	if (!lower_run(&l, "Conv"))
		return false;
	add_bias(e, filters);
	return true;
}

/* Each step convolves the input and the state, which has the result's size, for four gates. */
bool layer_conv_lstm(struct eval *e)
{
	const struct tensor *in = eval_in(e, 0);
	int n_spatial = e->rule->factor;
	int64_t filters = layer_int(e, A_filters, -1), gates = count_multiply(4, filters);
	struct tensor x, state;
	int64_t filter[MAX_RANK];
	struct lowering l;

	if (!layer_merge_steps(in, &x) || in->rank != n_spatial + 3 || filters < 0 ||
		!convolve(e, "Conv", x, n_spatial, channels_of(e, &x, n_spatial), gates) ||
		!make_filter(e, n_spatial, filters, gates, filter))
		return false;
	state = *e->out;
	state.dims[layer_layout(e, n_spatial).channel] = filters;
	lower_begin(&l, e);
	lower_input(&l, state);
	lower_weights(&l, filter, n_spatial + 2);
	lower_attr_text(&l, A_padding, SPAN("SAME"));
	lower_attr_text(&l, A_data_format,
		layer_layout(e, n_spatial).first > 1 ? SPAN("NCHW") : SPAN("NHWC"));
	if (!lower_run(&l, "Conv"))
		return false;
	layer_add_others(e, tensor_elements(&state), 17);
	layer_add_parameters(e, layer_uses_bias(e) ? gates : 0, true);
	state.dims[0] = in->dims[0];
	return layer_put_sequence(e, &state, in->dims[1], 2);
}

/* ---- pools ---------------------------------------------------------------------- */

bool layer_pool(struct eval *e)
{
	struct tensor x = *eval_in(e, 0);
	int n_spatial = e->rule->factor ? e->rule->factor : x.rank - 2;
	struct layout at = layer_layout(e, n_spatial);
	int64_t sizes[MAX_RANK] = {1, 1, 1, 1, 1}, window[3];
	struct lowering l;

	if (n_spatial < 1 || n_spatial > 3 || x.rank != n_spatial + 2)
		return false;
	for (int i = 0; i < n_spatial; i++)
		sizes[at.first + i] = window[i] = layer_int_at(e, A_pool_size, i, -1);
	lower_begin(&l, e);
	lower_input(&l, x);
	lower_attr_ints(&l, A_ksize, sizes, x.rank);
	add_window(&l, e, &at, window, true);
	return lower_run(&l, "MaxPool");
}

bool layer_global_pool(struct eval *e)
{
	struct layout at = layer_layout(e, e->rule->factor);
	int64_t axes[3] = {at.first, at.first + 1, at.first + 2};
	bool is_max = span_starts(span_of(e->rule->name), SPAN("GlobalMax"));
	struct lowering l;

	if (eval_in(e, 0)->rank != at.n_spatial + 2)
		return false;
	lower_begin(&l, e);
	lower_input(&l, *eval_in(e, 0));
	lower_ints(&l, axes, at.n_spatial);
	lower_attr_int(&l, A_keep_dims, layer_int(e, A_keepdims, 0));
	return lower_run(&l, is_max ? "Max" : "Mean");
}

static int64_t common_divisor(int64_t a, int64_t b)
{
	while (b) {
		int64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* The window of the i-th result goes from i·in/out, rounded down, to (i + 1)·in/out, rounded up. */
bool layer_adaptive_pool(struct eval *e)
{
	struct layout l = layer_layout(e, e->rule->factor);
	int64_t cost;

	if (!layer_start(e, 0) || e->out->rank != l.n_spatial + 2)
		return false;
	cost = count_multiply(e->out->dims[0], e->out->dims[l.channel]);
	for (int i = 0; i < l.n_spatial; i++) {
		int64_t in = e->out->dims[l.first + i], out = layer_int_at(e, A_output_size, i, -1);

		if (out < 1)
			return false;
		/* Adjacent windows share an element unless their border is between two elements. */
		cost = count_multiply(cost, count_add(in, out - common_divisor(in, out)));
		e->out->dims[l.first + i] = out;
	}
	layer_add_others(e, cost, 1);
	return true;
}
