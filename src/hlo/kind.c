#include "hlo/kind.h"

#include "hlo/memory.h"

const char *const hlo_kind_texts[] = {
#define X(id, text) text,
	HLO_KINDS(X)
#undef X
};

static enum hlo_kind kind_of_call(const struct hlo_op *op)
{
	struct decoder d = {0};
	struct span target = hlo_find_field(&d, op->message, HLO_INSTRUCTION_CUSTOM_CALL_TARGET);

	if (span_contains(target, SPAN("gemm")) || span_contains(target, SPAN("matmul")))
		return HLO_KIND_MATMUL;
	if (span_contains(target, SPAN("$conv")))
		return HLO_KIND_CONVOLUTION;
	return span_equal(target, SPAN("TopK")) ? HLO_KIND_PICK : HLO_KIND_CUSTOM;
}

/* Whether the rule of its cost (opcodes.h) is that of a function of each element. */
static bool is_element_wise(enum hlo_opcode opcode)
{
	static const char *const rules[] = {
#define X(id, text, rule) #rule,
		HLO_OPCODES(X)
#undef X
	};

	return opcode != HLO_OTHER &&
		(!strcmp(rules[opcode], "element") || !strcmp(rules[opcode], "transcendental"));
}

enum hlo_kind hlo_kind_of_opcode(enum hlo_opcode opcode)
{
	switch (opcode) {
	case HLO_DOT:
	case HLO_RAGGED_DOT: return HLO_KIND_MATMUL;
	case HLO_CONVOLUTION: return HLO_KIND_CONVOLUTION;
	case HLO_ALL_GATHER:
	case HLO_ALL_GATHER_START:
	case HLO_ALL_REDUCE:
	case HLO_ALL_REDUCE_START:
	case HLO_ALL_TO_ALL:
	case HLO_COLLECTIVE_BROADCAST:
	case HLO_COLLECTIVE_PERMUTE:
	case HLO_COLLECTIVE_PERMUTE_START:
	case HLO_RAGGED_ALL_TO_ALL:
	case HLO_REDUCE_SCATTER:
	case HLO_RECV:
	case HLO_SEND: return HLO_KIND_COLLECTIVE;
	case HLO_REDUCE:
	case HLO_REDUCE_WINDOW: return HLO_KIND_REDUCTION;
	case HLO_GATHER:
	case HLO_SCATTER:
	case HLO_SELECT_AND_SCATTER:
	case HLO_SORT:
	case HLO_TOPK: return HLO_KIND_PICK;
	case HLO_CHOLESKY:
	case HLO_FFT:
	case HLO_TRIANGULAR_SOLVE: return HLO_KIND_OTHER;
	case HLO_ALL_GATHER_DONE:
	case HLO_ALL_REDUCE_DONE:
	case HLO_ASYNC_DONE:
	case HLO_COLLECTIVE_PERMUTE_DONE:
	case HLO_COPY_DONE:
	case HLO_RECV_DONE:
	case HLO_SEND_DONE: return HLO_KIND_WAITING;
	case HLO_ASYNC_START:
	case HLO_ASYNC_UPDATE:
	case HLO_CALL:
	case HLO_CONDITIONAL:
	case HLO_WHILE: return HLO_KIND_CONTROL;
	case HLO_CUSTOM_CALL: return HLO_KIND_CUSTOM;
	case HLO_BITCAST_CONVERT:
	case HLO_CONVERT:
	case HLO_REDUCE_PRECISION: return HLO_KIND_MOVE;
	case HLO_MAP: return HLO_KIND_ELEMENT;
	case HLO_OTHER: return HLO_KIND_OTHER;
	default: return is_element_wise(opcode) ? HLO_KIND_ELEMENT : HLO_KIND_MOVE;
	}
}

/* Of one that is not a fusion. */
static enum hlo_kind kind_of_op(const struct hlo_op *op)
{
	return op->opcode == HLO_CUSTOM_CALL ? kind_of_call(op) : hlo_kind_of_opcode(op->opcode);
}

/* Fusions have the first kind in the list that a member has. Compilers list a block before those
 * that call it. */
