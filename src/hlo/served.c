#include "hlo/served.h"

/* Damaged programs may have any number of users and operands: that many are looked at. */
enum { MOST_SEEN = 64, MOST_LOOKED_AT = 1024 };

struct search {
	const struct hlo_program *p;
	uint32_t seen[MOST_SEEN]; /* without a line, the nearest first */
	size_t n_seen, n_looked_at;
};

/* Takes values from one place to another, and is not what anybody wrote. */
static bool is_plumbing(enum hlo_opcode opcode)
{
	switch (opcode) {
	case HLO_PARAMETER:
	case HLO_CONSTANT:
	case HLO_TUPLE:
	case HLO_GET_TUPLE_ELEMENT:
	case HLO_BITCAST: return true;
	default: return false;
	}
}

/* Whether it is what is looked for; otherwise the search goes on behind it. */
static bool is_found(struct search *s, uint32_t op)
{
	const struct hlo_op *o = op == NONE ? NULL : &s->p->ops.at[op];

	if (!o)
		return false;
	if (o->frame && !is_plumbing(o->opcode))
		return true;
	for (size_t i = 0; i < s->n_seen; i++)
		if (s->seen[i] == op)
			return false;
	if (s->n_seen < MOST_SEEN)
		s->seen[s->n_seen++] = op;
	return false;
}

static uint32_t find_user(const struct hlo_program *p, const struct hlo_users *users, uint32_t op)
{
	struct search s = {.p = p, .seen = {op}, .n_seen = 1};

	for (size_t i = 0; i < s.n_seen; i++) {
		uint32_t at = s.seen[i];

		for (uint32_t k = users->first[at]; k < users->first[at + 1]; k++)
			if (is_found(&s, users->at[k]))
				return users->at[k];
			else if (++s.n_looked_at == MOST_LOOKED_AT)
				return NONE;
	}
	return NONE;
}

static uint32_t find_maker(const struct hlo_program *p, uint32_t op)
{
	struct search s = {.p = p, .seen = {op}, .n_seen = 1};

	for (size_t i = 0; i < s.n_seen; i++) {
		const struct hlo_op *at = &p->ops.at[s.seen[i]];

		for (uint32_t k = 0; k < at->n_operands; k++)
			if (is_found(&s, hlo_operand(p, at, k)))
				return hlo_operand(p, at, k);
			else if (++s.n_looked_at == MOST_LOOKED_AT)
				return NONE;
	}
	return NONE;
}

uint32_t hlo_find_served(const struct hlo_program *p, const struct hlo_users *users, uint32_t op,
	bool away)
{
	uint32_t found = away ? find_maker(p, op) : find_user(p, users, op);

	if (found != NONE)
		return found;
	return away ? find_user(p, users, op) : find_maker(p, op);
}
