/* Layers with generated names: Keras numbers them in the order in which a program makes them, so
 * dense_3 of one file may be dense of another. They are aligned by their order, kinds and numbers:
 *
 *     base   conv2d  conv2d_1  dense             conv2d_1 and dense cost the same in both,
 *     new    conv2d  conv2d_1  conv2d_2  dense   so a conv2d was added before them or after
 *
 * The alignment with the highest score wins: pairs keep their order and are of one kind, those
 * whose numbers are equal count more, and those whose names are equal a little more. */
#include "diff/match.h"

enum { SAME_KIND = 4, SAME_NUMBERS = 3, SAME_NAME = 1, MAX_CELLS = 1 << 24 };

enum step { STEP_BASE, STEP_NEW, STEP_BOTH };

typedef VEC(uint32_t) row_list;

static bool list_rows(const struct side *s, row_list *rows)
{
	for (uint32_t i = 1; i < s->rows.n; i++)
		if (s->rows.at[i].kind && !vec_push(rows, i))
			return false;
	return true;
}

static uint32_t score(const struct side *base, uint32_t b, const struct side *new_side, uint32_t n)
{
	const struct side_row *x = &base->rows.at[b], *y = &new_side->rows.at[n];
	bool same = true;

	if (x->kind != y->kind)
		return 0;
	for (size_t k = 0; same && k < base->n_metrics; k++)
		same = side_get(base, 0, b, k) == side_get(new_side, 0, n, k);
	return SAME_KIND + (same ? SAME_NUMBERS : 0) +
		(span_equal(x->name, y->name) ? SAME_NAME : 0);
}

/* steps[i * columns + j]: how the best alignment of the rows from i and j on begins. */
static bool align(const struct side *base, const row_list *bs, const struct side *new_side,
	const row_list *ns, uint8_t *steps)
{
	size_t columns = ns->n + 1;
	uint32_t *below = mem_zero_array(columns, sizeof(*below));
	uint32_t *best = mem_zero_array(columns, sizeof(*best));

	for (size_t i = bs->n; best && below && i-- > 0;) {
		uint32_t *next = below;

		best[ns->n] = 0;
		for (size_t j = ns->n; j-- > 0;) {
			uint32_t pair = score(base, bs->at[i], new_side, ns->at[j]);
			uint8_t *step = &steps[i * columns + j];

			*step = below[j] >= best[j + 1] ? STEP_BASE : STEP_NEW;
			best[j] = *step == STEP_BASE ? below[j] : best[j + 1];
			if (pair && pair + below[j + 1] >= best[j]) {
				best[j] = pair + below[j + 1];
				*step = STEP_BOTH;
			}
		}
		below = best;
		best = next;
	}
	mem_free(below);
	mem_free(best);
	return below && best;
}

bool match_generated(struct matches *m, const struct side *base, const struct side *new_side)
{
	row_list bs = {0}, ns = {0};
	bool ok = list_rows(base, &bs) && list_rows(new_side, &ns);
	uint8_t *steps = NULL;

	if (ok && bs.n && ns.n && bs.n < MAX_CELLS / (ns.n + 1)) {
		size_t i = 0, j = 0;

		steps = mem_array(bs.n * (ns.n + 1), 1);
		ok = steps && align(base, &bs, new_side, &ns, steps);
		while (ok && i < bs.n && j < ns.n) {
			uint8_t step = steps[i * (ns.n + 1) + j];

			if (step == STEP_BOTH)
				match_pair(m, bs.at[i], ns.at[j], MATCH_NAME);
			i += step != STEP_NEW;
			j += step != STEP_BASE;
		}
	}
	mem_free(steps);
	vec_clear(&bs);
	vec_clear(&ns);
	return ok;
}
