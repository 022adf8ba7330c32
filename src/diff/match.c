#include "diff/match.h"

void matches_clear(struct matches *m)
{
	mem_free(m->base_of);
	mem_free(m->new_of);
	mem_free(m->how);
	*m = (struct matches){0};
}

static bool allocate(struct matches *m, size_t n_base, size_t n_new)
{
	m->base_of = mem_array(n_new + 1, sizeof(*m->base_of));
	m->new_of = mem_array(n_base + 1, sizeof(*m->new_of));
	m->how = mem_zero_array(n_new + 1, sizeof(*m->how));
	if (!m->base_of || !m->new_of || !m->how)
		return false;
	memset(m->base_of, 0xff, (n_new + 1) * sizeof(*m->base_of));
	memset(m->new_of, 0xff, (n_base + 1) * sizeof(*m->new_of));
	return true;
}

/* Equal generated names say nothing about what they are names of. */
static bool may_pair(const struct side_row *base, const struct side_row *new_row)
{
	return !base->kind || base->kind == new_row->kind;
}

/* Parents come first, so that of each row its parent has been matched before. */
static void match_by_name(struct matches *m, struct side *base, const struct side *new_side)
{
	uint32_t expected = 0;

	for (uint32_t i = 0; i < new_side->rows.n; i++) {
		const struct side_row *r = &new_side->rows.at[i];
		uint32_t parent = r->parent == NONE ? NONE : m->base_of[r->parent], row;

		if (m->base_of[i] != NONE ||
			(base->by_parent && r->parent != NONE && parent == NONE))
			continue;
		row = side_find(base, parent, r->name, expected);
		if (row == NONE || m->new_of[row] != NONE || !may_pair(&base->rows.at[row], r))
			continue;
		match_pair(m, row, i, MATCH_NAME);
		expected = row + 1;
	}
}

static enum tfprof_status match_by_rule(struct matches *m, const struct side *base,
	struct side *new_side, const rename_rules *rules, struct tfprof_error *err)
{
	struct buf name = {0};

	for (uint32_t i = 0; rules->n && i < base->rows.n; i++) {
		const struct side_row *r = &base->rows.at[i];
		uint32_t parent = r->parent == NONE ? NONE : m->new_of[r->parent], row;

		if (m->new_of[i] != NONE)
			continue;
		name.n = 0;
		if (!rename_rules_apply(rules, r->name, &name))
			continue;
		row = side_find(new_side, parent, buf_get(&name), i);
		if (row != NONE && m->base_of[row] == NONE)
			match_pair(m, i, row, MATCH_RULE);
	}
	buf_clear(&name);
	return new_side->failed ? error_no_memory(err) : TFPROF_OK;
}

enum tfprof_status matches_make(struct matches *m, struct side *base, struct side *new_side,
	const struct match_options *o, struct tfprof_error *err)
{
	enum tfprof_status status;

	*m = (struct matches){0};
	if (!allocate(m, base->rows.n, new_side->rows.n))
		return error_no_memory(err);
	if (!match_generated(m, base, new_side))
		return error_no_memory(err);
	match_by_name(m, base, new_side);
	if (base->failed)
		return error_no_memory(err);
	status = match_by_rule(m, base, new_side, o->rules, err);
	if (status == TFPROF_OK && o->guesses && !match_by_structure(m, base, new_side))
		status = error_no_memory(err);
	return status;
}
