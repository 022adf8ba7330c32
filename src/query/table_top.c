/* A tree of which each row keeps its first rows only: the others become one row with their sums. */
#include "query/table_top.h"

#include <stdio.h>

#include "base/clamped.h"

struct top {
	const struct column_table *from;
	struct column_table to;
	const char *const *sums;
	size_t *row_of;  /* by row: where it went; SIZE_MAX: it was folded */
	size_t *n_below; /* by row: rows right below it … */
	size_t *n_put;   /* … of which this many are put */
	size_t *more;    /* by row: the row for the others; SIZE_MAX: not made yet */
};

static bool adds_up(const struct top *x, const struct table_column *c)
{
	for (const char *const *name = x->sums; *name; name++)
		if (strcmp(c->view.name, *name) == 0)
			return true;
	return false;
}

static struct span text_at(const struct table_column *c, size_t row)
{
	if (!c->bytes.n) /* all texts are empty */
		return (struct span){0};
	return (struct span){c->bytes.at + c->offsets.at[row],
		(size_t)(c->offsets.at[row + 1] - c->offsets.at[row])};
}

static size_t parent_of(const struct top *x, size_t row)
{
	return (size_t)x->from->columns[TREE_PARENT].numbers[row];
}

static void copy_row(struct top *x, size_t row)
{
	size_t parent = row ? x->row_of[parent_of(x, row)] : TABLE_NO_PARENT;
	size_t at =
		column_table_add_row(&x->to, parent, text_at(&x->from->columns[TREE_NAME], row));

	x->row_of[row] = at;
	for (size_t i = N_TREE_COLUMNS; i < x->from->n_columns; i++) {
		const struct table_column *c = &x->from->columns[i];

		if (c->numbers)
			table_set_int(&x->to, at, i - N_TREE_COLUMNS, c->numbers[row]);
		else if (c->doubles)
			table_set_double(&x->to, at, i - N_TREE_COLUMNS, c->doubles[row]);
		else
			table_set_text(&x->to, at, i - N_TREE_COLUMNS, text_at(c, row));
	}
}

/* Adds a row to the one that stands for it and others. */
static void fold_row(struct top *x, size_t row, size_t parent)
{
	size_t at = x->more[parent];
	char name[64];

	if (at == SIZE_MAX) {
		snprintf(name, sizeof(name), "... %zu more", x->n_below[parent] - x->n_put[parent]);
		at = x->more[parent] =
			column_table_add_row(&x->to, x->row_of[parent], span_of(name));
	}
	for (size_t i = N_TREE_COLUMNS; !x->to.failed && i < x->from->n_columns; i++) {
		const struct table_column *c = &x->from->columns[i];
		struct table_column *to = &x->to.columns[i];

		if (!adds_up(x, c))
			continue;
		if (c->numbers && c->numbers[row] >= 0)
			to->numbers[at] = clamped_sum(c->numbers[row],
				to->numbers[at] > 0 ? to->numbers[at] : 0);
		else if (c->doubles && !isnan(c->doubles[row]))
			to->doubles[at] =
				c->doubles[row] + (isnan(to->doubles[at]) ? 0 : to->doubles[at]);
	}
}

static bool init(struct top *x)
{
	const struct column_table *t = x->from;
	struct tfprof_column_info *infos = mem_array(t->n_columns + 1, sizeof(*infos));
	size_t n = t->n_rows + 1;
	bool ok = infos;

	for (size_t i = N_TREE_COLUMNS; ok && i < t->n_columns; i++)
		infos[i - N_TREE_COLUMNS] = (struct tfprof_column_info){t->columns[i].view.name,
			t->columns[i].view.type, t->columns[i].view.unit, 0};
	ok = ok && column_table_init_tree(&x->to, infos, t->n_columns - N_TREE_COLUMNS);
	mem_free(infos);
	x->row_of = mem_array(n, sizeof(*x->row_of));
	x->n_below = mem_zero_array(n, sizeof(*x->n_below));
	x->n_put = mem_zero_array(n, sizeof(*x->n_put));
	x->more = mem_array(n, sizeof(*x->more));
	if (!ok || !x->row_of || !x->n_below || !x->n_put || !x->more)
		return false;
	memset(x->more, 0xff, n * sizeof(*x->more));
	memset(x->row_of, 0xff, n * sizeof(*x->row_of));
	for (size_t row = 1; row < t->n_rows; row++)
		x->n_below[parent_of(x, row)]++;
	return true;
}

static void keep_first(struct column_table *t, size_t n, size_t *n_left_out)
{
	*n_left_out = t->n_rows > n ? t->n_rows - n : 0;
	t->n_rows -= *n_left_out;
	for (size_t i = 0; i < t->n_columns; i++)
		t->columns[i].view.n_rows = t->n_rows;
}

bool column_table_keep_top(struct column_table *t, size_t n, const char *const *sums,
	size_t *n_left_out)
{
	struct top x = {.from = t, .sums = sums};
	bool ok;

	*n_left_out = 0;
	if (!t->is_tree) {
		keep_first(t, n, n_left_out);
		return true;
	}
	column_table_end(t);
	ok = !t->failed && t->n_rows && init(&x);
	for (size_t row = 0; ok && row < t->n_rows; row++) {
		size_t parent = row ? parent_of(&x, row) : 0;

		if (row && x.row_of[parent] == SIZE_MAX) {
			++*n_left_out;
			continue;
		}
		/* One row is not worth folding. */
		if (row && x.n_put[parent] >= n && x.n_below[parent] > n + 1) {
			fold_row(&x, row, parent);
			++*n_left_out;
			continue;
		}
		x.n_put[parent] += row != 0;
		copy_row(&x, row);
	}
	mem_free(x.row_of);
	mem_free(x.n_below);
	mem_free(x.n_put);
	mem_free(x.more);
	if (!ok) {
		column_table_clear(&x.to);
		return false;
	}
	column_table_clear(t);
	*t = x.to;
	return true;
}
