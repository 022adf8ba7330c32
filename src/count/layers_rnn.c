/* Recurrent layers. */
#include "count/layers.h"
#include "count/lower.h"

/* GRU in its default form has a bias for the input and one for the state. */
int64_t layer_biases(int64_t gates, bool uses_bias, bool reset_after)
{
	return !uses_bias ? 0 : gates == 3 && reset_after ? 2 : 1;
}

bool layer_put_sequence(struct eval *e, const struct tensor *state, int64_t steps, int n_states)
{
	bool sequences = layer_int(e, A_return_sequences, 0);
	int n = layer_int(e, A_return_state, 0) ? 1 + n_states : 1;

	if (!eval_outputs(e, (size_t)n))
		return false;
	for (int i = 0; i < n; i++)
		e->out[i] = *state;
	if (sequences)
		return layer_insert_axis(e->out, 1, steps);
	return true;
}

/* Steps of a cell of `gates` gates: the input's product and the state's, biases, and what
 * the gates do: 13, 11 or 2 operations per unit. */
static void add_cell(struct eval *e, int64_t batch_steps, int64_t width, int64_t gates,
	int64_t units, int64_t biases)
{
	int64_t each = gates == 4 ? 13 : gates == 3 ? 11 : 2;

	lower_product(e, 1, batch_steps, count_add(width, units), count_multiply(gates, units));
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
	add_cell(e, count_multiply(in->dims[0], in->dims[1]), in->dims[2], gates, units,
		layer_biases(gates, layer_uses_bias(e), layer_int(e, A_reset_after, 1)));
	return layer_put_sequence(e, &state, in->dims[1], gates == 4 ? 2 : 1);
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
	return layer_put_sequence(e, &state, in->dims[1], cells->ints[0] == 4 ? 2 : 1);
}
