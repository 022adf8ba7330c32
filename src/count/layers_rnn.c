/* Recurrent layers. */
#include "count/layers.h"

/* GRU in its default form has a bias for the input and one for the state. */
int64_t layer_biases(int64_t gates, bool uses_bias, bool reset_after)
{
	return !uses_bias ? 0 : gates == 3 && reset_after ? 2 : 1;
}

/* The units or a sequence of them, and the states if requested. */
static bool put_sequence(struct eval *e, const struct tensor *state, int64_t steps, int n_states)
{
	bool sequences = layer_int(e, A_return_sequences, 0);
	int n = layer_int(e, A_return_state, 0) ? 1 + n_states : 1;

	if (!eval_outputs(e, (size_t)n))
		return false;
	for (int i = 0; i < n; i++)
		e->out[i] = *state;
	if (sequences) {
		if (state->rank == TENSOR_MAX_RANK)
			return false;
		memmove(e->out->dims + 2, e->out->dims + 1,
			sizeof(*e->out->dims) * (size_t)(state->rank - 1));
		e->out->dims[1] = steps;
		e->out->rank++;
	}
	return true;
}

/* Steps of a cell of `gates` gates: the input's product and the state's, biases, and what
 * the gates do: 13, 11 or 2 operations per unit. */
static void add_cell(struct eval *e, int64_t batch_steps, int64_t width, int64_t gates,
	int64_t units, int64_t biases)
{
	int64_t each = gates == 4 ? 13 : gates == 3 ? 11 : 2;

	layer_add_macs(e, batch_steps,
		count_multiply(count_multiply(gates, units), count_add(width, units)));
	layer_add_others(e, count_multiply(batch_steps, units), each + gates * biases);
	layer_add_parameters(e,
		count_multiply(count_multiply(gates, units),
			count_add(count_add(width, units), biases)),
		true);
}

/* factor: how many gates. */
bool layer_rnn(struct eval *e)
{
	const struct tensor *in = eval_in(e, 0);
	int64_t units = layer_int(e, A_units, -1), gates = e->rule->factor;
	struct tensor state;

	if (!tensor_is_known(in) || in->rank != 3 || units < 0)
		return false;
	state = tensor_make(in->dtype, (int64_t[]){in->dims[0], units}, 2);
	if (!put_sequence(e, &state, in->dims[1], gates == 4 ? 2 : 1))
		return false;
	add_cell(e, count_multiply(in->dims[0], in->dims[1]), in->dims[2], gates, units,
		layer_biases(gates, layer_uses_bias(e), layer_int(e, A_reset_after, 1)));
	return true;
}

/* A cell is not a layer by itself. */
bool layer_cell(struct eval *e)
{
	return false;
}

/* RNN: a stack of cells, each given as gates, units, biases. */
bool layer_rnn_of_cells(struct eval *e)
{
	const struct tensor *in = eval_in(e, 0);
	const struct op_attr *cells = node_attr(e->graph, e->node, A_cells);
	int64_t width;
	struct tensor state;

	if (!tensor_is_known(in) || in->rank != 3 || !cells || cells->kind != OP_INTS ||
		!cells->n || cells->n % 3)
		return false;
	width = in->dims[2];
	for (uint32_t i = 0; i < cells->n; i += 3) {
		const int64_t *cell = cells->ints + i;

		if (cell[0] < 1 || cell[1] < 0)
			return false;
		add_cell(e, count_multiply(in->dims[0], in->dims[1]), width, cell[0], cell[1],
			cell[2]);
		width = cell[1];
	}
	state = tensor_make(in->dtype, (int64_t[]){in->dims[0], width}, 2);
	/* Several cells return the states of all, which differ in size. */
	if (cells->n > 3 && layer_int(e, A_return_state, 0))
		return false;
	return put_sequence(e, &state, in->dims[1], cells->ints[0] == 4 ? 2 : 1);
}

bool layer_conv_lstm(struct eval *e)
{
	const struct tensor *in = eval_in(e, 0);
	struct eval step = *e;
	struct tensor frame, state;
	const struct tensor *step_in[1] = {&frame};
	int n_spatial = e->rule->factor;
	struct layout l = layer_layout(e, n_spatial);
	int64_t filters = layer_int(e, A_filters, -1), channels, kernel, per_step;

	if (!tensor_is_known(in) || in->rank != n_spatial + 3 || filters < 0)
		return false;
	frame = tensor_make(in->dtype, in->dims + 1, in->rank - 1);
	frame.dims[0] = in->dims[0];
	channels = frame.dims[l.channel];
	step.in = step_in;
	step.n_in = 1;
	if (!layer_start(&step, 0))
		return false;
	kernel = layer_slide(&step, &l, A_kernel_size);
	if (kernel < 0)
		return false;
	state = *step.out;
	state.dims[l.channel] = filters;
	if (!put_sequence(e, &state, in->dims[1], 2))
		return false;
	per_step = count_multiply(tensor_elements(&state), count_multiply(4, kernel));
	layer_add_macs(e, count_multiply(per_step, in->dims[1]), count_add(channels, filters));
	layer_add_others(e, count_multiply(tensor_elements(&state), in->dims[1]), 17);
	layer_add_parameters(e,
		count_multiply(count_multiply(4, filters),
			count_add(count_multiply(kernel, count_add(channels, filters)),
				layer_uses_bias(e))),
		true);
	return true;
}
