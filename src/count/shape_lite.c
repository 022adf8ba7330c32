/* Shapes and costs of TensorFlow Lite's operators that differ from TensorFlow's: filters
 * are OHWI, a bias and an activation are part of the operator. */
#include "count/ops.h"
#include "count/window.h"

static int64_t last_dim(const struct tensor *t)
{
	return t->rank > 0 ? t->dims[t->rank - 1] : -1;
}

/* A convolution's products; the bias and the activation are one float operation each. */
static bool set_cost(const struct eval *e, struct cost *cost, int64_t results, int64_t each,
	size_t bias)
{
	int64_t extra = (bias < e->n_in && e->in[bias]->rank >= 0) +
		(node_int(e->graph, e->node, A_fused_activation, 0) != 0);

	if (results < 0 || each < 0)
		return false;
	cost->macs = count_multiply(results, each);
	if (dtype_is_real(e->out->dtype))
		cost->others = count_multiply(tensor_elements(e->out), extra);
	return true;
}

/* The results of a window over the spatial dimensions, with `channels` channels. */
static bool slide(struct eval *e, int n_spatial, int64_t channels)
{
	const struct tensor *in = eval_in(e, 0), *filter = eval_in(e, 1);
	bool same = span_equal(node_text(e->graph, e->node, A_padding), SPAN("SAME"));
	int64_t strides[8] = {1, 1, 1, 1, 1}, dilations[8] = {1, 1, 1, 1, 1};
	/* Conv3D's filter is as in TensorFlow. */
	int first = n_spatial == 3 ? 0 : 1;

	if (!eval_outputs(e, 1) || in->rank != n_spatial + 2 || filter->rank != n_spatial + 2)
		return false;
	node_ints(e->graph, e->node, A_strides, strides, 8);
	node_ints(e->graph, e->node, A_dilations, dilations, 8);
	*e->out = *in;
	e->out->values = NULL;
	for (int d = 1; d <= n_spatial; d++)
		e->out->dims[d] = window_size(in->dims[d], filter->dims[d - 1 + first], strides[d],
			dilations[d], same ? WINDOW_SAME : WINDOW_VALID, 0, 0);
	e->out->dims[n_spatial + 1] = channels;
	return tensor_is_known(e->out);
}

bool shape_lite_conv(struct eval *e)
{
	const struct tensor *filter = eval_in(e, 1);
	int n_spatial = eval_in(e, 0)->rank - 2;

	if (n_spatial < 2 || n_spatial > 3)
		return false;
	return slide(e, n_spatial, n_spatial == 3 ? last_dim(filter) : filter->dims[0]);
}

bool cost_lite_conv(const struct eval *e, struct cost *cost)
{
	int64_t n = tensor_elements(eval_in(e, 1)), channels = last_dim(e->out);

	return n >= 0 &&
		set_cost(e, cost, tensor_elements(e->out), channels > 0 ? n / channels : 0, 2);
}

bool shape_lite_depthwise(struct eval *e)
{
	return slide(e, 2, last_dim(eval_in(e, 1)));
}

bool cost_lite_depthwise(const struct eval *e, struct cost *cost)
{
	const struct tensor *filter = eval_in(e, 1);

	return filter->rank == 4 &&
		set_cost(e, cost, tensor_elements(e->out),
			count_multiply(filter->dims[1], filter->dims[2]), 2);
}

/* Inputs: the result's shape, the filter, x, a bias. */
bool shape_lite_transpose_conv(struct eval *e)
{
	int64_t dims[TENSOR_MAX_RANK];
	int rank = tensor_get_ints(eval_in(e, 0), dims, TENSOR_MAX_RANK);

	if (!eval_outputs(e, 1) || rank != 4 || eval_in(e, 1)->rank != 4)
		return false;
	*e->out = tensor_make(eval_in(e, 2)->dtype, dims, rank);
	return true;
}

