/* Scopes that were renamed or moved: found by what is in them.
 *
 *     hash(row) = its operation, and of each child: its name below the row, its hash
 *
 * Hashes are of equal texts in one process, so seeds do not matter. */
#include <stdlib.h>

#include "diff/match.h"

#include "base/sort.h"

struct shape {
	uint64_t hash;
	uint32_t n_below; /* descendants */
	uint32_t first_child, next;
};

/* The part of a name that its parent does not have. */
static struct span name_below(const struct side *s, uint32_t row)
{
	const struct side_row *r = &s->rows.at[row];
	struct span name = r->name, scope = s->rows.at[r->parent].name;

	if (!span_starts(name, scope) || name.n <= scope.n || name.at[scope.n] != '/')
		return name;
	return (struct span){name.at + scope.n + 1, name.n - scope.n - 1};
}

/* Children add up, so their order does not matter. They come after their parents. */
static struct shape *make_shapes(const struct side *s)
{
	struct shape *shapes = mem_zero_array(s->rows.n + 1, sizeof(*shapes));

	for (size_t i = 0; shapes && i < s->rows.n; i++)
		shapes[i].first_child = shapes[i].next = NONE;
	for (uint32_t i = (uint32_t)s->rows.n; shapes && i-- > 0;) {
		const struct side_row *r = &s->rows.at[i];
		struct shape *shape = &shapes[i], *parent;
		struct span below;

		shape->hash = hash_mix(shape->hash, r->type);
		if (r->parent == NONE)
			continue;
		parent = &shapes[r->parent];
		below = name_below(s, i);
		parent->hash += hash_mix(shape->hash, hash_bytes(below.at, below.n));
		parent->n_below += shape->n_below + 1;
		shape->next = parent->first_child;
		parent->first_child = i;
	}
	return shapes;
}

struct candidate {
	uint64_t hash;
	uint32_t row;
	uint32_t n_used; /* of those with this hash, in the first of them */
};

static int by_hash(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	return (x->row > y->row) - (x->row < y->row);
}

struct search {
	struct matches *matches;
	const struct side *base, *new_side;
	struct shape *of_base, *of_new;
	struct candidate *candidates;
	size_t n;
	VEC(uint32_t) left; /* pairs still to be walked */
};

/* Scopes of the new side that nothing matches yet. */
static bool find_candidates(struct search *f)
{
	f->candidates = mem_array(f->new_side->rows.n + 1, sizeof(*f->candidates));
	for (uint32_t i = 1; f->candidates && i < f->new_side->rows.n; i++)
		if (f->matches->base_of[i] == NONE && f->of_new[i].n_below)
			f->candidates[f->n++] = (struct candidate){f->of_new[i].hash, i, 0};
	if (f->candidates)
		qsort(f->candidates, f->n, sizeof(*f->candidates), by_hash);
	return f->candidates;
}

/* The first one of this shape that is still free, or NONE. */
static uint32_t take_candidate(struct search *f, const struct shape *shape)
{
	size_t low = 0;

	sort_search(low, f->n, i, f->candidates[i].hash < shape->hash);
	for (size_t i = low < f->n ? low + f->candidates[low].n_used : low;
		i < f->n && f->candidates[i].hash == shape->hash; i++) {
		uint32_t row = f->candidates[i].row;

		f->candidates[low].n_used++;
		if (f->matches->base_of[row] == NONE && f->of_new[row].n_below == shape->n_below)
			return row;
	}
	return NONE;
}

/* Children of both sides are in the order of their names. */
static bool pair_children(struct search *f, uint32_t base, uint32_t new_row)
{
	uint32_t b = f->of_base[base].first_child, n = f->of_new[new_row].first_child;

	for (; b != NONE && n != NONE; b = f->of_base[b].next, n = f->of_new[n].next)
		if (span_equal(name_below(f->base, b), name_below(f->new_side, n)) &&
			(!vec_push(&f->left, b) || !vec_push(&f->left, n)))
			return false;
	return true;
}

static bool pair_subtrees(struct search *f, uint32_t base, uint32_t new_row)
{
	bool ok = vec_push(&f->left, base) && vec_push(&f->left, new_row);

	while (ok && f->left.n) {
		uint32_t n = f->left.at[--f->left.n], b = f->left.at[--f->left.n];

		if (f->matches->new_of[b] != NONE || f->matches->base_of[n] != NONE)
			continue;
		match_pair(f->matches, b, n, MATCH_STRUCTURE);
		ok = pair_children(f, b, n);
	}
	return ok;
}

static bool has_unmatched_scope(const struct matches *m, const struct side *base,
	const struct side *new_side)
{
	bool removed = false, added = false;

	for (size_t i = 1; i < base->rows.n && !removed; i++)
		removed = m->new_of[i] == NONE;
	for (size_t i = 1; i < new_side->rows.n && !added; i++)
		added = m->base_of[i] == NONE;
	return removed && added;
}

/* Outer scopes come first: their parts are not looked for any more. */
bool match_by_structure(struct matches *m, const struct side *base, const struct side *new_side)
{
	struct search f = {.matches = m, .base = base, .new_side = new_side};
	bool ok = true;

	if (!has_unmatched_scope(m, base, new_side))
		return true;
	f.of_base = make_shapes(base);
	f.of_new = make_shapes(new_side);
	ok = f.of_base && f.of_new && find_candidates(&f);
	for (uint32_t i = 1; ok && i < base->rows.n; i++) {
		uint32_t row;

		if (m->new_of[i] != NONE || !f.of_base[i].n_below)
			continue;
		row = take_candidate(&f, &f.of_base[i]);
		ok = row == NONE || pair_subtrees(&f, i, row);
	}
	mem_free(f.of_base);
	mem_free(f.of_new);
	mem_free(f.candidates);
	vec_clear(&f.left);
	return ok;
}
