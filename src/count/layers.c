/* Layers with weights, except convolutions (layers_conv.c), and what all rules share. */
#include "count/layers.h"

#include "count/einsum.h"
#include "count/lower.h"
#include "proto/fields.h"

static bool cost_layer(const struct eval *e, struct cost *cost)
{
	*cost = e->layer_cost;
	return true;
}

static const struct op_rule rules[] = {
#define X(name, rule, op, factor, place) \
	{#name, layer_##rule, cost_layer, factor, VALUE_none, PLACE_##place, op},
	LAYERS(X)
#undef X
};

const struct op_rule *layer_find_rule(struct span name)
{
	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++)
		if (span_equal(span_of(rules[i].name), name))
			return &rules[i];
	return NULL;
}

const char *layer_get_class(size_t i)
{
	return i < sizeof(rules) / sizeof(*rules) ? rules[i].name : NULL;
}

/* ---- what rules share ----------------------------------------------------------- */

int64_t layer_int_at(const struct eval *e, enum attr_id id, int i, int64_t otherwise)
{
	const struct op_attr *attr = node_attr(e->graph, e->node, id);

	if (attr && attr->kind == OP_INT)
		return attr->number;
	if (attr && attr->kind == OP_INTS && (uint32_t)i < attr->n)
		return attr->ints[i];
	return otherwise;
}

int64_t layer_int(const struct eval *e, enum attr_id id, int64_t otherwise)
{
	return layer_int_at(e, id, 0, otherwise);
}

bool layer_start(struct eval *e, size_t input)
{
	if (!eval_outputs(e, 1))
		return false;
	*e->out = *eval_in(e, input);
	e->out->values = NULL;
	return tensor_is_known(e->out);
}

struct tensor layer_input(const struct eval *e, size_t i)
{
	struct tensor t = *eval_in(e, i);

	if (!dtype_is_real(t.dtype))
		t.dtype = DT_FLOAT;
	return t;
}

void layer_add_macs(struct eval *e, int64_t a, int64_t b)
{
	e->layer_cost.macs =
		count_add(e->layer_cost.macs, count_multiply(a < 0 ? 0 : a, b < 0 ? 0 : b));
}

void layer_add_others(struct eval *e, int64_t elements, int64_t each)
{
	if (elements > 0 && each > 0)
		e->layer_cost.others =
			count_add(e->layer_cost.others, count_multiply(elements, each));
}

void layer_add_parameters(struct eval *e, int64_t n, bool trainable)
{
	if (n <= 0)
		return;
	e->parameters = count_add(e->parameters, n);
	if (trainable && node_int(e->graph, e->node, A_trainable, 1))
		e->trainable = count_add(e->trainable, n);
}

/* Operations of activations by their names; others are one operation. */
static void lower_activation(struct eval *e, struct span name)
{
	static const struct {
		const char *name;
		const char *ops[5];
	} all[] = {{"linear", {0}}, {"softmax", {"Softmax"}}, {"log_softmax", {"LogSoftmax"}},
		{"swish", {"Sigmoid", "Mul"}}, {"silu", {"Sigmoid", "Mul"}},
		{"gelu", {"Mul", "Erf", "Add", "Mul", "Mul"}},
		{"mish", {"Softplus", "Tanh", "Mul"}}, {"hard_sigmoid", {"Mul", "Add", "Relu6"}},
		{"hard_swish", {"Mul", "Add", "Relu6", "Mul"}},
		{"hard_silu", {"Mul", "Add", "Relu6", "Mul"}}};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		if (!span_equal(span_of(all[i].name), name))
			continue;
		for (size_t k = 0; k < 5 && all[i].ops[k]; k++)
			lower_elementwise(e, all[i].ops[k]);
		return;
	}
	if (name.n)
		lower_elementwise(e, "Relu");
}

void layer_add_activation(struct eval *e, bool has_bias)
{
	if (has_bias)
		lower_elementwise(e, "BiasAdd");
	lower_activation(e, node_text(e->graph, e->node, A_activation));
}