bool cost_lite_transpose_conv(const struct eval *e, struct cost *cost)
{
	const struct tensor *filter = eval_in(e, 1), *x = eval_in(e, 2);
	int64_t each =
		count_multiply(count_multiply(filter->dims[0], filter->dims[1]), filter->dims[2]);

	return filter->rank == 4 && set_cost(e, cost, tensor_elements(x), each, 3);
}

/* Weights are O×I; x is flattened to rows of I unless keep_num_dims is set. */
bool shape_lite_dense(struct eval *e)
{
	const struct tensor *in = eval_in(e, 0), *weights = eval_in(e, 1);
	int64_t n = tensor_elements(in), width = last_dim(weights);

	if (!eval_outputs(e, 1) || n < 0 || weights->rank != 2 || width < 1)
		return false;
	*e->out = *in;
	e->out->values = NULL;
	if (in->rank > 0 && node_int(e->graph, e->node, A_keep_num_dims, 0)) {
		e->out->dims[in->rank - 1] = weights->dims[0];
	} else {
		e->out->rank = 2;
		e->out->dims[0] = n / width;
		e->out->dims[1] = weights->dims[0];
	}
	return true;
}

bool cost_lite_dense(const struct eval *e, struct cost *cost)
{
	return set_cost(e, cost, tensor_elements(e->out), last_dim(eval_in(e, 1)), 2);
}

/* ---- recurrent operators -------------------------------------------------------- */

/* Where the inputs of one direction are; the rule's factor is how many directions there are.
 *
 *     RNN     weights of the input, of the state, a bias, the state
 *     LSTM    four weights of the input, four of the state, three of the cell, four biases,
 *             a projection and its bias; or all weights in one, and five inputs
 */
enum { RNN_INPUTS = 4, LSTM_INPUTS = 17, LSTM_STATE = 7, LSTM_PROJECTION = 15 };

static bool is_basic_lstm(const struct eval *e)
{
	return e->n_in == 5;
}

/* The results of all directions, merged or separate: the input's shape with another last
 * dimension. */
static bool put_results(struct eval *e, const int64_t *widths)
{
	size_t n = (size_t)e->rule->factor;
	const struct tensor *in = eval_in(e, 0);
	bool merge = node_int(e->graph, e->node, A_merge_outputs, 0);

	if (in->rank < 2 || in->rank > 3 || !eval_outputs(e, merge ? 1 : n))
		return false;
	for (size_t i = 0; i < e->n_out; i++) {
		e->out[i] = *in;
		e->out[i].values = NULL;
		e->out[i].dims[in->rank - 1] =
			merge && n == 2 ? count_add(widths[0], widths[1]) : widths[i];
	}
	return tensor_is_known(e->out);
}

static int64_t steps_of(const struct eval *e)
{
	const struct tensor *in = eval_in(e, 0);

	return in->rank == 3 ? count_multiply(in->dims[0], in->dims[1]) : in->dims[0];
}

/* Absent inputs have no elements. */
static int64_t elements_of(const struct eval *e, size_t from, size_t n)
{
	int64_t sum = 0;

	for (size_t i = from; i < from + n && i < e->n_in; i++)
		if (tensor_elements(e->in[i]) > 0)
			sum = count_add(sum, tensor_elements(e->in[i]));
	return sum;
}

static void set_recurrent_cost(const struct eval *e, struct cost *cost, int64_t weights,
	int64_t units, int64_t others)
{
	cost->macs = count_multiply(steps_of(e), weights);
	if (dtype_is_real(e->out->dtype))
		cost->others = count_multiply(count_multiply(steps_of(e), units), others);
}

bool shape_lite_lstm(struct eval *e)
{
	int64_t widths[2] = {0, 0};

	for (int i = 0; i < e->rule->factor && i < 2; i++) {
		const struct tensor *weights =
			eval_in(e, is_basic_lstm(e) ? 2 : 1 + i * LSTM_INPUTS + LSTM_STATE);

		if (weights->rank != 2)
			return false;
		widths[i] = is_basic_lstm(e) ? weights->dims[0] / 4 : weights->dims[1];
	}
	return put_results(e, widths);
}

