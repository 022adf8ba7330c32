/* Shapes and costs of TensorFlow Lite's operators that TensorFlow does not have. Others are lowered
 * to TensorFlow's when they are read (load/lite_list.h). */
#include "count/ops.h"

static int64_t last_dim(const struct tensor *t)
{
	return t->rank > 0 ? t->dims[t->rank - 1] : -1;
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