/* ---- dense ---------------------------------------------------------------------- */

bool layer_dense(struct eval *e)
{
	struct tensor x = layer_input(e, 0);
	int64_t units = layer_int(e, A_units, -1);
	struct lowering l;

	if (x.rank < 1 || units < 0)
		return false;
	lower_begin(&l, e);
	lower_input(&l, x);
	lower_weights(&l, (int64_t[]){x.dims[x.rank - 1], units}, 2);
	if (!lower_run(&l, "BatchMatMulV2"))
		return false;
	layer_add_activation(e, layer_uses_bias(e));
	layer_add_parameters(e, layer_uses_bias(e) ? units : 0, true);
	return true;
}

/* With the equation "abc,cde->abde", output_shape gives the sizes that only the kernel has, and
 * null for those that follow from the input. */
bool layer_einsum_dense(struct eval *e)
{
	struct span equation = node_text(e->graph, e->node, A_equation);
	struct span bias = node_text(e->graph, e->node, A_bias_axes);
	struct tensor x = layer_input(e, 0), kernel = tensor_unknown(0);
	const struct tensor *in[2] = {&x, &kernel};
	const struct op_attr *shape = node_attr(e->graph, e->node, A_output_shape);
	int64_t dims[TENSOR_MAX_RANK], biases = 1;
	struct lowering l;
	struct einsum s;

	if (!einsum_read(&s, equation, in, 2))
		return false;
	/* output_shape omits the batch; its sizes are assigned to the letters. */
	for (int i = 1; i < s.result.n; i++) {
		int64_t size = shape && shape->kind == OP_INTS && (uint32_t)(i - 1) < shape->n
			? shape->ints[i - 1]
			: shape && shape->kind == OP_INT && i == s.result.n - 1 ? shape->number
										: -1;

		if (size > 0)
			s.size[s.result.letters[i]] = size;
	}
	for (int i = 0; i < s.operands[1].n; i++)
		dims[i] = s.size[s.operands[1].letters[i]];
	for (size_t i = 0; i < bias.n; i++)
		if (bias.at[i] >= 'a' && bias.at[i] <= 'z')
			biases = count_multiply(biases, s.size[bias.at[i] - 'a']);
	lower_begin(&l, e);
	lower_input(&l, x);
	lower_weights(&l, dims, s.operands[1].n);
	lower_attr_text(&l, A_equation, equation);
	if (!lower_run(&l, "Einsum"))
		return false;
	layer_add_activation(e, bias.n > 0);
	layer_add_parameters(e, bias.n ? biases : 0, true);
	return true;
}

bool layer_embedding(struct eval *e)
{
	int64_t rows = layer_int(e, A_input_dim, -1), width = layer_int(e, A_output_dim, -1);

	if (!layer_start(e, 0) || rows < 0 || width < 0 || e->out->rank == TENSOR_MAX_RANK)
		return false;
	e->out->dims[e->out->rank++] = width;
	e->out->dtype = 1;
	e->weights_read = tensor_elements(e->out);
	layer_add_parameters(e, count_multiply(rows, width), true);
	return true;
}

/* ---- attention ------------------------------------------------------------------ */

/* One projection: positions × in × out, with a bias. */
static void project(struct eval *e, int64_t positions, int64_t in, int64_t out)
{
	bool bias = layer_uses_bias(e);

	lower_product(e, 1, positions, in, out);
	if (bias)
		layer_add_others(e, count_multiply(positions, out), 1);
	layer_add_parameters(e, count_add(count_multiply(in, out), bias ? out : 0), true);
}

/* Queries by keys, and what comes of it by values: in `heads` heads of these widths. */
static void add_scores(struct eval *e, int64_t heads, int64_t from, int64_t to, int64_t key_dim,
	int64_t value_dim)
{
	lower_product(e, heads, from, key_dim, to);
	lower_product(e, heads, from, to, value_dim);
}