static void find_kinds(const struct hlo_program *p, uint8_t *of_op, uint8_t *of_block)
{
	for (uint32_t i = 0; i < p->blocks.n; i++) {
		const struct hlo_block *b = &p->blocks.at[i];

		of_block[i] = HLO_KIND_MOVE;
		for (uint32_t k = b->first; k < b->first + b->n; k++) {
			const struct hlo_op *op = &p->ops.at[k];
			uint32_t callee = op->opcode == HLO_FUSION ? hlo_callee(p, op, 0) : NONE;

			of_op[k] = callee < i ? of_block[callee] : (uint8_t)kind_of_op(op);
			if (of_op[k] < of_block[i])
				of_block[i] = of_op[k];
		}
	}
}

bool hlo_kinds_find(struct hlo_kinds *k, const struct hlo_program *p)
{
	uint8_t *of_block = mem_array(p->blocks.n + 1, 1);

	k->of_op = mem_zero_array(p->ops.n + 1, 1);
	if (of_block && k->of_op)
		find_kinds(p, k->of_op, of_block);
	mem_free(of_block);
	return of_block && k->of_op;
}

void hlo_kinds_clear(struct hlo_kinds *k)
{
	mem_free(k->of_op);
	k->of_op = NULL;
}

static bool is_on_host(const struct hlo_program *p, uint32_t op)
{
	uint32_t end = op == NONE ? 0 : p->ops.at[op].end_value;

	for (uint32_t i = op == NONE ? 0 : p->ops.at[op].value; i < end; i++)
		if (p->values.at[i].space == HLO_HOST_SPACE)
			return true;
	return false;
}

bool hlo_is_transfer(const struct hlo_program *p, const struct hlo_op *op)
{
	uint32_t self = (uint32_t)(op - p->ops.at);

	if (op->opcode != HLO_COPY && op->opcode != HLO_COPY_START && op->opcode != HLO_COPY_DONE)
		return false;
	return is_on_host(p, self) || is_on_host(p, hlo_operand(p, op, 0));
}

/* Any number of fusions may have the same members: that many are looked at. */
enum { MOST_MEMBERS = 4096 };

static uint32_t end_of_members(const struct hlo_block *b)
{
	return b ? b->first + (b->n < MOST_MEMBERS ? b->n : MOST_MEMBERS) : 0;
}

/* Members of fusions that say nothing of what a fusion is for. */
static bool is_beside(enum hlo_opcode opcode)
{
	switch (opcode) {
	case HLO_PARAMETER:
	case HLO_CONSTANT:
	case HLO_TUPLE:
	case HLO_GET_TUPLE_ELEMENT:
	case HLO_BITCAST:
	case HLO_RESHAPE: return true;
	default: return false;
	}
}

bool hlo_is_layout_change(const struct hlo_program *p, const struct hlo_op *op)
{
	uint32_t block = op->opcode == HLO_FUSION ? hlo_callee(p, op, 0) : NONE;
	const struct hlo_block *b = block == NONE ? NULL : &p->blocks.at[block];
	bool has_change = false;

	if (op->opcode == HLO_TRANSPOSE || op->opcode == HLO_COPY)
		return !hlo_is_transfer(p, op);
	for (uint32_t i = b ? b->first : 0; i < end_of_members(b); i++) {
		enum hlo_opcode opcode = p->ops.at[i].opcode;
		bool is_change = opcode == HLO_TRANSPOSE || opcode == HLO_COPY;

		if (!is_change && !is_beside(opcode))
			return false;
		has_change |= is_change;
	}
	return has_change && b->n <= MOST_MEMBERS;
}

static bool is_float32_product(const struct hlo_program *p, const struct hlo_op *op)
{
	uint32_t left;

	if (op->opcode != HLO_DOT && op->opcode != HLO_CONVOLUTION &&
		!(op->opcode == HLO_CUSTOM_CALL && kind_of_call(op) <= HLO_KIND_CONVOLUTION))
		return false;
	left = hlo_operand(p, op, 0);
	return left != NONE && hlo_result(p, &p->ops.at[left])->type == PRIMITIVE_TYPE_F32;
}

bool hlo_is_float32_product(const struct hlo_program *p, const struct hlo_op *op)
{
	uint32_t block = op->opcode == HLO_FUSION ? hlo_callee(p, op, 0) : NONE;
	const struct hlo_block *b = block == NONE ? NULL : &p->blocks.at[block];

	for (uint32_t i = b ? b->first : 0; i < end_of_members(b); i++)
		if (is_float32_product(p, &p->ops.at[i]))
			return true;
	return is_float32_product(p, op);
}
