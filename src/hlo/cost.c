#include "hlo/cost.h"

#include "hlo/cost_rule.h"

static hlo_rule *const rules[] = {
#define X(id, text, rule) hlo_rule_##rule,
	HLO_OPCODES(X)
#undef X
		[HLO_OTHER] = hlo_rule_move,
};

/* ---- loops --------------------------------------------------------------- */

int64_t hlo_trip_count(const struct hlo_op *loop)
{
	struct decoder d = {0};
	struct span config = hlo_find_field(&d, loop->message, HLO_INSTRUCTION_BACKEND_CONFIG);
	struct span count = hlo_json_after(config, SPAN("known_trip_count"));

	count = hlo_json_after(count, SPAN("\"n"));
	return hlo_json_take_number(&count);
}

/* ---- sums ---------------------------------------------------------------- */

static void add_cost(struct hlo_cost *sum, const struct hlo_cost *cost, int64_t times)
{
	hlo_add(&sum->float_ops, hlo_product(cost->float_ops, times));
	hlo_add(&sum->matrix_float_ops, hlo_product(cost->matrix_float_ops, times));
	hlo_add(&sum->padding_float_ops, hlo_product(cost->padding_float_ops, times));
	hlo_add(&sum->transcendentals, hlo_product(cost->transcendentals, times));
	hlo_add(&sum->bytes, hlo_product(cost->bytes, times));
	hlo_add(&sum->sent_bytes, hlo_product(cost->sent_bytes, times));
	hlo_add(&sum->unknown, cost->unknown);
}

static void keep_larger(int64_t *most, int64_t value)
{
	if (value > *most)
		*most = value;
}

/* A conditional costs as much as its most expensive branch, each number by itself. */
static void take_larger(struct hlo_cost *most, const struct hlo_cost *cost)
{
	keep_larger(&most->float_ops, cost->float_ops);
	keep_larger(&most->matrix_float_ops, cost->matrix_float_ops);
	keep_larger(&most->padding_float_ops, cost->padding_float_ops);
	keep_larger(&most->transcendentals, cost->transcendentals);
	keep_larger(&most->bytes, cost->bytes);
	keep_larger(&most->sent_bytes, cost->sent_bytes);
	keep_larger(&most->unknown, cost->unknown);
}

static bool is_control(enum hlo_opcode opcode)
{
	return opcode == HLO_WHILE || opcode == HLO_CONDITIONAL || opcode == HLO_CALL ||
		opcode == HLO_ASYNC_START;
}

/* What a loop, conditional or call runs. */
static void add_callees(const struct hlo_program *p, const struct hlo_op *op,
	const struct hlo_cost *of_block, struct hlo_cost *sum)
{
	struct hlo_cost largest = {0};
	int64_t times = 1;

	if (op->opcode == HLO_WHILE) {
		times = hlo_trip_count(op);
		hlo_add(&sum->unknown, times < 0);
		times = times < 0 ? 1 : times;
	}
	for (uint32_t i = 0; i < op->n_callees; i++) {
		uint32_t block = hlo_callee(p, op, i);

		if (block == NONE)
			continue;
		if (op->opcode == HLO_CONDITIONAL)
			take_larger(&largest, &of_block[block]);
		else
			add_cost(sum, &of_block[block], times);
	}
	add_cost(sum, &largest, 1);
}

/* ---- blocks -------------------------------------------------------------- */

static void count_op(struct hlo_counter *c, const struct hlo_op *op, struct hlo_cost *cost)
{
	*cost = (struct hlo_cost){.bytes = hlo_result(c->program, op)->bytes};
	for (uint32_t i = 0; i < op->n_operands; i++)
		hlo_add(&cost->bytes, hlo_operand_value(c->program, op, i)->bytes);
	rules[op->opcode](c, op, cost);
}

/* Once the blocks that it calls are counted. */
static bool count_block(struct hlo_counter *c, struct hlo_costs *costs, uint32_t block)
{
	const struct hlo_block *b = &c->program->blocks.at[block];
	struct hlo_cost sum = {0};

	for (uint32_t i = b->first; i < b->first + b->n; i++) {
		const struct hlo_op *op = &c->program->ops.at[i];

		count_op(c, op, &costs->of_op[i]);
		if (c->d.failed && !c->d.bad)
			return false;
		if (c->d.failed) { /* a damaged message has no count */
			c->d = (struct decoder){0};
			costs->of_op[i] = (struct hlo_cost){.unknown = 1};
		}
		add_cost(&sum, &costs->of_op[i], 1);
		if (is_control(op->opcode))
			add_callees(c->program, op, costs->of_block, &sum);
	}
	costs->of_block[block] = sum;
	return true;
}

/* A block whose callees are being counted. */
struct visit {
	uint32_t block, op, callee;
};

enum state { NEW, OPEN, DONE };

/* Counts a block after all that it calls, directly or not. In a damaged program blocks may call
 * each other in a circle: what is open already counts nothing. */
static bool count_from(struct hlo_counter *c, struct hlo_costs *costs, uint8_t *states,
	uint32_t block)
{
	const struct hlo_program *p = c->program;
	VEC(struct visit) open = {0};
	bool ok = states[block] != NEW ||
		vec_push(&open, ((struct visit){block, p->blocks.at[block].first, 0}));

	states[block] = states[block] == NEW ? OPEN : states[block];
	while (ok && open.n) {
		struct visit *v = &open.at[open.n - 1];
		const struct hlo_block *b = &p->blocks.at[v->block];
		uint32_t callee;

		if (v->op == b->first + b->n) {
			ok = count_block(c, costs, v->block);
			states[v->block] = DONE;
			open.n--;
			continue;
		}
		callee = hlo_callee(p, &p->ops.at[v->op], v->callee);
		if (v->callee++ >= p->ops.at[v->op].n_callees) {
			v->op++;
			v->callee = 0;
		} else if (callee != NONE && states[callee] == NEW) {
			states[callee] = OPEN;
			ok = vec_push(&open,
				((struct visit){callee, p->blocks.at[callee].first, 0}));
		}
	}
	vec_clear(&open);
	return ok;
}

bool hlo_costs_count(struct hlo_costs *costs, const struct hlo_program *p)
{
	struct hlo_counter c = {.program = p, .budget = INT64_C(1) << 26};
	uint8_t *states = mem_zero_array(p->blocks.n + 1, 1);
	bool ok;

	c.fused_bytes = mem_array(p->blocks.n + 1, sizeof(*c.fused_bytes));

	costs->of_op = mem_zero_array(p->ops.n + 1, sizeof(*costs->of_op));
	costs->of_block = mem_zero_array(p->blocks.n + 1, sizeof(*costs->of_block));
	ok = states && costs->of_op && costs->of_block && c.fused_bytes;
	for (uint32_t i = 0; ok && i < p->blocks.n; i++)
		c.fused_bytes[i] = -1;
	c.of_block = costs->of_block;
	for (uint32_t i = 0; ok && i < p->blocks.n; i++)
		ok = count_from(&c, costs, states, i);
	if (ok && p->entry != NONE)
		costs->total = costs->of_block[p->entry];
	vec_clear(&c.numbers);
	vec_clear(&c.more);
	vec_clear(&c.uses);
	mem_free(c.fused_bytes);
	mem_free(states);
	return ok;
}

void hlo_costs_clear(struct hlo_costs *c)
{
	mem_free(c->of_op);
	mem_free(c->of_block);
	*c = (struct hlo_costs){0};
}
