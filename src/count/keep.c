#include "count/keep.h"

#include "count/layers.h"

enum {
	INPUTS = 1,
	RESULTS = 2,
	LINEAR = 4,
	CONVOLUTION = 8,
	MAX_POOL = 16, /* see max_pool() */
	FACTORS = 32,  /* inputs only if there are two: a constant factor needs none */
};

/* ---- operations of graphs -------------------------------------------------------- */

static const struct {
	const char *name;
	unsigned flags;
} op_keeps[] = {
	{"Relu", RESULTS},
	{"Relu6", RESULTS},
	{"Elu", RESULTS},
	{"Selu", RESULTS},
	{"Tanh", RESULTS},
	{"Sigmoid", RESULTS},
	{"Softmax", RESULTS},
	{"LogSoftmax", RESULTS},
	{"Exp", RESULTS},
	{"Expm1", RESULTS},
	{"Sqrt", RESULTS},
	{"Rsqrt", RESULTS},
	{"Reciprocal", RESULTS},
	{"Inv", RESULTS},
	{"LeakyRelu", INPUTS},
	{"Softplus", INPUTS},
	{"Softsign", INPUTS},
	{"Erf", INPUTS},
	{"Erfc", INPUTS},
	{"Log", INPUTS},
	{"Log1p", INPUTS},
	{"Abs", INPUTS},
	{"Sin", INPUTS},
	{"Cos", INPUTS},
	{"Tan", INPUTS},
	{"Square", INPUTS},
	{"SquaredDifference", INPUTS},
	{"Mul", INPUTS | FACTORS},
	{"MulNoNan", INPUTS},
	{"Div", INPUTS | FACTORS},
	{"RealDiv", INPUTS | FACTORS},
	{"DivNoNan", INPUTS},
	{"Pow", INPUTS},
	{"Atan2", INPUTS},
	{"Xlogy", INPUTS},
	{"Maximum", INPUTS},
	{"Minimum", INPUTS},
	{"Prod", INPUTS},
	{"Max", INPUTS | RESULTS},
	{"Min", INPUTS | RESULTS},
	{"Cumprod", INPUTS | RESULTS},
	{"FusedBatchNorm", INPUTS},
	{"FusedBatchNormV2", INPUTS},
	{"FusedBatchNormV3", INPUTS},
	{"SparseSoftmaxCrossEntropyWithLogits", INPUTS},
	{"SoftmaxCrossEntropyWithLogits", INPUTS},
	{"MaxPool", INPUTS | MAX_POOL},
	{"MaxPoolV2", INPUTS | MAX_POOL},
	{"MaxPool3D", INPUTS | MAX_POOL},
};

static bool is_convolution(const struct op_rule *rule)
{
	return rule->cost == cost_conv || rule->cost == cost_depthwise ||
		rule->cost == cost_conv_input;
}

static unsigned flags_of_op(struct span name, const struct op_rule *rule)
{
	if (rule && is_convolution(rule))
		return INPUTS | LINEAR | CONVOLUTION;
	if (rule && op_rule_is_product(rule))
		return INPUTS | LINEAR;
	for (size_t i = 0; i < sizeof(op_keeps) / sizeof(*op_keeps); i++)
		if (span_equal(span_of(op_keeps[i].name), name))
			return op_keeps[i].flags;
	return 0;
}

/* XLA for CPUs finds the largest elements again, with the position of each element and of each
 * result in four dimensions. */
static int64_t max_pool(int64_t in_bytes, int64_t out_bytes)
{
	return count_multiply(4, count_add(in_bytes, out_bytes));
}

static struct keeps keep_by(unsigned flags, int64_t in_bytes, int64_t out_bytes)
{
	return (struct keeps){.inputs = flags & INPUTS,
		.results = flags & RESULTS,
		.is_linear = flags & LINEAR,
		.are_factors = flags & FACTORS,
		.copies = flags & CONVOLUTION ? 2 : 1,
		.indices = flags & MAX_POOL ? max_pool(in_bytes, out_bytes) : 0,
		.is_known = true};
}

struct keeps keep_of_op(const struct op_type *type, int64_t in_bytes, int64_t out_bytes)
{
	return keep_by(flags_of_op(type->name, type->rule), in_bytes, out_bytes);
}

/* ---- layers of Keras --------------------------------------------------------------- */

/* Bytes of an element while training. */
static int64_t element_bytes(const struct eval *e)
{
	int64_t bytes = e->n_out && dtype_is_real(e->out->dtype) ? dtype_bytes(e->out->dtype) : 0;

	return bytes ? bytes : 4;
}

static int64_t in_bytes(const struct eval *e)
{
	int64_t sum = 0;

	for (size_t i = 0; i < e->n_in; i++)
		sum = count_add(sum, tensor_bytes(e->in[i]));
	return sum;
}