bool cost_lite_lstm(const struct eval *e, struct cost *cost)
{
	int64_t weights = 0, units = 0;

	for (int i = 0; i < e->rule->factor; i++) {
		size_t first = 1 + i * LSTM_INPUTS;
		const struct tensor *gate = eval_in(e, first + 1);

		weights = count_add(weights, elements_of(e, first, 8));
		weights = count_add(weights, elements_of(e, first + LSTM_PROJECTION, 1));
		units = count_add(units, gate->rank == 2 ? gate->dims[0] : 0);
	}
	if (is_basic_lstm(e)) {
		weights = elements_of(e, 2, 1);
		units = last_dim(e->out);
	}
	set_recurrent_cost(e, cost, weights, units, 13);
	return true;
}

bool shape_lite_rnn(struct eval *e)
{
	int64_t widths[2] = {0, 0};

	for (int i = 0; i < e->rule->factor && i < 2; i++) {
		const struct tensor *weights = eval_in(e, 1 + i * RNN_INPUTS);

		if (weights->rank != 2)
			return false;
		widths[i] = weights->dims[0];
	}
	return put_results(e, widths);
}

/* The sum of both products, the bias and the activation are one float operation each. */
bool cost_lite_rnn(const struct eval *e, struct cost *cost)
{
	int64_t weights = 0, units = 0;

	for (int i = 0; i < e->rule->factor; i++) {
		weights = count_add(weights, elements_of(e, 1 + i * RNN_INPUTS, 2));
		units = count_add(units, eval_in(e, 1 + i * RNN_INPUTS)->dims[0]);
	}
	set_recurrent_cost(e, cost, weights, units, 3);
	return true;
}

/* ---- others --------------------------------------------------------------------- */

/* CONV_3D_TRANSPOSE: the result's shape, a filter as in TensorFlow, the input. */
bool shape_lite_transpose_conv_3d(struct eval *e)
{
	int64_t dims[5];
	int rank = tensor_get_ints(eval_in(e, 0), dims, 5);

	if (!eval_outputs(e, 1))
		return false;
	*e->out = tensor_make(eval_in(e, 2)->dtype, dims, rank);
	return rank == 5;
}

/* Features over time: x · weights, then the last steps of each feature. */
bool shape_lite_svdf(struct eval *e)
{
	const struct tensor *in = eval_in(e, 0), *features = eval_in(e, 1);
	int64_t rank = node_int(e->graph, e->node, A_k, 1);

	if (!eval_outputs(e, 1) || in->rank != 2 || features->rank != 2 || rank < 1)
		return false;
	*e->out = *in;
	e->out->values = NULL;
	e->out->dims[1] = features->dims[0] / rank;
	return tensor_is_known(e->out);
}

bool cost_lite_svdf(const struct eval *e, struct cost *cost)
{
	const struct tensor *in = eval_in(e, 0), *features = eval_in(e, 1);
	int64_t each = count_add(tensor_elements(features), tensor_elements(eval_in(e, 2)));

	return in->rank == 2 && features->rank == 2 && set_cost(e, cost, in->dims[0], each, 3);
}

bool shape_lite_concat(struct eval *e)
{
	return shape_join(e, 0, e->n_in, node_int(e->graph, e->node, A_axis, 0));
}

/* Inputs: which rows, and the table. */
bool shape_lite_embedding(struct eval *e)
{
	const struct tensor *rows = eval_in(e, 0), *table = eval_in(e, 1);

	if (!eval_outputs(e, 1) || rows->rank < 0 || table->rank < 1 ||
		rows->rank + table->rank - 1 > TENSOR_MAX_RANK)
		return false;
	*e->out = tensor_make(table->dtype, rows->dims, rows->rank);
	for (int d = 1; d < table->rank; d++)
		e->out->dims[e->out->rank++] = table->dims[d];
	return true;
}
