/* What operations cost. Products and convolutions have multiply-accumulates; other float
 * operations are counted for floating-point types only. Costs per element are those of
 * TensorFlow's profiler where it has them. */
#include "count/einsum.h"
#include "count/ops.h"
#include "count/window.h"

bool cost_none(const struct eval *e, struct cost *cost)
{
	return true;
}

static bool others(const struct tensor *typed, const struct tensor *sized, int64_t factor,
	struct cost *cost)
{
	int64_t n = tensor_elements(sized);

	if (!dtype_is_real(typed->dtype))
		return true;
	if (n < 0)
		return false;
	cost->others = count_multiply(n, factor);
	return true;
}

/* A bias and an activation that are part of the operation are 1 each per element. */
static int64_t count_fused(const struct eval *e)
{
	const struct op_attr *fused = node_attr(e->graph, e->node, A_fused_ops);

	return fused && fused->kind == OP_TEXTS ? fused->n : 0;
}

bool cost_per_output(const struct eval *e, struct cost *cost)
{
	return others(e->out, e->out, e->rule->factor + count_fused(e), cost);
}

/* For comparisons: their result is not a float, so the input's type counts. */
bool cost_per_input(const struct eval *e, struct cost *cost)
{
	return others(eval_in(e, 0), e->out, e->rule->factor, cost);
}

/* ---- products ------------------------------------------------------------------- */

static bool set_macs(const struct eval *e, struct cost *cost, int64_t a, int64_t b)
{
	int64_t n_fused = count_fused(e);

	if (a < 0 || b < 0)
		return false;
	cost->macs = count_multiply(a, b);
	return !n_fused || others(e->out, e->out, n_fused, cost);
}

bool cost_matmul(const struct eval *e, struct cost *cost)
{
	const struct tensor *x = eval_in(e, 0);
	bool flip = node_int(e->graph, e->node, A_transpose_a, 0) ||
		node_int(e->graph, e->node, A_adj_x, 0);

	return x->rank >= 2 &&
		set_macs(e, cost, tensor_elements(e->out), x->dims[x->rank - (flip ? 2 : 1)]);
}

static bool has_letter(const struct einsum_operand *operand, int letter)
{
	for (int i = 0; i < operand->n; i++)
		if (operand->letters[i] == letter)
			return true;
	return false;
}

/* Two operands at a time: a product of all letters of both; those that neither a later
 * operand nor the result has are summed. */
bool cost_einsum(const struct eval *e, struct cost *cost)
{
	struct einsum s;
	struct einsum_operand left;
	int64_t n = tensor_elements(e->out);

	if (!einsum_read(&s, node_text(e->graph, e->node, A_equation), e->in, e->n_in) || n < 0)
		return false;
	if (s.n == 1) {
		int64_t in = tensor_elements(eval_in(e, 0));

		if (in >= 0 && dtype_is_real(e->out->dtype))
			cost->others = in > n ? in - n : 0;
		return in >= 0;
	}
	left = s.operands[0];
	for (size_t i = 1; i < s.n; i++) {
		struct einsum_operand all = left, kept = {.n = 0};
		int64_t product = 1;
		bool sums = false;

		for (int k = 0; k < s.operands[i].n; k++)
			if (!has_letter(&all, s.operands[i].letters[k])) {
				if (all.n == TENSOR_MAX_RANK)
					return false;
				all.letters[all.n++] = s.operands[i].letters[k];
			}
		for (int k = 0; k < all.n; k++) {
			bool needed = has_letter(&s.result, all.letters[k]);

			for (size_t j = i + 1; j < s.n; j++)
				needed |= has_letter(&s.operands[j], all.letters[k]);
			product = count_multiply(product, s.size[all.letters[k]]);
			sums |= !needed;
			if (needed)
				kept.letters[kept.n++] = all.letters[k];
			if (s.size[all.letters[k]] < 0)
				return false;
		}
		if (sums)
			cost->macs = count_add(cost->macs, product);
		else if (dtype_is_real(e->out->dtype))
			cost->others = count_add(cost->others, product);
		left = kept;
	}
	return true;
}

/* TensorFlow Lite's, whose weights are O×I. */
bool cost_lite_dense(const struct eval *e, struct cost *cost)
{
	const struct tensor *weights = eval_in(e, 1);

	return weights->rank == 2 && set_macs(e, cost, tensor_elements(e->out), weights->dims[1]);
}

/* Features over time: x by the weights of each, and by the last steps. */
bool cost_lite_svdf(const struct eval *e, struct cost *cost)
{
	const struct tensor *in = eval_in(e, 0), *features = eval_in(e, 1);
	int64_t each = count_add(tensor_elements(features), tensor_elements(eval_in(e, 2)));

	return in->rank == 2 && features->rank == 2 && set_macs(e, cost, in->dims[0], each);
}

/* ---- windows -------------------------------------------------------------------- */

/* The products for one result: all dimensions of the filter but the last. */
static int64_t filter_per_result(struct tensor filter)
{
	int64_t n = 1;

	for (int i = 0; i + 1 < filter.rank; i++) {
		if (filter.dims[i] < 0)
			return -1;
		n = count_multiply(n, filter.dims[i]);
	}
	return filter.rank > 0 ? n : -1;
}