static bool attend(struct eval *e, int64_t query_heads, int64_t heads, int64_t key_dim,
	int64_t value_dim)
{
	const struct tensor *q = eval_in(e, 0), *v = eval_in(e, e->n_in > 1 ? 1 : 0);
	const struct tensor *k = e->n_in > 2 ? e->in[2] : v;
	int64_t batch, from, to, out;

	if (q->rank != 3 || v->rank != 3 || k->rank != 3 || !tensor_is_known(q) ||
		!tensor_is_known(v) || !tensor_is_known(k) || query_heads < 1 || heads < 1 ||
		key_dim < 1 || value_dim < 1)
		return false;
	batch = q->dims[0];
	from = count_multiply(batch, q->dims[1]);
	to = count_multiply(batch, v->dims[1]);
	out = layer_int(e, A_output_shape, q->dims[2]);
	project(e, from, q->dims[2], count_multiply(query_heads, key_dim));
	project(e, to, k->dims[2], count_multiply(heads, key_dim));
	project(e, to, v->dims[2], count_multiply(heads, value_dim));
	add_scores(e, count_multiply(batch, query_heads), q->dims[1], v->dims[1], key_dim,
		value_dim);
	/* softmax, and a scale */
	layer_add_others(e, count_multiply(count_multiply(from, v->dims[1]), query_heads), 6);
	project(e, from, count_multiply(query_heads, value_dim), out);
	if (!layer_start(e, 0))
		return false;
	e->out->dims[2] = out;
	return true;
}

/* Queries, keys and values of batch x positions x heads x width. */
bool layer_heads_attention(struct eval *e)
{
	const struct tensor *q = eval_in(e, 0), *k = eval_in(e, 1), *v = eval_in(e, 2);
	int64_t heads;

	if (!tensor_is_known(q) || !tensor_is_known(k) || !tensor_is_known(v) || q->rank != 4 ||
		k->rank != 4 || v->rank != 4)
		return false;
	heads = count_multiply(q->dims[0], q->dims[2]);
	add_scores(e, heads, q->dims[1], k->dims[1], q->dims[3], v->dims[3]);
	layer_add_others(e, count_multiply(heads, count_multiply(q->dims[1], k->dims[1])), 6);
	if (!layer_start(e, 0))
		return false;
	e->out->dims[3] = v->dims[3];
	return true;
}

bool layer_attention(struct eval *e)
{
	int64_t heads = layer_int(e, A_num_heads, -1), key_dim = layer_int(e, A_key_dim, -1);

	return attend(e, heads, heads, key_dim, layer_int(e, A_value_dim, key_dim));
}

bool layer_grouped_attention(struct eval *e)
{
	int64_t width = layer_int(e, A_head_dim, -1);

	return attend(e, layer_int(e, A_num_query_heads, -1),
		layer_int(e, A_num_key_value_heads, -1), width, width);
}

bool layer_dot_attention(struct eval *e)
{
	const struct tensor *q = eval_in(e, 0), *v = eval_in(e, 1);
	bool scales = layer_int(e, A_use_scale, 0), is_additive = e->rule->factor;
	int64_t scores;

	if (!tensor_is_known(q) || !tensor_is_known(v) || q->rank != 3 || v->rank != 3)
		return false;
	scores = count_multiply(count_multiply(q->dims[0], q->dims[1]), v->dims[1]);
	layer_add_others(e, scores, 5 + (scales && !is_additive));
	/* Additive: sum(scale * tanh(q + k)) instead of a product. */
	if (is_additive)
		layer_add_others(e, scores, 4 * q->dims[2] - 1);
	add_scores(e, q->dims[0], q->dims[1], v->dims[1], is_additive ? 0 : q->dims[2], v->dims[2]);
	if (scales)
		layer_add_parameters(e, is_additive ? q->dims[2] : 1, true);
	if (!layer_start(e, 0))
		return false;
	e->out->dims[2] = v->dims[2];
	return true;
}