static int64_t out_bytes(const struct eval *e)
{
	return e->n_out ? tensor_bytes(e->out) : 0;
}

static int64_t product(int64_t a, int64_t b, int64_t c, int64_t d)
{
	if (a < 0 || b < 0 || c < 0 || d < 0)
		return 0;
	return count_multiply(count_multiply(a, b), count_multiply(c, d));
}

/* Results that the backward pass of an activation needs besides its own: those of the operations
 * that are too expensive to compute again. */
static void keep_activation(const struct eval *e, struct span name, struct keeps *k)
{
	static const struct {
		const char *name;
		int inside;
	} all[] = {{"gelu", 3}, {"silu", 1}, {"swish", 1}, {"mish", 4}, {"softplus", 1},
		{"selu", 1}, {"elu", 1}, {"Gelu", 3}, {"Silu", 1}};

	if (!name.n || span_equal(name, SPAN("linear")))
		return;
	k->results = true;
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (span_equal(span_of(all[i].name), name))
			k->inside =
				count_add(k->inside, count_multiply(all[i].inside, out_bytes(e)));
}

/* Queries, keys and values, each also in the order of the product; scores before and after
 * softmax; and what the heads gave. */
static void keep_attention(const struct eval *e, struct keeps *k)
{
	const struct tensor *q = eval_in(e, 0), *v = eval_in(e, e->n_in > 1 ? 1 : 0);
	int64_t heads = layer_int(e, A_num_heads, layer_int(e, A_num_query_heads, -1));
	int64_t width = layer_int(e, A_key_dim, layer_int(e, A_head_dim, -1));
	int64_t batch, n_q = 1, n_v = 1, size = element_bytes(e), projected, scores;

	if (q->rank < 3 || v->rank < 3)
		return;
	batch = q->dims[0];
	for (int d = 1; d < q->rank - 1; d++)
		n_q = count_multiply(n_q, q->dims[d]);
	for (int d = 1; d < v->rank - 1; d++)
		n_v = count_multiply(n_v, v->dims[d]);
	projected = product(batch, count_add(n_q, count_multiply(2, n_v)),
		product(heads, width, 1, 1), size);
	scores = product(batch, heads, product(n_q, n_v, 1, 1), size);
	k->inside = count_multiply(2,
		count_add(count_add(projected, scores),
			product(batch, n_q, product(heads, width, 1, 1), size)));
	k->scratch = count_add(projected, count_multiply(2, scores));
}

/* Layers and operations that have the scores as a layer's input or its own. */
static void keep_scores(const struct eval *e, struct keeps *k)
{
	const struct tensor *q = eval_in(e, 0), *v = eval_in(e, 1);
	int64_t heads = q->rank == 4 ? q->dims[2] : 1;

	if (q->rank < 3 || v->rank < 3)
		return;
	k->inside = count_multiply(2,
		product(q->dims[0], heads, product(q->dims[1], v->dims[1], 1, 1),
			element_bytes(e)));
	k->scratch = k->inside;
}

/* In units of one state per step: states, gates before and after their activation, and what they
 * are made of. Measured. */
static void keep_steps(const struct eval *e, struct keeps *k)
{
	static const int by_gates[] = {[1] = 4, [3] = 16, [4] = 13};
	const struct tensor *in = eval_in(e, 0);
	int64_t units = layer_int(e, A_units, -1);

	if (in->rank != 3 || e->rule->factor > 4)
		return;
	k->inside = count_multiply(by_gates[e->rule->factor],
		product(in->dims[0], in->dims[1], units, element_bytes(e)));
}

/* XLA for CPUs computes the gradient of one filter per channel as that of filters from all channels
 * to all, in two layouts. */
static void keep_all_filters(const struct eval *e, struct keeps *k)
{
	struct layout at = layer_layout(e, e->rule->factor);
	const struct tensor *in = eval_in(e, 0);
	int64_t window = 1;

	if (in->rank != at.n_spatial + 2 || in->dims[at.channel] < 0)
		return;
	for (int i = 0; i < at.n_spatial; i++)
		window = count_multiply(window, layer_int_at(e, A_kernel_size, i, 0));
	k->scratch = count_multiply(2,
		product(window, in->dims[at.channel], in->dims[at.channel], element_bytes(e)));
}

/* The result of the first of the two convolutions. */
static void keep_separable(const struct eval *e, struct keeps *k)
{
	struct layout at = layer_layout(e, e->rule->factor);
	int64_t filters = layer_int(e, A_filters, -1);
	const struct tensor *in = eval_in(e, 0);

	if (filters > 0 && in->rank == at.n_spatial + 2)
		k->inside = count_multiply(out_bytes(e) / filters,
			count_multiply(in->dims[at.channel], layer_int(e, A_depth_multiplier, 1)));
}

