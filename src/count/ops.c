#include "count/ops.h"

static const struct op_rule rules[] = {
#define X(name, shape, cost, factor, value, place) \
	{#name, shape_##shape, cost_##cost, factor, VALUE_##value, PLACE_##place, NULL},
	OPS(X)
#undef X
};

const struct op_rule *op_find_rule(struct span type)
{
	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++)
		if (span_equal(span_of(rules[i].name), type))
			return &rules[i];
	return NULL;
}

const struct tensor *eval_in(const struct eval *e, size_t i)
{
	static const struct tensor unknown = {.rank = -1, .length = -1};

	return i < e->n_in ? e->in[i] : &unknown;
}

bool eval_outputs(struct eval *e, size_t n)
{
	if (n > e->out_cap && !e->more_outputs(e, n))
		return false;
	e->out = e->out_room;
	e->n_out = n;
	for (size_t i = 0; i < n; i++)
		e->out[i] = tensor_unknown(eval_in(e, 0)->dtype);
	return true;
}

union number *eval_values(struct eval *e, struct tensor *out)
{
	int64_t n = tensor_elements(out);

	out->values = NULL;
	if (n < 0 || n > TENSOR_MAX_VALUES || n > *e->values_left)
		return NULL;
	*e->values_left -= n;
	return tensor_make_values(out, e->arena);
}

bool op_rule_is_product(const struct op_rule *rule)
{
	static cost_fn *const products[] = {cost_matmul, cost_einsum, cost_conv, cost_depthwise,
		cost_conv_input, cost_conv_filter, cost_depthwise_input, cost_depthwise_filter};

	for (size_t i = 0; rule && i < sizeof(products) / sizeof(*products); i++)
		if (rule->cost == products[i])
			return true;
	return false;
}
