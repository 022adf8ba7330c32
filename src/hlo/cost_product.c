/* Matrix products, and what slides a window over an array. */
#include "hlo/cost_rule.h"
#include "hlo/window.h"

static void set_matrix(struct hlo_cost *cost, int64_t float_ops)
{
	cost->unknown = float_ops < 0;
	cost->float_ops = cost->matrix_float_ops = float_ops < 0 ? 0 : float_ops;
}

/* ---- matrix products ----------------------------------------------------- */

/* Two for each product that is added up. */
static void count_dot(struct hlo_counter *c, const struct hlo_op *op, struct span numbers,
	struct hlo_cost *cost)
{
	const struct hlo_value *lhs = hlo_operand_value(c->program, op, 0);
	int64_t n = hlo_product(2, hlo_result(c->program, op)->elements);

	hlo_read_numbers(&c->d, numbers, DOT_DIMENSION_NUMBERS_LHS_CONTRACTING_DIMENSIONS,
		&c->numbers);
	for (size_t i = 0; i < c->numbers.n && n >= 0; i++) {
		int64_t dim = hlo_dim(c->program, lhs, c->numbers.at[i]);

		n = dim < 0 ? -1 : hlo_product(n, dim);
	}
	set_matrix(cost, n);
}

void hlo_rule_dot(struct hlo_counter *c, const struct hlo_op *op, struct hlo_cost *cost)
{
	count_dot(c, op, hlo_find_field(&c->d, op->message, HLO_INSTRUCTION_DOT_DIMENSION_NUMBERS),
		cost);
}

void hlo_rule_ragged_dot(struct hlo_counter *c, const struct hlo_op *op, struct hlo_cost *cost)
{
	struct span ragged =
		hlo_find_field(&c->d, op->message, HLO_INSTRUCTION_RAGGED_DOT_DIMENSION_NUMBERS);

	count_dot(c, op,
		hlo_find_field(&c->d, ragged, RAGGED_DOT_DIMENSION_NUMBERS_DOT_DIMENSION_NUMBERS),
		cost);
}

/* ---- windows ------------------------------------------------------------- */

/* Multiplies by the pairs along each dimension of the window: `inputs` and `outputs` say which
 * dimensions of the arrays these are; NULL: all in order. -1 if that cannot be told. */
static int64_t multiply_pairs(struct hlo_counter *c, const struct hlo_op *op, int64_t n,
	const struct hlo_value *input, const hlo_numbers *inputs, const struct hlo_value *output,
	const hlo_numbers *outputs)
{
	struct wire_reader r =
		wire_reader(hlo_find_field(&c->d, op->message, HLO_INSTRUCTION_WINDOW));
	struct wire_field f;
	size_t i = 0;

	while (n >= 0 && decoder_find(&c->d, &r, WIRE_LEN(WINDOW_DIMENSIONS), &f)) {
		struct hlo_window w = hlo_window_read(&c->d, f.bytes);
		int64_t pairs = -1;

		if (!inputs)
			pairs = hlo_window_count_pairs(&w, hlo_dim(c->program, input, i),
				hlo_dim(c->program, output, i), &c->budget);
		else if (i < inputs->n && i < outputs->n)
			pairs = hlo_window_count_pairs(&w,
				hlo_dim(c->program, input, inputs->at[i]),
				hlo_dim(c->program, output, outputs->at[i]), &c->budget);
		n = pairs < 0 ? -1 : hlo_product(n, pairs);
		i++;
	}
	return n;
}

/* Multiplies by all pairs of a place of the window and an element of an array, whose dimensions
 * along the window these are. -1 if that cannot be told. */
static int64_t multiply_places(struct hlo_counter *c, const struct hlo_op *op, int64_t n,
	const struct hlo_value *array, const hlo_numbers *dims)
{
	struct wire_reader r =
		wire_reader(hlo_find_field(&c->d, op->message, HLO_INSTRUCTION_WINDOW));
	struct wire_field f;

	for (size_t i = 0; n >= 0 && decoder_find(&c->d, &r, WIRE_LEN(WINDOW_DIMENSIONS), &f);
		i++) {
		struct hlo_window w = hlo_window_read(&c->d, f.bytes);
		int64_t dim = i < dims->n ? hlo_dim(c->program, array, dims->at[i]) : -1;

		n = dim < 0 || w.size < 0 ? -1 : hlo_product(hlo_product(n, dim), w.size);
	}
	return n;
}

