#include "diff/side.h"

#include "base/buf.h"
#include "base/median.h"
#include "diff/sample.h"

void side_init(struct side *s, size_t n_metrics, bool by_parent)
{
	*s = (struct side){.n_metrics = n_metrics, .by_parent = by_parent};
}

void side_clear(struct side *s)
{
	for (size_t i = 0; i < s->runs.n; i++)
		vec_clear(&s->runs.at[i]);
	for (size_t i = 0; i < s->steps.n; i++)
		vec_clear(&s->steps.at[i]);
	vec_clear(&s->runs);
	vec_clear(&s->steps);
	vec_clear(&s->rows);
	hash_clear(&s->index);
	step_side_clear(&s->walls);
	arena_clear(&s->arena);
}

/* ---- rows ----------------------------------------------------------------------- */

struct probe {
	const struct side *side;
	uint32_t parent;
	struct span name;
};

static bool is_row(const struct side *s, uint32_t row, uint32_t parent, struct span name)
{
	const struct side_row *r = &s->rows.at[row];

	return (!s->by_parent || r->parent == parent) && span_equal(r->name, name);
}

static bool same_row(const void *context, uint32_t id)
{
	const struct probe *p = context;

	return is_row(p->side, id, p->parent, p->name);
}

static uint64_t hash_row(const struct side *s, uint32_t parent, struct span name)
{
	uint64_t hash = hash_bytes(name.at, name.n);

	return s->by_parent ? hash_mix(hash, parent) : hash;
}

/* Only once a row is not where it was expected. */
static void index_rows(struct side *s)
{
	if (!s->n_indexed)
		s->failed |= !hash_reserve(&s->index, s->rows.n);
	for (; !s->failed && s->n_indexed < s->rows.n; s->n_indexed++) {
		const struct side_row *r = &s->rows.at[s->n_indexed];

		s->failed |= !hash_add(&s->index, hash_row(s, r->parent, r->name),
			(uint32_t)s->n_indexed);
	}
}

/* Tables of one profile, and mostly of two, have the same rows in the same order. */
uint32_t side_find(struct side *s, uint32_t parent, struct span name, uint32_t hint)
{
	struct probe probe = {s, parent, name};

	if (hint < s->rows.n && is_row(s, hint, parent, name))
		return hint;
	if (s->n_indexed < s->rows.n)
		index_rows(s);
	return s->failed ? NONE : hash_find(&s->index, hash_row(s, parent, name), same_row, &probe);
}

static uint32_t append(struct side *s, uint32_t parent, struct span name)
{
	struct side_row row = {.name = arena_copy(&s->arena, name), .parent = parent, .batch = -1};

	row.label = row.name;
	if (!row.name.at || s->rows.n >= NONE || !vec_push(&s->rows, row)) {
		s->failed = true;
		return NONE;
	}
	return (uint32_t)s->rows.n - 1;
}

/* The n-th row of a name in one table. */
static uint32_t add_again(struct side *s, uint32_t parent, struct span name, bool *is_new)
{
	struct buf numbered = {0};
	uint32_t row = NONE;

	*is_new = false;
	for (int n = 2; !s->failed; n++) {
		numbered.n = 0;
		buf_span(&numbered, name);
		buf_printf(&numbered, "\1%d", n);
		s->failed |= numbered.failed;
		row = side_find(s, parent, buf_get(&numbered), s->expected);
		*is_new = row == NONE;
		if (row == NONE)
			row = append(s, parent, buf_get(&numbered));
		if (row == NONE || s->rows.at[row].seen != s->table)
			break;
	}
	if (*is_new && row != NONE)
		s->rows.at[row].label = arena_copy(&s->arena, name);
	buf_clear(&numbered);
	return row;
}

uint32_t side_add(struct side *s, uint32_t parent, struct span name, bool *is_new)
{
	/* Other names are unique: the first table need not be searched. */
	bool is_known = s->by_parent || s->table > 1;
	uint32_t row = is_known ? side_find(s, parent, name, s->expected) : NONE;

	*is_new = row == NONE;
	if (row == NONE)
		row = append(s, parent, name);
	else if (s->by_parent && s->rows.at[row].seen == s->table)
		row = add_again(s, parent, name, is_new);
	if (row == NONE)
		return NONE;
	s->rows.at[row].seen = s->table;
	s->expected = row + 1;
	return row;
}

/* ---- numbers -------------------------------------------------------------------- */

void side_begin_table(struct side *s, size_t n)
{
	s->expected = 0;
	s->table++;
	s->failed |= !vec_push(&s->steps, ((side_values){0})) ||
		(!s->rows.n && !vec_reserve(&s->rows, n)) ||
		!vec_reserve(&s->steps.at[s->steps.n - 1], n * s->n_metrics);
}

static void grow(struct side *s, side_values *values, size_t n)
{
	if (values->n >= n)
		return;
	if (!vec_reserve(values, n - values->n)) {
		s->failed = true;
		return;
	}
	memset(values->at + values->n, 0, (n - values->n) * sizeof(*values->at));
	values->n = n;
}

void side_add_value(struct side *s, uint32_t row, size_t metric, int64_t value)
{
	side_values *values;

	if (s->failed || row == NONE)
		return;
	values = &s->steps.at[s->steps.n - 1];
	grow(s, values, ((size_t)row + 1) * s->n_metrics);
	if (!s->failed) {
		int64_t *at = &values->at[(size_t)row * s->n_metrics + metric];

		*at = (int64_t)((uint64_t)*at + (uint64_t)value);
	}
}

static void take_medians(struct side *s, side_values *run)
{
	size_t n = s->steps.n;
	int64_t *sample = mem_array(n, sizeof(*sample));

	if (!sample) {
		s->failed = true;
		return;
	}
	for (size_t i = 0; i < run->n; i++) {
		for (size_t k = 0; k < n; k++)
			sample[k] = i < s->steps.at[k].n ? s->steps.at[k].at[i] : 0;
		run->at[i] = median_of_ints(sample, n);
	}
	mem_free(sample);
}

void side_end_run(struct side *s)
{
	side_values run = {0};

	if (s->steps.n == 1)
		vec_take(&run, &s->steps.at[0]);
	else
		grow(s, &run, s->rows.n * s->n_metrics);
	if (s->steps.n > 1 && !s->failed)
		take_medians(s, &run);
	for (size_t k = 0; k < s->steps.n; k++)
		vec_clear(&s->steps.at[k]);
	s->steps.n = 0;
	if (s->failed || !vec_push(&s->runs, run)) {
		s->failed = true;
		vec_clear(&run);
	}
}
