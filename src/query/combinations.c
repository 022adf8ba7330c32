#include "query/combinations.h"

#include <stdlib.h>

#include "base/clamped.h"
#include "query/input_shapes.h"

static int by_text(const void *a, const void *b)
{
	return span_compare(((const struct combination *)a)->text,
		((const struct combination *)b)->text);
}

static int by_runs(const void *a, const void *b)
{
	const struct combination *x = a, *y = b;

	return x->runs != y->runs ? (x->runs < y->runs) - (x->runs > y->runs) : by_text(a, b);
}

/* Merges combinations with the same text. */
static void merge(struct combinations *c)
{
	size_t kept = 0;

	if (c->n)
		qsort(c->at, c->n, sizeof(*c->at), by_text);
	for (size_t i = 0; i < c->n; i++) {
		struct combination *last = kept ? &c->at[kept - 1] : NULL;

		if (last && span_equal(last->text, c->at[i].text)) {
			last->runs = clamped_sum(last->runs, c->at[i].runs);
			last->micros = clamped_sum(last->micros, c->at[i].micros);
			last->defined = clamped_sum(last->defined, c->at[i].defined);
		} else {
			c->at[kept++] = c->at[i];
		}
	}
	c->n = kept;
	if (kept)
		qsort(c->at, kept, sizeof(*c->at), by_runs);
}

bool combinations_make(struct combinations *c, struct query *q, struct row_nodes nodes,
	const char *separator)
{
	const struct model *m = q->model;
	struct buf text = {0};
	struct numbers numbers;
	bool ok;

	*c = (struct combinations){0};
	c->at = arena_array(&c->arena, nodes.n, sizeof(*c->at));
	ok = c->at != NULL;
	for (size_t i = 0; ok && i < nodes.n; i++) {
		if (!query_picks_node(q, nodes.at[i]))
			continue;
		text.n = 0;
		input_shapes_put(q, &text, nodes.at[i], separator);
		metrics_of(m, nodes.at[i], q->options->number[OPT_STEP], &numbers);
		c->at[c->n] = (struct combination){arena_copy(&c->arena, buf_get(&text)),
			numbers.at[METRIC_OCCURRENCE], numbers.at[METRIC_MICROS], 1};
		ok = !text.failed && c->at[c->n++].text.at;
	}
	if (ok)
		merge(c);
	buf_clear(&text);
	return ok;
}

void combinations_clear(struct combinations *c)
{
	arena_clear(&c->arena);
	*c = (struct combinations){0};
}
