#include "diff/diff.h"

#include <math.h>
#include <stdlib.h>

#include "diff/verdict.h"

const char *const diff_state_names[] = {
#define X(id, name) name,
	DIFF_STATES(X)
#undef X
};

const char *const diff_verdict_names[] = {
#define X(id, name, mark) name,
	DIFF_VERDICTS(X)
#undef X
};

const char *const diff_verdict_marks[] = {
#define X(id, name, mark) mark,
	DIFF_VERDICTS(X)
#undef X
};

void diff_clear(struct diff *d)
{
	side_clear(&d->base);
	side_clear(&d->new_side);
	buf_clear(&d->headline);
	mem_free(d->rows);
	mem_free(d->numbers);
	d->rows = NULL;
	d->numbers = NULL;
}

double diff_ratio(int64_t base, int64_t new_value)
{
	if (base == new_value)
		return 0;
	return base ? ((double)new_value - (double)base) / fabs((double)base) : INFINITY;
}

/* ---- rows ----------------------------------------------------------------------- */

static void classify(const struct diff *d, const struct matches *m, struct diff_row *r)
{
	const struct side_row *base = diff_base_row(d, r), *new_row = diff_new_row(d, r);

	if (!base || !new_row) {
		r->state = base ? DIFF_REMOVED : DIFF_ADDED;
		return;
	}
	if (m->how[r->new_row] != MATCH_NAME) {
		r->state = DIFF_RENAMED;
		r->is_guessed = m->how[r->new_row] == MATCH_STRUCTURE;
	}
	r->is_moved =
		base->device.n && new_row->device.n && !span_equal(base->device, new_row->device);
}

/* Those of the new side keep their index; those only the base has follow. */
static bool make_rows(struct diff *d, const struct matches *m)
{
	size_t n_base = d->base.rows.n, n_new = d->new_side.rows.n, n = n_new;
	uint32_t *row_of_base = mem_array(n_base + 1, sizeof(*row_of_base));

	d->rows = mem_zero_array(n_base + n_new + 1, sizeof(*d->rows));
	if (!d->rows || !row_of_base) {
		mem_free(row_of_base);
		return false;
	}
	for (uint32_t i = 0; i < n_new; i++)
		d->rows[i] = (struct diff_row){.base_row = m->base_of[i],
			.new_row = i,
			.parent = d->new_side.rows.at[i].parent};
	for (uint32_t i = 0; i < n_base; i++) {
		uint32_t parent = d->base.rows.at[i].parent;

		row_of_base[i] = m->new_of[i] == NONE ? (uint32_t)n : m->new_of[i];
		if (m->new_of[i] != NONE)
			continue;
		d->rows[n++] = (struct diff_row){.base_row = i,
			.new_row = NONE,
			.parent = parent == NONE ? NONE : row_of_base[parent]};
	}
	d->n = n;
	for (uint32_t i = 0; i < n; i++) {
		d->rows[i].place = i;
		classify(d, m, &d->rows[i]);
	}
	mem_free(row_of_base);
	return true;
}

/* ---- changes as a whole ----------------------------------------------------------- */

static void count_states(struct diff *d)
{
	for (size_t i = 1; i < d->n; i++) {
		const struct diff_row *r = &d->rows[i];
		const struct side_row *base = diff_base_row(d, r), *new_row = diff_new_row(d, r);

		d->n_of[r->state]++;
		d->n_guessed += r->is_guessed;
		d->n_moved += r->is_moved;
		d->n_lines_moved += r->state == DIFF_SAME && d->base.by_parent && !new_row->kind &&
			!span_equal(base->label, new_row->label);
	}
}

/* The change that most first dimensions share: a vote whose winner is then counted. */
static void find_batch(struct diff *d)
{
	size_t votes = 0;

	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < d->n; i++) {
			const struct side_row *b = diff_base_row(d, &d->rows[i]),
					      *n = diff_new_row(d, &d->rows[i]);
			bool known = b && n && b->batch > 0 && n->batch > 0;
			bool agrees = known && b->batch == d->batch.from && n->batch == d->batch.to;

			d->batch.n_known += known && pass;
			d->batch.n_rows += agrees && pass;
			if (pass || !known || b->batch == n->batch)
				continue;
			if (!votes) {
				d->batch.from = b->batch;
				d->batch.to = n->batch;
				agrees = true;
			}
			votes += agrees ? 1 : (size_t)-1;
		}
}

/* ---- numbers ---------------------------------------------------------------------- */

/* Sums wrap, as those of queries do. */
static void add(int64_t *sum, int64_t value)
{
	*sum = (int64_t)((uint64_t)*sum + (uint64_t)value);
}

static void add_split(struct diff_split *to, const struct diff_split *from)
{
	add(&to->grew, from->grew);
	add(&to->shrank, from->shrank);
	add(&to->added, from->added);
	add(&to->removed, from->removed);
}

static void add_change(struct diff_split *split, enum diff_state state, int64_t delta)
{
	if (state == DIFF_ADDED)
		add(&split->added, delta);
	else if (state == DIFF_REMOVED)
		add(&split->removed, delta);
	else
		add(delta > 0 ? &split->grew : &split->shrank, delta);
}

/* A row's part is its change less those of its children, so that the parts of a subtree add
 * up to the change of its top, also for medians. Children are visited before their parents;
 * `own` starts as the row's change. */
