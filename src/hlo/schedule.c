#include "hlo/schedule.h"

struct sequence {
	uint32_t first, n; /* in .ops; none: the order of the file */
};

struct scheduler {
	const struct hlo_program *p;
	struct decoder d;
	struct hlo_schedule *s;
	struct sequence *sequences; /* by block */
	uint32_t *started;          /* by block: when it began; NONE: it did not */
	uint32_t *last_used;        /* by op: all of it, when; NONE */
	VEC(uint32_t) ops;
	hlo_numbers ids;
};

/* ---- sequences ----------------------------------------------------------- */

static void read_sequence(struct scheduler *s, struct span entry)
{
	struct map_entry map = map_entry_read(&s->d, entry);
	uint32_t block = hlo_program_find_block(s->p, (uint64_t)map.key);

	if (!map.value.at || block == NONE || s->sequences[block].n)
		return;
	hlo_read_numbers(&s->d, map.value, HLO_SCHEDULE_INSTRUCTION_SEQUENCE_INSTRUCTION_IDS,
		&s->ids);
	s->sequences[block].first = (uint32_t)s->ops.n;
	for (size_t i = 0; i < s->ids.n && !s->d.failed; i++) {
		uint32_t op = hlo_program_find_id(s->p, s->ids.at[i]);

		if (op != NONE && s->p->ops.at[op].block == block)
			decoder_alloc(&s->d, s->ops.n < NONE - 1 && vec_push(&s->ops, op));
	}
	s->sequences[block].n = (uint32_t)s->ops.n - s->sequences[block].first;
}

static void read_sequences(struct scheduler *s)
{
	struct wire_reader r = wire_reader(s->p->schedule);
	struct wire_field f;

	while (!s->d.failed && decoder_find(&s->d, &r, WIRE_LEN(HLO_SCHEDULE_SEQUENCES), &f))
		read_sequence(s, f.bytes);
}

static uint32_t length_of(const struct scheduler *s, uint32_t block)
{
	return s->sequences[block].n ? s->sequences[block].n : s->p->blocks.at[block].n;
}

static uint32_t op_of(const struct scheduler *s, uint32_t block, uint32_t i)
{
	return s->sequences[block].n ? s->ops.at[s->sequences[block].first + i]
				     : s->p->blocks.at[block].first + i;
}

/* ---- time ---------------------------------------------------------------- */

static bool is_caller(const struct hlo_op *op)
{
	return op->opcode == HLO_WHILE || op->opcode == HLO_CONDITIONAL || op->opcode == HLO_CALL ||
		op->opcode == HLO_ASYNC_START;
}

struct visit {
	uint32_t block, i, callee;
};

/* The next block that an op runs: of a loop the condition, which is listed last, comes first. */
static uint32_t next_callee(const struct hlo_program *p, const struct hlo_op *op, uint32_t i)
{
	return hlo_callee(p, op, op->opcode == HLO_WHILE ? op->n_callees - 1 - i : i);
}

/* Each block runs once, where it is called first. */
static bool walk(struct scheduler *s)
{
	VEC(struct visit) open = {0};
	bool ok = s->p->entry == NONE || vec_push(&open, ((struct visit){s->p->entry, 0, 0}));

	if (s->p->entry != NONE)
		s->started[s->p->entry] = 0;
	while (ok && open.n) {
		struct visit *v = &open.at[open.n - 1];
		uint32_t i, callee;
		const struct hlo_op *op;

		if (v->i == length_of(s, v->block)) {
			open.n--;
			continue;
		}
		i = op_of(s, v->block, v->i);
		op = &s->p->ops.at[i];
		if (!is_caller(op) || v->callee == op->n_callees) {
			/* a damaged schedule may name an op twice */
			if (s->s->time[i] == NONE) {
				s->s->time[i] = (uint32_t)s->s->ops.n;
				ok = vec_push(&s->s->ops, i);
			}
			v->i++;
			v->callee = 0;
			continue;
		}
		callee = next_callee(s->p, op, v->callee++);
		if (callee != NONE && s->started[callee] == NONE) {
			s->started[callee] = (uint32_t)s->s->ops.n;
			ok = vec_push(&open, ((struct visit){callee, 0, 0}));
		}
	}
	vec_clear(&open);
	return ok;
}

