#include "hlo/program.h"

#include "base/strings.h"
#include "hlo/shape.h"

/* ---- finding ------------------------------------------------------------- */

struct probe {
	const struct hlo_program *program;
	struct span name;
	uint64_t id;
	uint32_t block;
};

static uint64_t hash_of_number(uint64_t number)
{
	return hash_bytes(&number, sizeof(number));
}

static bool same_id(const void *context, uint32_t i)
{
	const struct probe *probe = context;

	return probe->program->ops.at[i].id == probe->id;
}

static bool same_name(const void *context, uint32_t i)
{
	const struct probe *probe = context;

	return span_equal(probe->program->ops.at[i].name, probe->name);
}

static bool same_block(const void *context, uint32_t i)
{
	const struct probe *probe = context;

	return probe->program->blocks.at[i].id == probe->id;
}

uint32_t hlo_program_find_id(const struct hlo_program *p, uint64_t id)
{
	struct probe probe = {.program = p, .id = id};

	return hash_find(&p->by_id, hash_of_number(id), same_id, &probe);
}

uint32_t hlo_program_find_name(const struct hlo_program *p, struct span name)
{
	struct probe probe = {.program = p, .name = name};

	return hash_find(&p->by_name, strings_hash(name), same_name, &probe);
}

uint32_t hlo_program_find_block(const struct hlo_program *p, uint64_t id)
{
	struct probe probe = {.program = p, .id = id};

	return hash_find(&p->by_block_id, hash_of_number(id), same_block, &probe);
}

static uint64_t hash_of_parameter(uint32_t block, uint64_t number)
{
	uint64_t key[] = {block, number};

	return hash_bytes(key, sizeof(key));
}

static bool same_parameter(const void *context, uint32_t i)
{
	const struct probe *probe = context;
	const struct hlo_op *op = &probe->program->ops.at[i];

	return op->block == probe->block && op->number == probe->id;
}

uint32_t hlo_program_find_parameter(const struct hlo_program *p, uint32_t block, uint64_t number)
{
	struct probe probe = {.program = p, .id = number, .block = block};

	return hash_find(&p->by_parameter, hash_of_parameter(block, number), same_parameter,
		&probe);
}

/* The first of two that have the same id is found. */
static bool index_op(struct hlo_program *p, uint32_t i)
{
	const struct hlo_op *op = &p->ops.at[i];

	if (hlo_program_find_id(p, op->id) == NONE &&
		!hash_add(&p->by_id, hash_of_number(op->id), i))
		return false;
	if (op->opcode == HLO_PARAMETER &&
		hlo_program_find_parameter(p, op->block, op->number) == NONE &&
		!hash_add(&p->by_parameter, hash_of_parameter(op->block, op->number), i))
		return false;
	return hlo_program_find_name(p, op->name) != NONE ||
		hash_add(&p->by_name, strings_hash(op->name), i);
}

static bool index_block(struct hlo_program *p, uint32_t i)
{
	uint64_t id = p->blocks.at[i].id;

	return hlo_program_find_block(p, id) != NONE ||
		hash_add(&p->by_block_id, hash_of_number(id), i);
}

/* ---- reading ------------------------------------------------------------- */

struct reader {
	struct hlo_program *program;
	struct decoder *d;
	hlo_numbers operands, callees; /* ids, as many as the program has so far */
	uint64_t entry;
	bool has_entry;
};

static void read_metadata(struct decoder *d, struct span message, struct hlo_op *op)
{
	struct wire_reader r = wire_reader(message);
	struct wire_field f;

	while (decoder_next(d, &r, &f))
		switch (f.tag) {
		case WIRE_LEN(OP_METADATA_OP_NAME): op->op_name = f.bytes; break;
		case WIRE_LEN(OP_METADATA_SOURCE_FILE): op->file = f.bytes; break;
		case WIRE_VARINT(OP_METADATA_SOURCE_LINE): op->line = (int64_t)f.value; break;
		case WIRE_VARINT(OP_METADATA_STACK_FRAME_ID):
			op->frame = f.value < NONE ? (uint32_t)f.value : 0;
			break;
		}
}