/* Whether a convolution is TensorFlow's for the gradient of another one's input. */
static bool is_of_input(struct hlo_counter *c, const struct hlo_op *op)
{
	struct span metadata = hlo_find_field(&c->d, op->message, HLO_INSTRUCTION_METADATA);

	return op->opcode == HLO_CONVOLUTION &&
		span_contains(hlo_find_field(&c->d, metadata, OP_METADATA_OP_TYPE),
			SPAN("BackpropInput"));
}

struct features {
	uint64_t kernel_input, output_batch, output_feature;
};

static struct features read_features(struct decoder *d, struct span message)
{
	struct wire_reader r = wire_reader(message);
	struct features features = {0};
	struct wire_field f;

	while (decoder_next(d, &r, &f))
		switch (f.tag) {
		case WIRE_VARINT(CONVOLUTION_DIMENSION_NUMBERS_KERNEL_INPUT_FEATURE_DIMENSION):
			features.kernel_input = f.value;
			break;
		case WIRE_VARINT(CONVOLUTION_DIMENSION_NUMBERS_OUTPUT_BATCH_DIMENSION):
			features.output_batch = f.value;
			break;
		case WIRE_VARINT(CONVOLUTION_DIMENSION_NUMBERS_OUTPUT_FEATURE_DIMENSION):
			features.output_feature = f.value;
			break;
		}
	return features;
}

void hlo_count_convolution(struct hlo_counter *c, const struct hlo_op *op,
	const struct hlo_value *input, const struct hlo_value *kernel,
	const struct hlo_value *output, struct hlo_cost *cost)
{
	struct span message =
		hlo_find_field(&c->d, op->message, HLO_INSTRUCTION_CONVOLUTION_DIMENSION_NUMBERS);
	struct features features = read_features(&c->d, message);
	int64_t dims[] = {hlo_dim(c->program, output, features.output_batch),
		hlo_dim(c->program, output, features.output_feature),
		hlo_dim(c->program, kernel, features.kernel_input)};
	int64_t n = 2, padded;

	hlo_read_numbers(&c->d, message, CONVOLUTION_DIMENSION_NUMBERS_INPUT_SPATIAL_DIMENSIONS,
		&c->numbers);
	hlo_read_numbers(&c->d, message, CONVOLUTION_DIMENSION_NUMBERS_OUTPUT_SPATIAL_DIMENSIONS,
		&c->more);
	for (size_t i = 0; i < sizeof(dims) / sizeof(*dims) && n >= 0; i++)
		n = dims[i] < 0 ? -1 : hlo_product(n, dims[i]);
	/* An empty array: there is nothing to multiply. */
	if (n > 0 && !(input->elements && kernel->elements && output->elements))
		n = 0;
	/* Of a gradient of the input, the output is what the window slides over. */
	padded = is_of_input(c, op) ? multiply_places(c, op, n, input, &c->numbers)
				    : multiply_places(c, op, n, output, &c->more);
	if (n > 0)
		n = multiply_pairs(c, op, n, input, &c->numbers, output, &c->more);
	set_matrix(cost, n);
	if (n >= 0 && padded > n)
		cost->padding_float_ops = padded - n;
}

void hlo_rule_convolution(struct hlo_counter *c, const struct hlo_op *op, struct hlo_cost *cost)
{
	hlo_count_convolution(c, op, hlo_operand_value(c->program, op, 0),
		hlo_operand_value(c->program, op, 1), hlo_result(c->program, op), cost);
}

/* Places of windows that lie on the input are combined; padding is not. */
void hlo_rule_reduce_window(struct hlo_counter *c, const struct hlo_op *op, struct hlo_cost *cost)
{
	uint32_t first = hlo_first_array(c->program, op->value);
	const struct hlo_value *input = hlo_operand_value(c->program, op, 0);
	const struct hlo_value *output = first == NONE ? NULL : &c->program->values.at[first];
	int64_t pairs;

	if (!output || !input->elements || !output->elements)
		return;
	pairs = multiply_pairs(c, op, 1, input, NULL, output, NULL);
	cost->unknown = pairs < 0;
	hlo_add_calls(c, op, pairs - output->elements, cost);
}

void hlo_rule_select_and_scatter(struct hlo_counter *c, const struct hlo_op *op,
	struct hlo_cost *cost)
{
	struct wire_reader r =
		wire_reader(hlo_find_field(&c->d, op->message, HLO_INSTRUCTION_WINDOW));
	int64_t n = hlo_operand_value(c->program, op, 1)->elements;
	struct wire_field f;

	while (decoder_find(&c->d, &r, WIRE_LEN(WINDOW_DIMENSIONS), &f)) {
		struct hlo_window w = hlo_window_read(&c->d, f.bytes);

		cost->unknown |= w.size < 0;
		n = w.size < 0 ? 0 : hlo_product(n, w.size);
	}
	cost->float_ops = n;
}