bool cost_conv(const struct eval *e, struct cost *cost)
{
	return set_macs(e, cost, tensor_elements(e->out),
		filter_per_result(window_filter(e, false)));
}

/* Likewise of a depthwise convolution, whose last two dimensions are channels and how many
 * results each has. */
static int64_t window_per_result(struct tensor filter)
{
	if (filter.rank-- < 3)
		return -1;
	return filter_per_result(filter);
}

bool cost_depthwise(const struct eval *e, struct cost *cost)
{
	return set_macs(e, cost, tensor_elements(e->out),
		window_per_result(window_filter(e, false)));
}

/* A transposed convolution: each element of dy is multiplied with the filter without its last
 * dimension, that is, with the window for each channel of the result. */
bool cost_conv_input(const struct eval *e, struct cost *cost)
{
	return set_macs(e, cost, tensor_elements(eval_in(e, 2)),
		filter_per_result(window_filter(e, true)));
}

bool cost_conv_filter(const struct eval *e, struct cost *cost)
{
	return set_macs(e, cost, tensor_elements(eval_in(e, 2)), filter_per_result(*e->out));
}

bool cost_depthwise_input(const struct eval *e, struct cost *cost)
{
	return set_macs(e, cost, tensor_elements(eval_in(e, 2)),
		window_per_result(window_filter(e, false)));
}

bool cost_depthwise_filter(const struct eval *e, struct cost *cost)
{
	return set_macs(e, cost, tensor_elements(eval_in(e, 2)), window_per_result(*e->out));
}

static int64_t window_of(const struct eval *e, int rank)
{
	struct layout l = layout_get(e, rank - 2);
	int64_t sizes[8], n = 1;

	if (rank < 3 || rank > 5 || !window_pool_sizes(e, &l, sizes))
		return -1;
	for (int i = 0; i < l.n_spatial; i++)
		n = count_multiply(n, sizes[i] < 0 ? 0 : sizes[i]);
	return n;
}

bool cost_pool(const struct eval *e, struct cost *cost)
{
	int64_t window = window_of(e, e->out->rank);

	return window >= 0 && others(e->out, e->out, window, cost);
}

bool cost_max_pool_grad(const struct eval *e, struct cost *cost)
{
	int64_t window = window_of(e, e->out->rank);

	return window >= 0 && others(e->out, eval_in(e, 2), count_add(window, 1), cost);
}

bool cost_avg_pool_grad(const struct eval *e, struct cost *cost)
{
	int64_t window = window_of(e, e->out->rank);

	return window >= 0 && others(e->out, eval_in(e, 1), count_multiply(window, 2), cost);
}

/* ---- reductions and the rest ---------------------------------------------------- */

static bool in_less_out(const struct eval *e, struct cost *cost)
{
	int64_t in = tensor_elements(eval_in(e, 0)), out = tensor_elements(e->out);

	if (!dtype_is_real(eval_in(e, 0)->dtype))
		return true;
	if (in < 0 || out < 0)
		return false;
	cost->others = in > out ? in - out : 0;
	return true;
}

bool cost_reduce(const struct eval *e, struct cost *cost)
{
	return in_less_out(e, cost);
}

bool cost_bias_grad(const struct eval *e, struct cost *cost)
{
	return in_less_out(e, cost);
}

bool cost_mean(const struct eval *e, struct cost *cost)
{
	return others(eval_in(e, 0), eval_in(e, 0), e->rule->factor, cost);
}

bool cost_add_n(const struct eval *e, struct cost *cost)
{
	return others(e->out, e->out, e->n_in ? (int64_t)e->n_in - 1 : 0, cost);
}

bool cost_l2_loss(const struct eval *e, struct cost *cost)
{
	int64_t n = tensor_elements(eval_in(e, 0));

	e->out->rank = 0;
	if (n < 0)
		return false;
	cost->others = n ? count_add(count_multiply(n, 3), -1) : 0;
	return true;
}

/* Each element scattered is added or compared at its place. */
bool cost_scatter(const struct eval *e, struct cost *cost)
{
	return others(e->out, eval_in(e, 2), 1, cost);
}

/* 5·n·log₂n for each transform, of the last dimension or the last two. */
bool cost_fft(const struct eval *e, struct cost *cost)
{
	const struct tensor *in = eval_in(e, 0);
	int64_t n = tensor_elements(in), length = in->rank > 0 ? in->dims[in->rank - 1] : 1;
	int64_t log2 = 0;

	if (n < 0)
		return false;
	if (span_contains(span_of(e->rule->name), SPAN("2D")) && in->rank > 1)
		length = count_multiply(length, in->dims[in->rank - 2]);
	while (log2 < 62 && ((int64_t)1 << log2) < length)
		log2++;
	cost->others = count_multiply(count_multiply(n, 5), log2);
	return true;
}

/* Inference folds everything into a scale and a shift. */
bool cost_batch_norm(const struct eval *e, struct cost *cost)
{
	bool trains = node_int(e->graph, e->node, A_is_training, 1);

	return others(e->out, e->out, trains ? 8 : 2, cost);
}

/* Softmax of the logits, a logarithm and a product. */
bool cost_cross_entropy(const struct eval *e, struct cost *cost)
{
	return others(eval_in(e, 0), eval_in(e, 0), 7, cost);
}