static void read_op(struct reader *r, struct span message)
{
	struct hlo_program *p = r->program;
	struct hlo_op op = {.message = message,
		.name = {"", 0},
		.opcode_text = {"", 0},
		.op_name = {"", 0},
		.file = {"", 0},
		.block = (uint32_t)p->blocks.n,
		.value = (uint32_t)p->values.n,
		.first_operand = (uint32_t)r->operands.n,
		.first_callee = (uint32_t)r->callees.n};
	struct wire_reader fields = wire_reader(message);
	struct span shape = {"", 0};
	struct wire_field f;

	while (!r->d->failed && decoder_next(r->d, &fields, &f))
		switch (f.tag) {
		case WIRE_LEN(HLO_INSTRUCTION_NAME): op.name = f.bytes; break;
		case WIRE_LEN(HLO_INSTRUCTION_OPCODE): op.opcode_text = f.bytes; break;
		case WIRE_LEN(HLO_INSTRUCTION_SHAPE): shape = f.bytes; break;
		case WIRE_LEN(HLO_INSTRUCTION_METADATA): read_metadata(r->d, f.bytes, &op); break;
		case WIRE_VARINT(HLO_INSTRUCTION_ID): op.id = f.value; break;
		case WIRE_VARINT(HLO_INSTRUCTION_PARAMETER_NUMBER):
		case WIRE_VARINT(HLO_INSTRUCTION_TUPLE_INDEX): op.number = f.value; break;
		case WIRE_VARINT(HLO_INSTRUCTION_OPERAND_IDS):
		case WIRE_LEN(HLO_INSTRUCTION_OPERAND_IDS):
			hlo_add_numbers(r->d, &f, &r->operands);
			break;
		case WIRE_VARINT(HLO_INSTRUCTION_CALLED_COMPUTATION_IDS):
		case WIRE_LEN(HLO_INSTRUCTION_CALLED_COMPUTATION_IDS):
			hlo_add_numbers(r->d, &f, &r->callees);
			break;
		}
	hlo_shape_add(p, r->d, shape);
	decoder_alloc(r->d,
		p->ops.n < NONE - 1 && r->operands.n < NONE - 1 && r->callees.n < NONE - 1);
	if (r->d->failed)
		return;
	op.opcode = hlo_opcode_find(op.opcode_text);
	op.end_value = (uint32_t)p->values.n;
	op.n_operands = (uint32_t)r->operands.n - op.first_operand;
	op.n_callees = (uint32_t)r->callees.n - op.first_callee;
	decoder_alloc(r->d, vec_push(&p->ops, op) && index_op(p, (uint32_t)p->ops.n - 1));
}

static void read_block(struct reader *r, struct span message)
{
	struct hlo_program *p = r->program;
	struct hlo_block b = {.first = (uint32_t)p->ops.n, .name = {"", 0}, .root = NONE};
	struct wire_reader fields = wire_reader(message);
	struct wire_field f;

	while (!r->d->failed && decoder_next(r->d, &fields, &f))
		switch (f.tag) {
		case WIRE_LEN(HLO_COMPUTATION_NAME): b.name = f.bytes; break;
		case WIRE_LEN(HLO_COMPUTATION_INSTRUCTIONS): read_op(r, f.bytes); break;
		case WIRE_VARINT(HLO_COMPUTATION_ID): b.id = f.value; break;
		case WIRE_VARINT(HLO_COMPUTATION_ROOT_ID): b.root_id = f.value; break;
		}
	b.n = (uint32_t)p->ops.n - b.first;
	decoder_alloc(r->d, vec_push(&p->blocks, b) && index_block(p, (uint32_t)p->blocks.n - 1));
}