/* Dropout and its like leave a mask, and a result that is not its input. Random numbers take
 * three times as much. */
static void keep_mask(const struct eval *e, struct keeps *k)
{
	static const char *const names[] = {"Dropout", "AlphaDropout", "GaussianDropout",
		"GaussianNoise"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (span_equal(span_of(e->rule->name), span_of(names[i]))) {
			k->inside = count_multiply(2, out_bytes(e));
			k->scratch = count_multiply(3, out_bytes(e));
		}
}

static struct keeps keep_of_rule(const struct eval *e);

/* A layer in a wrapper; `times` of it. */
static struct keeps keep_inner(const struct eval *e, int times)
{
	struct eval inner = *e;
	struct keeps k;

	inner.rule = layer_find_rule(node_text(e->graph, e->node, A_inner));
	if (!inner.rule || inner.rule->shape == layer_bidirectional ||
		inner.rule->shape == layer_time_distributed || inner.rule->shape == layer_spectral)
		return (struct keeps){.inputs = true, .results = true, .copies = 1};
	k = keep_of_rule(&inner);
	k.inside = count_multiply(k.inside, times);
	k.scratch = count_multiply(k.scratch, times);
	return k;
}

/* Operations that pass their input on, or of which XLA keeps nothing. */
static bool keeps_nothing(shape_fn *rule)
{
	static shape_fn *const rules[] = {layer_embedding, layer_concatenate, layer_flatten,
		layer_reshape, layer_permute, layer_repeat_vector, layer_zero_padding,
		layer_cropping, layer_up_sampling, layer_resizing, layer_lookup,
		layer_category_encoding, layer_arg, layer_top_k, layer_cast, layer_one_hot,
		layer_take, layer_get_item, layer_expand_dims, layer_squeeze, layer_transpose,
		layer_swap_axes, layer_move_axis, layer_stack, layer_split, layer_unstack,
		layer_pad, layer_tile, layer_repeat, layer_broadcast_to, layer_ravel,
		layer_normalization, layer_adaptive_pool, layer_where};

	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++)
		if (rules[i] == rule)
			return true;
	return false;
}

static unsigned flags_of_layer(const struct eval *e)
{
	shape_fn *rule = e->rule->shape;
	const char *name = e->rule->name;

	if (rule == layer_conv || rule == layer_conv_transpose || rule == layer_depthwise ||
		rule == layer_separable)
		return INPUTS | LINEAR | CONVOLUTION;
	if (rule == layer_dense || rule == layer_einsum_dense)
		return INPUTS | LINEAR;
	if (rule == layer_pool)
		return span_starts(span_of(name), SPAN("Max")) ? INPUTS | MAX_POOL : 0;
	if (rule == layer_global_pool)
		return span_starts(span_of(name), SPAN("GlobalMax")) ? INPUTS : 0;
	if (rule == layer_activation)
		return 0;
	if (rule == layer_merge || rule == layer_op || rule == layer_reduce ||
		rule == layer_deviation)
		return flags_of_op(span_of(e->rule->op), op_find_rule(span_of(e->rule->op)));
	return INPUTS;
}

static struct keeps keep_of_rule(const struct eval *e)
{
	shape_fn *rule = e->rule->shape;
	struct keeps k;

	if (rule == layer_same || keeps_nothing(rule)) {
		k = keep_by(0, 0, 0);
		if (rule == layer_same)
			keep_mask(e, &k);
		return k;
	}
	if (rule == layer_bidirectional)
		return keep_inner(e, 2);
	if (rule == layer_time_distributed || rule == layer_spectral)
		return keep_inner(e, 1);
	k = keep_by(flags_of_layer(e), in_bytes(e), out_bytes(e));
	if (rule == layer_attention || rule == layer_grouped_attention)
		keep_attention(e, &k);
	else if (rule == layer_dot_attention || rule == layer_heads_attention)
		keep_scores(e, &k);
	else if (rule == layer_rnn)
		keep_steps(e, &k);
	else if (rule == layer_separable)
		keep_separable(e, &k);
	if (rule == layer_separable || rule == layer_depthwise)
		keep_all_filters(e, &k);
	if (rule == layer_layer_norm || rule == layer_group_norm)
		k.inside = out_bytes(e);
	else if (rule == layer_rnn_of_cells || rule == layer_conv_lstm)
		k.is_known = false;
	if (rule == layer_elementwise)
		keep_activation(e, span_of(e->rule->name), &k);
	else if (rule != layer_rnn)
		keep_activation(e, node_text(e->graph, e->node, A_activation), &k);
	return k;
}

struct keeps keep_of_layer(const struct eval *e)
{
	if (!e->rule || !e->n_out)
		return (struct keeps){.inputs = true, .results = true, .copies = 1};
	return keep_of_rule(e);
}