static bool split_changes(struct diff *d, size_t metric, const uint32_t *order)
{
	int64_t *own = mem_array(d->n + 1, sizeof(*own));

	if (!own)
		return false;
	for (size_t i = 0; i < d->n; i++)
		own[i] = diff_delta(diff_number(d, i, metric));
	for (size_t i = 1; i < d->n; i++) {
		uint32_t parent = d->rows[i].parent;

		if (parent != NONE)
			own[parent] = (int64_t)((uint64_t)own[parent] -
				(uint64_t)diff_delta(diff_number(d, i, metric)));
	}
	for (size_t k = d->n; k-- > 0;) {
		uint32_t i = order[k], parent = d->rows[i].parent;
		struct diff_split *split = &diff_number(d, i, metric)->split;

		add_change(split, d->rows[i].state, own[i]);
		if (parent != NONE)
			add_split(&diff_number(d, parent, metric)->split, split);
	}
	mem_free(own);
	return true;
}

/* ---- order ------------------------------------------------------------------------ */

struct sort_key {
	double number;
	struct span name; /* if sorted by it */
	uint32_t row;
};

/* Rows of the new side are in the order of their names; those of the base follow. */
static int by_key(const void *a, const void *b)
{
	const struct sort_key *x = a, *y = b;
	int c;

	if (x->number > y->number || x->number < y->number)
		return x->number > y->number ? -1 : 1;
	c = span_compare(x->name, y->name);
	return c ? c : (x->row > y->row) - (x->row < y->row);
}

static double sort_number(const struct diff *d, uint32_t row)
{
	const struct diff_number *n = diff_number(d, row, 0);

	switch (d->settings.order) {
	case BY_DELTA: return fabs((double)diff_delta(n));
	case BY_PERCENT: return fabs(diff_ratio(n->base, n->new_value));
	case BY_BASE: return (double)n->base;
	case BY_NEW: return (double)n->new_value;
	default: return 0;
	}
}

/* Children of a row stand together: those of row r are keys[first[r] … first[r + 1]]. */
struct siblings {
	struct sort_key *keys;
	size_t *first, *next;
};

static bool sort_siblings(const struct diff *d, struct siblings *s)
{
	bool by_name = d->settings.order == BY_NAME;

	s->keys = mem_array(d->n + 1, sizeof(*s->keys));
	s->first = mem_zero_array(d->n + 2, sizeof(*s->first));
	s->next = mem_array(d->n + 1, sizeof(*s->next));
	if (!s->keys || !s->first || !s->next)
		return false;
	for (size_t i = 1; i < d->n; i++)
		s->first[d->rows[i].parent + 1]++;
	for (size_t i = 0; i < d->n; i++) {
		s->first[i + 1] += s->first[i];
		s->next[i] = s->first[i];
	}
	for (uint32_t i = 1; i < d->n; i++)
		s->keys[s->next[d->rows[i].parent]++] = (struct sort_key){sort_number(d, i),
			by_name ? diff_name(d, &d->rows[i]) : SPAN(""), i};
	for (size_t i = 0; i < d->n; i++) {
		size_t n = s->first[i + 1] - s->first[i];

		s->next[i] = s->first[i];
		if (n > 1)
			qsort(s->keys + s->first[i], n, sizeof(*s->keys), by_key);
	}
	return true;
}

static void siblings_clear(struct siblings *s)
{
	mem_free(s->keys);
	mem_free(s->first);
	mem_free(s->next);
}

/* Depth first. */
static void walk(const struct diff *d, struct siblings *s, uint32_t *order)
{
	uint32_t at = 0;
	size_t n = 0;

	order[n++] = at;
	while (n < d->n) {
		if (s->next[at] < s->first[at + 1]) {
			at = s->keys[s->next[at]++].row;
			order[n++] = at;
		} else {
			at = d->rows[at].parent;
		}
	}
}

/* Moves rows into display order. */
static bool arrange(struct diff *d, const uint32_t *order)
{
	struct diff_row *rows = mem_array(d->n + 1, sizeof(*rows));
	uint32_t *place = mem_array(d->n + 1, sizeof(*place));
	bool ok = rows && place;

	for (uint32_t k = 0; ok && k < d->n; k++) {
		uint32_t i = order[k];

		place[i] = k;
		rows[k] = d->rows[i];
		if (rows[k].parent == NONE)
			continue;
		rows[k].parent = place[rows[k].parent];
		rows[k].depth = rows[rows[k].parent].depth + 1;
		rows[rows[k].parent].has_children = true;
	}
	mem_free(place);
	if (!ok) {
		mem_free(rows);
		return false;
	}
	mem_free(d->rows);
	d->rows = rows;
	return true;
}

static bool order_rows(struct diff *d)
{
	uint32_t *order = mem_array(d->n + 1, sizeof(*order));
	struct siblings siblings = {0};
	bool ok = order && sort_siblings(d, &siblings);

	if (ok)
		walk(d, &siblings, order);
	siblings_clear(&siblings);
	for (size_t m = 0; ok && m < d->n_metrics; m++)
		ok = split_changes(d, m, order);
	ok = ok && arrange(d, order);
	mem_free(order);
	return ok;
}

enum tfprof_status diff_run(struct diff *d, struct tfprof_error *err)
{
	struct matches m = {0};
	enum tfprof_status status;
	bool ok;

	if (d->base.failed || d->new_side.failed)
		return error_no_memory(err);
	status = matches_make(&m, &d->base, &d->new_side, &d->settings.match, err);
	ok = status == TFPROF_OK && make_rows(d, &m);
	matches_clear(&m);
	if (status != TFPROF_OK)
		return status;
	if (ok) {
		count_states(d);
		find_batch(d);
	}
	ok = ok && verdicts_make(d) && order_rows(d) &&
		step_sides_put(&d->base.walls, &d->new_side.walls, &d->headline);
	return ok ? TFPROF_OK : error_no_memory(err);
}
