#include "hlo/same.h"

struct finder {
	const struct hlo_program *p;
	uint32_t *set;
	struct decoder d;
	hlo_numbers numbers;
};

/* ---- sets ---------------------------------------------------------------- */

static uint32_t find(uint32_t *set, uint32_t i)
{
	while (set[i] != i) {
		set[i] = set[set[i]];
		i = set[i];
	}
	return i;
}

/* The smaller name stays, so that a set is named after what was there first. */
static void join(uint32_t *set, uint32_t a, uint32_t b)
{
	a = find(set, a);
	b = find(set, b);
	if (a < b)
		set[b] = a;
	else
		set[a] = b;
}

/* Joins two values and their elements. NONE is the same as nothing. Tuples that are joined have
 * joined elements, which are not visited again: many loops may be given the same one. */
static void join_values(struct finder *f, uint32_t a, uint32_t b)
{
	uint32_t n, m;

	if (a == NONE || b == NONE)
		return;
	n = f->p->values.at[a].end - a;
	m = f->p->values.at[b].end - b;
	if (n == m && find(f->set, a) == find(f->set, b))
		return;
	for (uint32_t i = 0; i < n && i < m; i++)
		join(f->set, a + i, b + i);
}

static uint32_t value_of(const struct finder *f, uint32_t op)
{
	return op == NONE ? NONE : f->p->ops.at[op].value;
}

static uint32_t operand_of(const struct finder *f, const struct hlo_op *op, size_t i)
{
	return value_of(f, hlo_operand(f->p, op, i));
}

static uint32_t element_of(const struct finder *f, uint32_t value, uint64_t i)
{
	return value == NONE ? NONE : hlo_element(f->p, value, i);
}

static uint32_t root_of(const struct finder *f, uint32_t block)
{
	return block == NONE ? NONE : value_of(f, f->p->blocks.at[block].root);
}

/* Joins a parameter of a block with an operand of its caller. */
static void join_parameter(struct finder *f, const struct hlo_op *op, uint32_t block,
	uint64_t number, size_t operand)
{
	if (block != NONE)
		join_values(f, value_of(f, hlo_program_find_parameter(f->p, block, number)),
			operand_of(f, op, operand));
}

/* ---- opcodes ------------------------------------------------------------- */

static void join_while(struct finder *f, const struct hlo_op *op)
{
	uint32_t body = hlo_callee(f->p, op, 0);

	join_values(f, op->value, operand_of(f, op, 0));
	for (uint32_t i = 0; i < op->n_callees; i++)
		join_parameter(f, op, hlo_callee(f->p, op, i), 0, 0);
	join_values(f, op->value, root_of(f, body));
}

static void join_calls(struct finder *f, const struct hlo_op *op)
{
	for (uint32_t i = 0; i < op->n_callees; i++) {
		uint32_t block = hlo_callee(f->p, op, i);

		if (op->opcode == HLO_CONDITIONAL)
			join_parameter(f, op, block, 0, i + 1);
		for (uint32_t k = 0; op->opcode != HLO_CONDITIONAL && k < op->n_operands; k++)
			join_parameter(f, op, block, k, k);
		join_values(f,
			op->opcode == HLO_ASYNC_START ? element_of(f, op->value, 1) : op->value,
			root_of(f, block));
	}
}

/* The value that a list of places in tuples leads to. */
static uint32_t follow(const struct finder *f, uint32_t value)
{
	for (size_t i = 0; i < f->numbers.n && value != NONE; i++)
		value = hlo_element(f->p, value, f->numbers.at[i]);
	return value;
}

/* Results that are operands, of fusions and custom calls. */
static void join_aliases(struct finder *f, const struct hlo_op *op)
{
	struct wire_reader r = wire_reader(op->message);
	struct wire_field field;

	while (!f->d.failed &&
		decoder_find(&f->d, &r, WIRE_LEN(HLO_INSTRUCTION_OUTPUT_OPERAND_ALIASING),
			&field)) {
		uint64_t i =
			hlo_find_number(&f->d, field.bytes, OUTPUT_OPERAND_ALIASING_OPERAND_INDEX);
		uint32_t operand = operand_of(f, op, i), result;

		hlo_read_numbers(&f->d, field.bytes, OUTPUT_OPERAND_ALIASING_OUTPUT_SHAPE_INDEX,
			&f->numbers);
		result = follow(f, op->value);
		hlo_read_numbers(&f->d, field.bytes, OUTPUT_OPERAND_ALIASING_OPERAND_SHAPE_INDEX,
			&f->numbers);
		join_values(f, result, operand == NONE ? NONE : follow(f, operand));
	}
}

static void join_op(struct finder *f, const struct hlo_op *op)
{
	switch (op->opcode) {
	case HLO_TUPLE:
		for (uint32_t i = 0; i < op->n_operands; i++)
			join_values(f, element_of(f, op->value, i), operand_of(f, op, i));
		break;
	case HLO_GET_TUPLE_ELEMENT:
		join_values(f, op->value, element_of(f, operand_of(f, op, 0), op->number));
		break;
	case HLO_BITCAST:
	case HLO_OPT_BARRIER:
	case HLO_DOMAIN:
	case HLO_ADD_DEPENDENCY:
	case HLO_ALL_REDUCE_DONE: join_values(f, op->value, operand_of(f, op, 0)); break;
	case HLO_COPY_START:
		join_values(f, element_of(f, op->value, 1), operand_of(f, op, 0));
		break;
	case HLO_COPY_DONE:
		join_values(f, op->value, element_of(f, operand_of(f, op, 0), 0));
		break;
	case HLO_ALL_GATHER_DONE:
	case HLO_COLLECTIVE_PERMUTE_DONE:
	case HLO_ASYNC_DONE:
		join_values(f, op->value, element_of(f, operand_of(f, op, 0), 1));
		break;
	case HLO_WHILE: join_while(f, op); break;
	case HLO_CALL:
	case HLO_ASYNC_START:
	case HLO_CONDITIONAL: join_calls(f, op); break;
	case HLO_FUSION:
	case HLO_CUSTOM_CALL: join_aliases(f, op); break;
	default: break;
	}
}

bool hlo_same_find(struct hlo_same *s, const struct hlo_program *p)
{
	struct finder f = {.p = p, .set = mem_array(p->values.n + 1, sizeof(*f.set))};

	s->set = f.set;
	if (!f.set)
		return false;
	for (uint32_t i = 0; i < p->values.n; i++)
		f.set[i] = i;
	for (size_t i = 0; i < p->ops.n; i++) {
		join_op(&f, &p->ops.at[i]);
		if (f.d.failed && !f.d.bad)
			break;
		if (f.d.failed) /* a damaged field joins nothing */
			f.d = (struct decoder){0};
	}
	for (uint32_t i = 0; i < p->values.n; i++)
		f.set[i] = find(f.set, i);
	vec_clear(&f.numbers);
	return !f.d.failed;
}

void hlo_same_clear(struct hlo_same *s)
{
	mem_free(s->set);
	s->set = NULL;
}