static void read_module(struct reader *r, struct span message)
{
	struct hlo_program *p = r->program;
	struct wire_reader fields = wire_reader(message);
	struct wire_field f;

	while (!r->d->failed && decoder_next(r->d, &fields, &f))
		switch (f.tag) {
		case WIRE_LEN(HLO_MODULE_NAME): p->name = f.bytes; break;
		case WIRE_LEN(HLO_MODULE_COMPUTATIONS): read_block(r, f.bytes); break;
		case WIRE_VARINT(HLO_MODULE_ENTRY_COMPUTATION_ID):
			r->entry = f.value;
			r->has_entry = true;
			break;
		case WIRE_LEN(HLO_MODULE_SCHEDULE): p->schedule = f.bytes; break;
		case WIRE_LEN(HLO_MODULE_INPUT_OUTPUT_ALIAS): p->aliases = f.bytes; break;
		case WIRE_LEN(HLO_MODULE_STACK_FRAME_INDEX):
			hlo_frames_read(&p->frames, r->d, f.bytes);
			break;
		}
}

/* Of computations: instructions of others do not count. */
static void resolve_roots(struct hlo_program *p)
{
	for (uint32_t i = 0; i < p->blocks.n; i++) {
		struct hlo_block *b = &p->blocks.at[i];
		uint32_t root = hlo_program_find_id(p, b->root_id);

		if (root != NONE && p->ops.at[root].block == i)
			b->root = root;
		else
			p->n_damaged++;
	}
}

static bool resolve(struct reader *r)
{
	struct hlo_program *p = r->program;

	if (!vec_reserve(&p->operands, r->operands.n) || !vec_reserve(&p->callees, r->callees.n))
		return false;
	for (size_t i = 0; i < r->operands.n; i++) {
		uint32_t op = hlo_program_find_id(p, r->operands.at[i]);

		p->operands.at[p->operands.n++] = op;
		p->n_damaged += op == NONE;
	}
	for (size_t i = 0; i < r->callees.n; i++) {
		uint32_t block = hlo_program_find_block(p, r->callees.at[i]);

		p->callees.at[p->callees.n++] = block;
		p->n_damaged += block == NONE;
	}
	resolve_roots(p);
	p->entry = r->has_entry ? hlo_program_find_block(p, r->entry) : NONE;
	if (p->entry == NONE && p->blocks.n)
		p->entry = (uint32_t)p->blocks.n - 1;
	return true;
}

bool hlo_program_read(struct hlo_program *p, struct decoder *d, struct span message)
{
	struct reader reader = {.program = p, .d = d};
	struct wire_reader fields = wire_reader(message);
	struct wire_field f;

	p->name = SPAN("");
	p->entry = NONE;
	while (!d->failed && decoder_next(d, &fields, &f))
		switch (f.tag) {
		case WIRE_LEN(HLO_HLO_MODULE): read_module(&reader, f.bytes); break;
		case WIRE_LEN(HLO_BUFFER_ASSIGNMENT): p->assignment = f.bytes; break;
		}
	if (!d->failed)
		decoder_alloc(d, resolve(&reader));
	vec_clear(&reader.operands);
	vec_clear(&reader.callees);
	return !d->failed;
}

void hlo_program_clear(struct hlo_program *p)
{
	vec_clear(&p->blocks);
	vec_clear(&p->ops);
	vec_clear(&p->values);
	vec_clear(&p->dims);
	vec_clear(&p->elements);
	vec_clear(&p->operands);
	vec_clear(&p->callees);
	vec_clear(&p->frames);
	hash_clear(&p->by_id);
	hash_clear(&p->by_name);
	hash_clear(&p->by_block_id);
	hash_clear(&p->by_parameter);
}

/* ---- values -------------------------------------------------------------- */

const struct hlo_value *hlo_operand_value(const struct hlo_program *p, const struct hlo_op *op,
	size_t i)
{
	static const struct hlo_value none = {0};
	uint32_t operand = hlo_operand(p, op, i);

	return operand == NONE ? &none : hlo_result(p, &p->ops.at[operand]);
}

uint32_t hlo_first_array(const struct hlo_program *p, uint32_t value)
{
	for (uint32_t i = value; i < p->values.at[value].end; i++)
		if (p->values.at[i].type != PRIMITIVE_TYPE_TUPLE)
			return i;
	return NONE;
}
