/* Convolutions and pools of Keras. */
#include "count/layers.h"
#include "count/window.h"

struct layout layer_layout(const struct eval *e, int n_spatial)
{
	bool first =
		span_equal(node_text(e->graph, e->node, A_data_format), SPAN("channels_first"));

	return (struct layout){n_spatial, first ? 2 : 1, first ? 1 : n_spatial + 1};
}

static enum window_padding padding_of(const struct eval *e)
{
	struct span padding = node_text(e->graph, e->node, A_padding);

	/* "causal" pads on one side and has as many results as "same". */
	return span_equal(padding, SPAN("same")) || span_equal(padding, SPAN("causal"))
		? WINDOW_SAME
		: WINDOW_VALID;
}

int64_t layer_slide(struct eval *e, const struct layout *l, enum attr_id kernel)
{
	int64_t product = 1;

	for (int i = 0; i < l->n_spatial; i++) {
		int64_t size = layer_int_at(e, kernel, i, -1), *dim = &e->out->dims[l->first + i];
		/* A pool without strides steps by its own size. */
		int64_t stride = layer_int_at(e, A_strides, i, kernel == A_pool_size ? size : 1);
		int64_t dilation = layer_int_at(e, A_dilation_rate, i, 1);

		*dim = window_size(*dim, size, stride, dilation, padding_of(e), 0, 0);
		if (size < 0 || *dim < 0)
			return -1;
		product = count_multiply(product, size);
	}
	return product;
}

bool layer_conv(struct eval *e)
{
	struct layout l = layer_layout(e, e->rule->factor);
	int64_t filters = layer_int(e, A_filters, -1), groups = layer_int(e, A_groups, 1), in,
		kernel;

	if (!layer_start(e, 0) || e->out->rank != l.n_spatial + 2 || filters < 0 || groups < 1)
		return false;
	in = e->out->dims[l.channel] / groups;
	kernel = layer_slide(e, &l, A_kernel_size);
	if (kernel < 0)
		return false;
	e->out->dims[l.channel] = filters;
	layer_add_macs(e, tensor_elements(e->out), count_multiply(kernel, in));
	layer_add_activation(e, layer_uses_bias(e));
	layer_add_parameters(e,
		count_multiply(filters, count_add(count_multiply(kernel, in), layer_uses_bias(e))),
		true);
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
		int64_t pad = padding_of(e) == WINDOW_SAME ? reach / 2 : 0;

		return count_multiply(in - 1, stride) + reach - 2 * pad +
			layer_int_at(e, A_output_padding, i, 0);
	}
	if (padding_of(e) == WINDOW_SAME)
		return count_multiply(in, stride);
	return count_add(count_multiply(in, stride), reach > stride ? reach - stride : 0);
}

/* Each element of the input is multiplied with the kernel of each filter. */
bool layer_conv_transpose(struct eval *e)
{
	struct layout l = layer_layout(e, e->rule->factor);
	int64_t filters = layer_int(e, A_filters, -1), kernel = 1, in, channels;

	if (!layer_start(e, 0) || e->out->rank != l.n_spatial + 2 || filters < 0)
		return false;
	in = tensor_elements(e->out);
	channels = e->out->dims[l.channel];
	for (int i = 0; i < l.n_spatial; i++) {
		int64_t size = layer_int_at(e, A_kernel_size, i, -1);

		e->out->dims[l.first + i] = transposed_size(e, i, e->out->dims[l.first + i], size);
		if (e->out->dims[l.first + i] < 0)
			return false;
		kernel = count_multiply(kernel, size);
	}
	e->out->dims[l.channel] = filters;
	layer_add_macs(e, in, count_multiply(kernel, filters));
	layer_add_activation(e, layer_uses_bias(e));
	layer_add_parameters(e,
		count_multiply(filters,
			count_add(count_multiply(kernel, channels), layer_uses_bias(e))),
		true);
	return true;
}

/* One or several filters for each channel. False if a shape is unknown. */
static bool add_depthwise(struct eval *e, const struct layout *l, int64_t *channels,
	int64_t *kernel)
{
	int64_t multiplier = layer_int(e, A_depth_multiplier, 1);

	if (!layer_start(e, 0) || e->out->rank != l->n_spatial + 2 || multiplier < 1)
		return false;
	*channels = count_multiply(e->out->dims[l->channel], multiplier);
	*kernel = layer_slide(e, l, A_kernel_size);
	if (*kernel < 0)
		return false;
	e->out->dims[l->channel] = *channels;
	layer_add_macs(e, tensor_elements(e->out), *kernel);
	return true;
}

bool layer_depthwise(struct eval *e)
{
	struct layout l = layer_layout(e, e->rule->factor);
	int64_t channels, kernel;

	if (!add_depthwise(e, &l, &channels, &kernel))
		return false;
	layer_add_activation(e, layer_uses_bias(e));
	layer_add_parameters(e, count_multiply(channels, count_add(kernel, layer_uses_bias(e))),
		true);
	return true;
}

/* A depthwise convolution, then a pointwise one. */
bool layer_separable(struct eval *e)
{
	struct layout l = layer_layout(e, e->rule->factor);
	int64_t filters = layer_int(e, A_filters, -1), channels, kernel;

	if (filters < 0 || !add_depthwise(e, &l, &channels, &kernel))
		return false;
	e->out->dims[l.channel] = filters;
	layer_add_macs(e, tensor_elements(e->out), channels);
	layer_add_activation(e, layer_uses_bias(e));
	layer_add_parameters(e,
		count_add(count_multiply(channels, kernel),
			count_multiply(filters, count_add(channels, layer_uses_bias(e)))),
		true);
	return true;
}

bool layer_pool(struct eval *e)
{
	struct layout l = layer_layout(e, e->rule->factor);
	int64_t kernel;

	if (!layer_start(e, 0))
		return false;
	if (!e->rule->factor)
		l = layer_layout(e, e->out->rank - 2);
	if (l.n_spatial < 1 || l.n_spatial > 3 || e->out->rank != l.n_spatial + 2)
		return false;
	kernel = layer_slide(e, &l, A_pool_size);
	if (kernel < 0)
		return false;
	layer_add_others(e, tensor_elements(e->out), kernel);
	return true;
}

bool layer_global_pool(struct eval *e)
{
	struct layout l = layer_layout(e, e->rule->factor);
	bool keep = layer_int(e, A_keepdims, 0);
	int64_t channels, in;

	if (!layer_start(e, 0) || e->out->rank != l.n_spatial + 2)
		return false;
	in = tensor_elements(e->out);
	channels = e->out->dims[l.channel];
	if (keep) {
		for (int i = 0; i < l.n_spatial; i++)
			e->out->dims[l.first + i] = 1;
	} else {
		e->out->rank = 2;
		e->out->dims[1] = channels;
	}
	/* A maximum takes one comparison fewer than there are elements. */
	layer_add_others(e,
		span_starts(span_of(e->rule->name), SPAN("GlobalMax"))
			? in - tensor_elements(e->out)
			: in,
		1);
	return true;
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
