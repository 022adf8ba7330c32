/* Fusions: their members' float operations, and the bytes that go in and out. */
#include "hlo/cost_rule.h"

static int64_t operand_bytes(const struct hlo_counter *c, const struct hlo_op *op, size_t i)
{
	return hlo_operand_value(c->program, op, i)->bytes;
}

static bool is_same_array(enum hlo_opcode opcode)
{
	return opcode == HLO_BITCAST || opcode == HLO_RESHAPE;
}

/* ---- read ---------------------------------------------------------------- */

/* A member uses a value of a parameter as its operand i. */
static void use(const struct hlo_counter *c, const struct hlo_op *op, size_t i, struct hlo_use *of)
{
	switch (op->opcode) {
	case HLO_SLICE:
	case HLO_DYNAMIC_SLICE:
	case HLO_GATHER:
	case HLO_GET_TUPLE_ELEMENT:
		if (!i)
			hlo_add(&of->read, hlo_result(c->program, op)->bytes);
		else
			of->is_whole = true;
		break;
	case HLO_DYNAMIC_UPDATE_SLICE: of->is_whole |= i > 0; break;
	default: of->is_whole = true;
	}
}

/* Which parameter's value an op has, and what of it the op's operands are. */
static void find_uses(struct hlo_counter *c, const struct hlo_block *b, uint32_t i)
{
	const struct hlo_op *op = &c->program->ops.at[i];

	if (op->opcode == HLO_PARAMETER)
		c->uses.at[i - b->first].parameter = i;
	for (uint32_t k = 0; k < op->n_operands; k++) {
		uint32_t operand = hlo_operand(c->program, op, k), parameter;

		if (operand == NONE || operand < b->first || operand >= b->first + b->n)
			continue;
		parameter = c->uses.at[operand - b->first].parameter;
		if (parameter == NONE)
			continue;
		if (is_same_array(op->opcode))
			c->uses.at[i - b->first].parameter = parameter;
		else
			use(c, op, k, &c->uses.at[parameter - b->first]);
	}
}

static int64_t count_read(struct hlo_counter *c, const struct hlo_block *b)
{
	const struct hlo_program *p = c->program;
	int64_t bytes = 0;

	c->uses.n = 0;
	for (uint32_t i = 0; i < b->n; i++)
		if (!decoder_alloc(&c->d,
			    vec_push(&c->uses, ((struct hlo_use){.parameter = NONE}))))
			return 0;
	for (uint32_t i = b->first; i < b->first + b->n; i++)
		find_uses(c, b, i);
	if (b->root != NONE && c->uses.at[b->root - b->first].parameter != NONE)
		c->uses.at[c->uses.at[b->root - b->first].parameter - b->first].is_whole = true;
	for (uint32_t i = b->first; i < b->first + b->n; i++) {
		const struct hlo_use *of = &c->uses.at[i - b->first];
		const struct hlo_value *v = hlo_result(p, &p->ops.at[i]);

		if (p->ops.at[i].opcode == HLO_PARAMETER)
			hlo_add(&bytes, of->is_whole || of->read > v->bytes ? v->bytes : of->read);
		else if (p->ops.at[i].opcode == HLO_CONSTANT && v->n_dims)
			hlo_add(&bytes, v->bytes);
	}
	return bytes;
}

/* ---- written ------------------------------------------------------------- */

/* The op whose value it is, through bitcasts. */
static const struct hlo_op *find_origin(const struct hlo_program *p, const struct hlo_op *op)
{
	for (int hops = 0; hops < HLO_DEEPEST && op->opcode == HLO_BITCAST; hops++) {
		uint32_t operand = hlo_operand(p, op, 0);

		if (operand == NONE)
			break;
		op = &p->ops.at[operand];
	}
	return op;
}

static int64_t count_written_by(const struct hlo_counter *c, const struct hlo_op *op)
{
	const struct hlo_op *origin = find_origin(c->program, op);
	int64_t bytes = 0;

	if (origin->opcode == HLO_DYNAMIC_UPDATE_SLICE)
		return operand_bytes(c, origin, 1);
	if (origin->opcode != HLO_SCATTER)
		return hlo_result(c->program, op)->bytes;
	for (uint32_t i = origin->n_operands / 2 + 1; i < origin->n_operands; i++)
		hlo_add(&bytes, operand_bytes(c, origin, i));
	return bytes;
}

static int64_t count_written(const struct hlo_counter *c, const struct hlo_block *b)
{
	const struct hlo_op *root = b->root == NONE ? NULL : &c->program->ops.at[b->root];
	int64_t bytes = 0;

	if (!root)
		return 0;
	if (root->opcode != HLO_TUPLE)
		return count_written_by(c, root);
	for (uint32_t i = 0; i < root->n_operands; i++) {
		uint32_t operand = hlo_operand(c->program, root, i);

		if (operand != NONE)
			hlo_add(&bytes, count_written_by(c, &c->program->ops.at[operand]));
	}
	return bytes;
}

void hlo_rule_fusion(struct hlo_counter *c, const struct hlo_op *op, struct hlo_cost *cost)
{
	uint32_t block = hlo_callee(c->program, op, 0);

	hlo_add_calls(c, op, 1, cost);
	if (block == NONE) {
		cost->unknown = 1;
		return;
	}
	/* Several fusions may have the same members. */
	if (c->fused_bytes[block] < 0) {
		const struct hlo_block *b = &c->program->blocks.at[block];

		c->fused_bytes[block] = hlo_sum(count_read(c, b), count_written(c, b));
	}
	cost->bytes = c->fused_bytes[block];
}
