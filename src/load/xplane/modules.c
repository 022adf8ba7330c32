#include "load/xplane/modules.h"

#include "base/strings.h"

/* ---- finding them -------------------------------------------------------- */

struct program_probe {
	const struct hlo_modules *modules;
	uint64_t program;
};

static bool same_program(const void *context, uint32_t i)
{
	const struct program_probe *probe = context;

	return probe->modules->at.at[i]->program == probe->program;
}

static uint64_t hash_of_number(uint64_t number)
{
	return hash_bytes(&number, sizeof(number));
}

static uint32_t find_program(const struct hlo_modules *m, uint64_t program)
{
	struct program_probe probe = {m, program};

	return hash_find(&m->by_program, hash_of_number(program), same_program, &probe);
}

/* The number at the end of "jit_f(26)". */
static bool number_in_name(struct span name, uint64_t *number)
{
	size_t end = name.n, at;

	if (!end || name.at[end - 1] != ')')
		return false;
	for (at = --end; at && name.at[at - 1] >= '0' && name.at[at - 1] <= '9'; at--)
		;
	if (at == end || !at || name.at[at - 1] != '(')
		return false;
	for (*number = 0; at < end; at++)
		*number = 10 * *number + (uint64_t)(name.at[at] - '0');
	return true;
}

static bool add_module(struct hlo_modules *m, uint64_t program, struct span title,
	struct span message)
{
	struct hlo_module *module;

	if (find_program(m, program) != NONE)
		return true;
	if (!vec_reserve(&m->at, 1))
		return false;
	module = mem_zero(sizeof(*module));
	if (!module)
		return false;
	module->program = program;
	module->title = title;
	module->message = message;
	m->at.at[m->at.n++] = module;
	return hash_add(&m->by_program, hash_of_number(program), (uint32_t)m->at.n - 1);
}

void hlo_modules_add(struct hlo_modules *m, const struct plane *p, struct decoder *d)
{
	for (size_t i = 0; !d->failed && i < p->names.n; i++) {
		const struct event_name *name = &p->names.at[i];
		struct xstats stats = {0};
		struct span message;
		uint64_t program = name->id;

		plane_read_name_stats(p, d, name, &stats);
		if (!(stats.has & (STAT_BIT(HLO_PROTO) | STAT_BIT(OLD_HLO_PROTO))))
			continue;
		message = stats.has & STAT_BIT(HLO_PROTO) ? stats.at[STAT_HLO_PROTO].text
							  : stats.at[STAT_OLD_HLO_PROTO].text;
		if (xstats_has_number(&stats, STAT_PROGRAM_ID))
			program = xstats_number(&stats, STAT_PROGRAM_ID);
		else
			number_in_name(name->text, &program);
		if (message.at)
			decoder_alloc(d, add_module(m, program, name->text, message));
	}
}

static void clear_details(struct hlo_module *m)
{
	if (!m->details)
		return;
	hlo_kinds_clear(&m->details->kinds);
	hlo_heroes_clear(&m->details->heroes);
	hlo_costs_clear(&m->details->costs);
	hlo_program_clear(&m->details->program);
	mem_free(m->details);
	m->details = NULL;
}

static void clear_module(struct hlo_module *m)
{
	clear_details(m);
	vec_clear(&m->instructions);
	vec_clear(&m->computations);
	vec_clear(&m->frames);
	hash_clear(&m->by_name);
	hash_clear(&m->by_id);
	hash_clear(&m->by_computation);
}

void hlo_modules_clear(struct hlo_modules *m)
{
	for (size_t i = 0; i < m->at.n; i++) {
		clear_module(m->at.at[i]);
		mem_free(m->at.at[i]);
	}
	vec_clear(&m->at);
	hash_clear(&m->by_program);
}

/* ---- decoding ------------------------------------------------------------ */

static void read_metadata(struct decoder *d, struct span message, struct hlo_instruction *i)
{
	struct wire_reader r = wire_reader(message);
	struct wire_field f;

	while (decoder_next(d, &r, &f))
		switch (f.tag) {
		case WIRE_LEN(OP_METADATA_OP_TYPE): i->op_type = f.bytes; break;
		case WIRE_LEN(OP_METADATA_OP_NAME): i->op_name = f.bytes; break;
		case WIRE_VARINT(OP_METADATA_STACK_FRAME_ID): i->frame = (uint32_t)f.value; break;
		}
}

static void read_instruction(struct hlo_module *m, struct decoder *d, struct span message)
{
	struct hlo_instruction i = {{"", 0}, {"", 0}, {"", 0}, {"", 0}, message,
		.computation = (uint32_t)m->computations.n, .node = NONE};
	struct wire_reader r = wire_reader(message);
	struct wire_field f;

	while (decoder_next(d, &r, &f))
		switch (f.tag) {
		case WIRE_LEN(HLO_INSTRUCTION_NAME): i.name = f.bytes; break;
		case WIRE_LEN(HLO_INSTRUCTION_OPCODE): i.opcode = f.bytes; break;
		case WIRE_LEN(HLO_INSTRUCTION_METADATA): read_metadata(d, f.bytes, &i); break;
		case WIRE_VARINT(HLO_INSTRUCTION_ID): i.id = f.value; break;
		}
	decoder_alloc(d, m->instructions.n < NONE - 1 && vec_push(&m->instructions, i));
}

