#include "hlo/framework.h"

/* The block of a fusion; NONE. Compilers list a block before those that call it: others would not
 * end. */
static uint32_t block_of(const struct hlo_program *p, uint32_t op)
{
	const struct hlo_op *o = &p->ops.at[op];
	uint32_t block = o->opcode == HLO_FUSION ? hlo_callee(p, o, 0) : NONE;

	return block != NONE && block < o->block ? block : NONE;
}

static bool has_name(const struct hlo_op *op)
{
	return op->op_name.n && memchr(op->op_name.at, '/', op->op_name.n);
}

/* ---- names --------------------------------------------------------------- */

struct search {
	const struct hlo_program *p;
	bool *seen; /* by op */
	VEC(uint32_t) queue;
};

static bool enqueue(struct search *s, uint32_t op)
{
	if (op == NONE || s->seen[op])
		return true;
	s->seen[op] = true;
	return vec_push(&s->queue, op);
}

/* Fusions in the fusion come before its operands. */
static bool expand(struct search *s, uint32_t op)
{
	const struct hlo_op *o = &s->p->ops.at[op];
	uint32_t block = block_of(s->p, op);
	bool ok = block == NONE || enqueue(s, s->p->blocks.at[block].root);

	for (uint32_t i = 0; ok && i < o->n_operands; i++)
		ok = enqueue(s, hlo_operand(s->p, o, i));
	return ok;
}

uint32_t hlo_find_named(const struct hlo_program *p, uint32_t op, bool *ok)
{
	struct search s = {.p = p};
	uint32_t block = block_of(p, op), found = NONE;

	if (has_name(&p->ops.at[op]))
		return op;
	if (block == NONE)
		return NONE;
	s.seen = mem_zero_array(p->ops.n + 1, sizeof(*s.seen));
	*ok &= s.seen && enqueue(&s, p->blocks.at[block].root);
	for (size_t i = 0; *ok && found == NONE && i < s.queue.n; i++) {
		if (has_name(&p->ops.at[s.queue.at[i]]))
			found = s.queue.at[i];
		else
			*ok &= expand(&s, s.queue.at[i]);
	}
	mem_free(s.seen);
	vec_clear(&s.queue);
	return found;
}

/* ---- heroes -------------------------------------------------------------- */

/* 2: a product; 1: another that a fusion is there for; 0: neither. */
static int rank_of(enum hlo_opcode opcode)
{
	switch (opcode) {
	case HLO_DOT:
	case HLO_RAGGED_DOT:
	case HLO_CONVOLUTION: return 2;
	case HLO_REDUCE:
	case HLO_REDUCE_WINDOW:
	case HLO_SCATTER:
	case HLO_GATHER:
	case HLO_SORT:
	case HLO_SELECT_AND_SCATTER: return 1;
	default: return 0;
	}
}

/* Of two of a rank, the first. */
static void prefer(const struct hlo_program *p, uint32_t *hero, uint32_t op)
{
	int best = *hero == NONE ? 0 : rank_of(p->ops.at[*hero].opcode);

	if (op != NONE && rank_of(p->ops.at[op].opcode) > best)
		*hero = op;
}

bool hlo_heroes_find(struct hlo_heroes *h, const struct hlo_program *p)
{
	h->of_block = mem_array(p->blocks.n + 1, sizeof(*h->of_block));
	for (uint32_t i = 0; h->of_block && i < p->blocks.n; i++) {
		const struct hlo_block *b = &p->blocks.at[i];

		h->of_block[i] = NONE;
		for (uint32_t k = b->first; k < b->first + b->n; k++) {
			uint32_t nested = block_of(p, k);

			prefer(p, &h->of_block[i], k);
			if (nested != NONE)
				prefer(p, &h->of_block[i], h->of_block[nested]);
		}
	}
	return h->of_block;
}

void hlo_heroes_clear(struct hlo_heroes *h)
{
	mem_free(h->of_block);
	h->of_block = NULL;
}

uint32_t hlo_find_hero(const struct hlo_program *p, const struct hlo_heroes *h, uint32_t op)
{
	uint32_t block = block_of(p, op);

	return block == NONE ? NONE : h->of_block[block];
}

bool hlo_is_layout_type(struct span type)
{
	static const char *const types[] = {"transpose", "reshape", "convert_element_type",
		"broadcast_in_dim", "copy", "squeeze", "slice"};

	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (span_equal(type, span_of(types[i])))
			return true;
	return false;
}

static bool passes_on(enum hlo_opcode opcode)
{
	return opcode == HLO_BITCAST || opcode == HLO_TUPLE || opcode == HLO_GET_TUPLE_ELEMENT;
}

struct span hlo_get_opcode(const struct hlo_program *p, const struct hlo_heroes *h, uint32_t op)
{
	enum { MOST_HOPS = 100 };
	uint32_t hero = hlo_find_hero(p, h, op), block = block_of(p, op);
	uint32_t at = block == NONE ? NONE : p->blocks.at[block].root;

	if (hero != NONE)
		return p->ops.at[hero].opcode_text;
	for (int i = 0; at != NONE && passes_on(p->ops.at[at].opcode) && i < MOST_HOPS; i++)
		at = hlo_operand(p, &p->ops.at[at], 0);
	if (at == NONE || p->ops.at[at].opcode == HLO_PARAMETER)
		at = op;
	return p->ops.at[at].opcode_text;
}
