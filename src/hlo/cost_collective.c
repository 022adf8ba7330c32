/* Communication between devices. */
#include "hlo/cost_rule.h"

/* ReplicaGroup. */
static int64_t count_ids(struct hlo_counter *c, struct span group)
{
	hlo_read_numbers(&c->d, group, REPLICA_GROUP_REPLICA_IDS, &c->numbers);
	return (int64_t)c->numbers.n;
}

static int64_t per_group(struct hlo_counter *c, struct span iota)
{
	uint64_t n = hlo_find_number(&c->d, iota, IOTA_REPLICA_GROUP_LIST_NUM_DEVICES_PER_GROUP);

	return n < UINT32_MAX ? (int64_t)n : 0;
}

/* How many devices take part; 0 if all do, since the program does not say how many there are. */
static int64_t find_group_size(struct hlo_counter *c, const struct hlo_op *op)
{
	struct span list =
		hlo_find_field(&c->d, op->message, HLO_INSTRUCTION_COLLECTIVE_DEVICE_LIST);
	int64_t n =
		count_ids(c, hlo_find_field(&c->d, op->message, HLO_INSTRUCTION_REPLICA_GROUPS));

	if (!n)
		n = count_ids(c,
			hlo_find_field(&c->d, list, COLLECTIVE_DEVICE_LIST_REPLICA_GROUPS));
	if (!n)
		n = per_group(c,
			hlo_find_field(&c->d, list,
				COLLECTIVE_DEVICE_LIST_IOTA_REPLICA_GROUP_LIST));
	if (!n)
		n = per_group(c,
			hlo_find_field(&c->d, op->message,
				HLO_INSTRUCTION_IOTA_COLLECTIVE_DEVICE_LIST));
	return n;
}

/* Of the others, in a ring. */
static int64_t share(int64_t bytes, int64_t group)
{
	if (!group)
		return bytes;
	return bytes > HLO_MOST / group ? bytes / group * (group - 1) : bytes * (group - 1) / group;
}

static int64_t count_operands(const struct hlo_counter *c, const struct hlo_op *op)
{
	int64_t bytes = 0;

	for (uint32_t i = 0; i < op->n_operands; i++)
		hlo_add(&bytes, hlo_operand_value(c->program, op, i)->bytes);
	return bytes;
}

/* Results of asynchronous ones begin with the operand and end with what waits for them. */
static int64_t count_result(const struct hlo_counter *c, const struct hlo_op *op)
{
	uint32_t element;

	switch (op->opcode) {
	case HLO_SEND: return 0;
	case HLO_ALL_GATHER_START:
	case HLO_COLLECTIVE_PERMUTE_START:
		element = hlo_element(c->program, op->value, 1);
		if (element != NONE)
			return c->program->values.at[element].bytes;
		/* fall through */
	default: return hlo_result(c->program, op)->bytes;
	}
}

void hlo_rule_collective(struct hlo_counter *c, const struct hlo_op *op, struct hlo_cost *cost)
{
	int64_t operands = count_operands(c, op), result = count_result(c, op);

	cost->bytes = hlo_sum(operands, result);
	switch (op->opcode) {
	case HLO_ALL_GATHER:
	case HLO_ALL_GATHER_START: cost->sent_bytes = share(result, find_group_size(c, op)); break;
	case HLO_REDUCE_SCATTER:
	case HLO_ALL_TO_ALL:
	case HLO_RAGGED_ALL_TO_ALL:
		cost->sent_bytes = share(operands, find_group_size(c, op));
		break;
	default: cost->sent_bytes = operands;
	}
}

void hlo_rule_all_reduce(struct hlo_counter *c, const struct hlo_op *op, struct hlo_cost *cost)
{
	int64_t operands = count_operands(c, op);

	cost->float_ops = hlo_result(c->program, op)->elements;
	cost->sent_bytes = share(hlo_product(2, operands), find_group_size(c, op));
}