static void read_computation(struct hlo_module *m, struct decoder *d, struct span message)
{
	struct hlo_computation c = {.first = (uint32_t)m->instructions.n};
	struct wire_reader r = wire_reader(message);
	struct wire_field f;

	while (!d->failed && decoder_next(d, &r, &f))
		switch (f.tag) {
		case WIRE_LEN(HLO_COMPUTATION_INSTRUCTIONS): read_instruction(m, d, f.bytes); break;
		case WIRE_VARINT(HLO_COMPUTATION_ID): c.id = f.value; break;
		case WIRE_VARINT(HLO_COMPUTATION_ROOT_ID): c.root = f.value; break;
		}
	c.n = (uint32_t)m->instructions.n - c.first;
	decoder_alloc(d, vec_push(&m->computations, c));
}

static void read_module(struct hlo_module *m, struct decoder *d, struct span message)
{
	struct wire_reader r = wire_reader(message);
	struct wire_field f;

	while (!d->failed && decoder_next(d, &r, &f))
		switch (f.tag) {
		case WIRE_LEN(HLO_MODULE_NAME): m->name = f.bytes; break;
		case WIRE_LEN(HLO_MODULE_COMPUTATIONS): read_computation(m, d, f.bytes); break;
		case WIRE_LEN(HLO_MODULE_STACK_FRAME_INDEX):
			hlo_frames_read(&m->frames, d, f.bytes);
			break;
		case WIRE_VARINT(HLO_MODULE_ENTRY_COMPUTATION_ID): m->entry = f.value; break;
		}
}

/* ---- places -------------------------------------------------------------- */

struct instruction_probe {
	const struct hlo_module *module;
	struct span name;
	uint64_t id;
};

static bool same_name(const void *context, uint32_t i)
{
	const struct instruction_probe *probe = context;

	return span_equal(probe->module->instructions.at[i].name, probe->name);
}

static bool same_id(const void *context, uint32_t i)
{
	const struct instruction_probe *probe = context;

	return probe->module->instructions.at[i].id == probe->id;
}

uint32_t hlo_find_name(const struct hlo_module *m, struct span name)
{
	struct instruction_probe probe = {m, name, 0};

	return hash_find(&m->by_name, strings_hash(name), same_name, &probe);
}

uint32_t hlo_find_id(const struct hlo_module *m, uint64_t id)
{
	struct instruction_probe probe = {m, {0}, id};

	return hash_find(&m->by_id, hash_of_number(id), same_id, &probe);
}

static bool same_computation(const void *context, uint32_t i)
{
	const struct instruction_probe *probe = context;

	return probe->module->computations.at[i].id == probe->id;
}

uint32_t hlo_find_computation(const struct hlo_module *m, uint64_t id)
{
	struct instruction_probe probe = {m, {0}, id};

	return hash_find(&m->by_computation, hash_of_number(id), same_computation, &probe);
}

static bool index_computations(struct hlo_module *m)
{
	for (size_t i = 0; i < m->computations.n; i++) {
		uint64_t id = m->computations.at[i].id;

		if (hlo_find_computation(m, id) == NONE &&
			!hash_add(&m->by_computation, hash_of_number(id), (uint32_t)i))
			return false;
	}
	return true;
}

static bool index_instructions(struct hlo_module *m)
{
	for (size_t i = 0; i < m->instructions.n; i++) {
		const struct hlo_instruction *in = &m->instructions.at[i];

		if ((hlo_find_name(m, in->name) == NONE &&
			    !hash_add(&m->by_name, strings_hash(in->name), (uint32_t)i)) ||
			(hlo_find_id(m, in->id) == NONE &&
				!hash_add(&m->by_id, hash_of_number(in->id), (uint32_t)i)))
			return false;
	}
	return true;
}

static bool decode(struct hlo_module *m, bool *ok)
{
	struct wire_reader r = wire_reader(m->message);
	struct decoder d = {0};
	struct wire_field f;

	m->is_decoded = true;
	m->name = SPAN("");
	while (!d.failed && decoder_find(&d, &r, WIRE_LEN(HLO_HLO_MODULE), &f))
		read_module(m, &d, f.bytes);
	if (!d.failed)
		decoder_alloc(&d, index_instructions(m) && index_computations(m));
	if (!d.failed)
		return true;
	*ok &= d.bad != NULL;
	clear_module(m);
	m->is_damaged = true;
	return false;
}

struct hlo_module *hlo_modules_find(struct hlo_modules *m, uint64_t program, bool *ok)
{
	uint32_t i = find_program(m, program);
	struct hlo_module *module;

	if (i == NONE)
		return NULL;
	module = m->at.at[i];
	if (!module->is_decoded && !decode(module, ok))
		m->n_damaged++;
	return module->is_damaged ? NULL : module;
}

static bool read_details(struct hlo_module *m, bool *ok)
{
	struct decoder d = {0};

	m->details = mem_zero(sizeof(*m->details));
	*ok &= m->details != NULL;
	if (!*ok)
		return false;
	if (!hlo_program_read(&m->details->program, &d, m->message)) {
		*ok &= d.bad != NULL;
		hlo_program_clear(&m->details->program);
		m->details->program = (struct hlo_program){0};
		return false;
	}
	*ok &= hlo_kinds_find(&m->details->kinds, &m->details->program) &&
		hlo_heroes_find(&m->details->heroes, &m->details->program) &&
		hlo_costs_count(&m->details->costs, &m->details->program);
	return *ok;
}

const struct hlo_details *hlo_get_details(struct hlo_module *m, uint32_t instruction, uint32_t *op,
	bool *ok)
{
	if (!m->details && !read_details(m, ok))
		return NULL;
	*op = hlo_program_find_id(&m->details->program, m->instructions.at[instruction].id);
	return *op == NONE ? NULL : m->details;
}
