#include "count/uncounted.h"

#include <stdlib.h>

/* Kinds beyond these are only counted. */
enum { MOST_NAMED = 6 };

bool uncounted_add(struct uncounted *u, struct span type)
{
	for (size_t i = 0; i < u->kinds.n; i++)
		if (span_equal(u->kinds.at[i].type, type)) {
			u->kinds.at[i].n++;
			return true;
		}
	return vec_push(&u->kinds, ((struct uncounted_kind){type, 1}));
}

static int compare(const void *a, const void *b)
{
	const struct uncounted_kind *x = a, *y = b;

	return x->n != y->n ? (x->n < y->n) - (x->n > y->n) : span_compare(x->type, y->type);
}

void uncounted_put(struct uncounted *u, struct buf *b)
{
	size_t n = u->kinds.n;

	if (!n)
		return;
	qsort(u->kinds.at, n, sizeof(*u->kinds.at), compare);
	buf_printf(b, "%zu kind%s of operations not counted: ", n, n == 1 ? "" : "s");
	for (size_t i = 0; i < n && i < MOST_NAMED; i++) {
		buf_text(b, i ? ", " : "");
		buf_span(b, u->kinds.at[i].type);
		buf_printf(b, " x%zu", u->kinds.at[i].n);
	}
	if (n > MOST_NAMED)
		buf_text(b, ", …");
}

void uncounted_clear(struct uncounted *u)
{
	vec_clear(&u->kinds);
}