/* ---- lives --------------------------------------------------------------- */

static void lives_at(struct hlo_life *life, uint32_t time)
{
	if (time < life->first)
		life->first = time;
	if (life->last == NONE || time > life->last)
		life->last = time;
}

static void values_live_at(struct scheduler *s, const struct hlo_same *same, uint32_t value,
	uint32_t end, uint32_t time)
{
	for (uint32_t i = value; i < end; i++)
		lives_at(&s->s->lives[same->set[i]], time);
}

/* What a loop carries lives from where its condition or body begins. */
static void find_lives_of_loop(struct scheduler *s, const struct hlo_same *same,
	const struct hlo_op *op)
{
	uint32_t first = NONE;

	for (uint32_t i = 0; i < op->n_callees; i++) {
		uint32_t block = hlo_callee(s->p, op, i);

		if (block != NONE && s->started[block] < first)
			first = s->started[block];
	}
	if (first != NONE)
		values_live_at(s, same, op->value, op->end_value, first);
}

static void find_lives(struct scheduler *s, const struct hlo_same *same, uint32_t i)
{
	const struct hlo_op *op = &s->p->ops.at[i];
	uint32_t time = s->s->time[i];

	values_live_at(s, same, op->value, op->end_value, time);
	for (uint32_t k = 0; k < op->n_operands; k++) {
		uint32_t operand = hlo_operand(s->p, op, k);

		if (operand == NONE)
			continue;
		/* An element of a tuple is found in the tuple's table. */
		if (op->opcode == HLO_GET_TUPLE_ELEMENT)
			lives_at(&s->s->lives[same->set[s->p->ops.at[operand].value]], time);
		else
			s->last_used[operand] = time;
	}
	if (op->opcode == HLO_WHILE)
		find_lives_of_loop(s, same, op);
}

static bool schedule(struct scheduler *s, const struct hlo_same *same)
{
	const struct hlo_program *p = s->p;

	for (size_t i = 0; i < p->ops.n; i++)
		s->s->time[i] = s->last_used[i] = NONE;
	for (size_t i = 0; i < p->values.n; i++)
		s->s->lives[i] = (struct hlo_life){NONE, NONE};
	for (size_t i = 0; i < p->blocks.n; i++)
		s->started[i] = NONE;
	read_sequences(s);
	if (s->d.failed && !s->d.bad)
		return false;
	if (!walk(s))
		return false;
	for (size_t i = 0; i < s->s->ops.n; i++)
		find_lives(s, same, s->s->ops.at[i]);
	for (size_t i = 0; i < p->ops.n; i++)
		if (s->last_used[i] != NONE)
			values_live_at(s, same, p->ops.at[i].value, p->ops.at[i].end_value,
				s->last_used[i]);
	return true;
}

bool hlo_schedule_read(struct hlo_schedule *schedule_, const struct hlo_program *p,
	const struct hlo_same *same)
{
	struct scheduler s = {.p = p, .s = schedule_};
	bool ok;

	schedule_->time = mem_array(p->ops.n + 1, sizeof(*schedule_->time));
	schedule_->lives = mem_array(p->values.n + 1, sizeof(*schedule_->lives));
	s.sequences = mem_zero_array(p->blocks.n + 1, sizeof(*s.sequences));
	s.started = mem_array(p->blocks.n + 1, sizeof(*s.started));
	s.last_used = mem_array(p->ops.n + 1, sizeof(*s.last_used));
	ok = schedule_->time && schedule_->lives && s.sequences && s.started && s.last_used &&
		schedule(&s, same);
	mem_free(s.sequences);
	mem_free(s.started);
	mem_free(s.last_used);
	vec_clear(&s.ops);
	vec_clear(&s.ids);
	return ok;
}

void hlo_schedule_clear(struct hlo_schedule *s)
{
	mem_free(s->time);
	mem_free(s->lives);
	vec_clear(&s->ops);
	*s = (struct hlo_schedule){0};
}