/* ---- normalization -------------------------------------------------------------- */
/* The product of the dimensions along axis, which is a number or a list; the last one by
 * default. -1 if there is no such axis. */
static int64_t along_axes(const struct eval *e)
{
	const struct op_attr *attr = node_attr(e->graph, e->node, A_axis);
	int64_t n = 1;
	uint32_t count = attr && attr->kind == OP_INTS ? attr->n : 1;

	for (uint32_t i = 0; i < count; i++) {
		int64_t axis = layer_int_at(e, A_axis, (int)i, -1);

		axis += axis < 0 ? e->out->rank : 0;
		if (axis < 0 || axis >= e->out->rank)
			return -1;
		n = count_multiply(n, e->out->dims[axis]);
	}
	return n;
}

static bool normalize(struct eval *e, int n_statistics)
{
	int64_t n;

	if (!layer_start(e, 0))
		return false;
	n = along_axes(e);
	if (n < 0)
		return false;
	layer_add_others(e, tensor_elements(e->out), e->rule->factor);
	if (layer_int(e, A_scale, 1))
		layer_add_parameters(e, n, true);
	if (layer_int(e, A_center, 1) && e->rule->name[0] != 'R')
		layer_add_parameters(e, n, true);
	layer_add_parameters(e, count_multiply(n, n_statistics), false);
	return true;
}

bool layer_batch_norm(struct eval *e)
{
	return normalize(e, 2);
}

bool layer_layer_norm(struct eval *e)
{
	return normalize(e, 0);
}

bool layer_group_norm(struct eval *e)
{
	return normalize(e, 0);
}

/* Has a mean, a variance and a count; without an axis these are scalars. */
bool layer_normalization(struct eval *e)
{
	const struct op_attr *axis = node_attr(e->graph, e->node, A_axis);
	int64_t n;

	if (!layer_start(e, 0))
		return false;
	n = axis && axis->kind == OP_INTS && !axis->n ? 1 : along_axes(e);
	layer_add_others(e, tensor_elements(e->out), 2);
	/* A mean in the configuration is a constant, not a weight. */
	if (!node_attr(e->graph, e->node, A_mean))
		layer_add_parameters(e, count_add(count_multiply(n < 0 ? 1 : n, 2), 1), false);
	return true;
}

bool layer_layer_scale(struct eval *e)
{
	if (!layer_start(e, 0) || e->out->rank < 1)
		return false;
	layer_add_others(e, tensor_elements(e->out), 1);
	layer_add_parameters(e, e->out->dims[e->out->rank - 1], true);
	return true;
}

bool layer_prelu(struct eval *e)
{
	const struct op_attr *shared = node_attr(e->graph, e->node, A_shared_axes);
	int64_t n = 1;

	if (!layer_start(e, 0))
		return false;
	for (int d = 1; d < e->out->rank; d++) {
		bool is_shared = false;

		for (uint32_t i = 0; shared && shared->kind == OP_INTS && i < shared->n; i++)
			is_shared |= shared->ints[i] == d;
		n = is_shared ? n : count_multiply(n, e->out->dims[d]);
	}
	layer_add_others(e, tensor_elements(e->out), e->rule->factor);
	layer_add_parameters(e, n, true);
	return true;
}

/* ---- wrappers ------------------------------------------------------------------- */

/* A wrapper within a wrapper would read the outer one's attributes, and so wrap itself forever. */
static bool is_wrapper(const struct op_rule *rule)
{
	return rule->shape == layer_bidirectional || rule->shape == layer_spectral ||
		rule->shape == layer_time_distributed;
}

static bool run_inner(struct eval *e, const struct tensor *in, struct eval *inner)
{
	*inner = *e;
	inner->rule = layer_find_rule(node_text(e->graph, e->node, A_inner));
	inner->in = &in;
	inner->n_in = 1;
	if (!inner->rule || is_wrapper(inner->rule) || !inner->rule->shape(inner))
		return false;
	/* Room for more results may have been made. */
	e->out_room = inner->out_room;
	e->out_cap = inner->out_cap;
	return true;
}

