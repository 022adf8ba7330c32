/* Custom calls: those of libraries whose cost follows from shapes. */
#include "hlo/cost_rule.h"

/* Workspaces are vectors of bytes behind the first result. */
static int64_t count_workspace(const struct hlo_program *p, const struct hlo_op *op, uint32_t first)
{
	int64_t bytes = 0;

	for (uint32_t i = first + 1; i < op->end_value; i++) {
		const struct hlo_value *v = &p->values.at[i];

		if (v->n_dims == 1 &&
			(v->type == PRIMITIVE_TYPE_S8 || v->type == PRIMITIVE_TYPE_U8))
			hlo_add(&bytes, v->bytes);
	}
	return bytes;
}

/* Two for each product that is added up, along the dimensions that the configuration names, or
 * along the last. */
static void count_matmul(struct hlo_counter *c, const struct hlo_op *op,
	const struct hlo_value *result, struct hlo_cost *cost)
{
	const struct hlo_value *lhs = hlo_operand_value(c->program, op, 0);
	struct span config = hlo_find_field(&c->d, op->message, HLO_INSTRUCTION_BACKEND_CONFIG);
	struct span dims = hlo_json_after(config, SPAN("\"lhs_contracting_dimensions"));
	int64_t n = hlo_product(2, result->elements), i = hlo_json_take_number(&dims);
	int64_t dim;

	if (i < 0 && !lhs->n_dims)
		n = -1;
	else if (i < 0)
		n = hlo_product(n, hlo_dim(c->program, lhs, lhs->n_dims - 1));
	for (; i >= 0 && n >= 0; i = hlo_json_take_number(&dims)) {
		dim = hlo_dim(c->program, lhs, (uint64_t)i);
		n = dim < 0 ? -1 : hlo_product(n, dim);
	}
	cost->unknown = n < 0;
	cost->float_ops = cost->matrix_float_ops = n < 0 ? 0 : n;
}

/* Which of the two operands and the result are input, kernel and output. */
static void count_convolution(struct hlo_counter *c, const struct hlo_op *op, struct span target,
	const struct hlo_value *result, struct hlo_cost *cost)
{
	const struct hlo_value *a = hlo_operand_value(c->program, op, 0);
	const struct hlo_value *b = hlo_operand_value(c->program, op, 1);

	if (span_contains(target, SPAN("BackwardInput")))
		hlo_count_convolution(c, op, result, b, a, cost);
	else if (span_contains(target, SPAN("BackwardFilter")))
		hlo_count_convolution(c, op, a, result, b, cost);
	else
		hlo_count_convolution(c, op, a, b, result, cost);
}

static bool is_matmul(struct span target)
{
	return span_starts(target, SPAN("__cublas$gemm")) ||
		span_starts(target, SPAN("__cublas$lt$matmul")) ||
		span_starts(target, SPAN("__onednn$matmul"));
}

void hlo_rule_custom_call(struct hlo_counter *c, const struct hlo_op *op, struct hlo_cost *cost)
{
	struct span target = hlo_find_field(&c->d, op->message, HLO_INSTRUCTION_CUSTOM_CALL_TARGET);
	uint32_t first = hlo_first_array(c->program, op->value);

	if (first == NONE) {
		cost->unknown = 1;
		return;
	}
	cost->bytes -= count_workspace(c->program, op, first);
	if (cost->bytes < 0)
		cost->bytes = 0;
	if (is_matmul(target))
		count_matmul(c, op, &c->program->values.at[first], cost);
	else if (span_starts(target, SPAN("__cudnn$conv")))
		count_convolution(c, op, target, &c->program->values.at[first], cost);
	else
		cost->unknown = !span_equal(target, SPAN("TopK"));
}