/* The inner layer twice, once from each end. */
bool layer_bidirectional(struct eval *e)
{
	struct span mode = node_text(e->graph, e->node, A_merge_mode);
	struct eval inner;
	struct tensor out;

	if (!run_inner(e, eval_in(e, 0), &inner))
		return false;
	out = *inner.out;
	if (!eval_outputs(e, 1))
		return false;
	*e->out = out;
	if (out.rank > 0 && (!mode.n || span_equal(mode, SPAN("concat"))))
		e->out->dims[out.rank - 1] = count_multiply(out.dims[out.rank - 1], 2);
	else
		layer_add_others(e, tensor_elements(&out), 1);
	layer_add_macs(e, inner.layer_cost.macs, 2);
	layer_add_others(e, inner.layer_cost.others, 2);
	e->parameters = count_multiply(inner.parameters, 2);
	e->trainable = count_multiply(inner.trainable, 2);
	return true;
}

/* The inner layer, plus a vector as long as the last dimension of its kernel, which is updated
 * in training but is not trainable. */
bool layer_spectral(struct eval *e)
{
	struct eval inner;
	int64_t n = layer_int(e, A_filters, layer_int(e, A_units, layer_int(e, A_output_dim, -1)));
	struct tensor out;

	if (n < 0 || !run_inner(e, eval_in(e, 0), &inner))
		return false;
	out = *inner.out;
	e->layer_cost = inner.layer_cost;
	e->parameters = inner.parameters;
	e->trainable = inner.trainable;
	layer_add_parameters(e, n, false);
	if (!eval_outputs(e, 1))
		return false;
	*e->out = out;
	return true;
}

bool layer_merge_steps(const struct tensor *in, struct tensor *flat)
{
	if (!tensor_is_known(in) || in->rank < 2)
		return false;
	*flat = tensor_make(in->dtype, in->dims + 1, in->rank - 1);
	flat->dims[0] = count_multiply(in->dims[0], in->dims[1]);
	return true;
}

/* Restores the steps of the input. */
static bool split_steps(const struct tensor *flat, const struct tensor *in, struct tensor *out)
{
	if (!tensor_is_known(flat) || !tensor_is_known(in) || in->rank < 2 || flat->rank < 1 ||
		flat->rank >= TENSOR_MAX_RANK)
		return false;
	*out = tensor_make(flat->dtype, flat->dims, flat->rank);
	memmove(out->dims + 2, out->dims + 1, sizeof(*out->dims) * (size_t)(out->rank - 1));
	out->rank++;
	out->dims[0] = in->dims[0];
	out->dims[1] = in->dims[1];
	return true;
}

/* Before and after a model, which is called in between. */
static bool distribute_model(struct eval *e)
{
	struct tensor out;

	if (e->n_in == 1 ? !layer_merge_steps(eval_in(e, 0), &out)
			 : !split_steps(eval_in(e, 0), eval_in(e, 1), &out))
		return false;
	if (!eval_outputs(e, 1))
		return false;
	*e->out = out;
	return true;
}

/* The inner layer on each step. */
bool layer_time_distributed(struct eval *e)
{
	const struct tensor *in = eval_in(e, 0);
	struct tensor flat, out;
	struct eval inner;

	if (span_equal(node_text(e->graph, e->node, A_inner), SPAN(LAYER_STEPS)))
		return distribute_model(e);
	if (!layer_merge_steps(in, &flat) || !run_inner(e, &flat, &inner) ||
		!split_steps(inner.out, in, &out))
		return false;
	e->layer_cost = inner.layer_cost;
	e->parameters = inner.parameters;
	e->trainable = inner.trainable;
	if (!eval_outputs(e, 1))
		return false;
	*e->out = out;
	return true;
}
