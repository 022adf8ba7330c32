/* /api/callers: lines of Python with their callers below them, a flame graph upside down. The
 * first level has every line with its own number or, with `line=model.py:66`, that line with
 * everything it calls; the levels below have their callers. Rows of equal stacks are merged.
 *
 *     code view   main ─ build ─ conv  5        callers   conv 8 ─ build ─ main  5
 *                      └ train ─ conv  3                         └ train ─ main  3
 *
 * Lines with less than a thousandth of the whole are left out. */
#include <stdlib.h>

#include "base/clamped.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/strings.h"
#include "server/find.h"
#include "server/gradients.h"
#include "server/routes.h"
#include "server/selection.h"
#include "server/table_json.h"
#include "server/view_query.h"

enum { MAX_LEVELS = 100, MAX_CALLERS = 2000, MIN_SHARE = 1000 };

/* A stack that is counted, from its end to the caller that has been reached. */
struct stack {
	int64_t row;   /* of code view: its end, whose number is counted */
	int64_t above; /* the caller; 0: none is left */
	uint32_t line; /* of the caller */
};

struct caller {
	int64_t row;       /* of code view: one of the rows it stands for */
	size_t begin, end; /* its stacks */
	uint32_t parent;
	uint32_t first_child, next; /* NONE: none */
	int64_t depth;
	int64_t value, backward, selected;
};

struct callers {
	struct table_json table;
	const struct table_json_metric *metric;
	const int64_t *value; /* by row: the metric's own or total */
	int64_t *backward;    /* the part of it from gradients */
	int64_t *selected;    /* the part of it that is selected, or NULL */
	struct strings lines;
	uint32_t *line_of_row;
	VEC(struct stack) stacks;
	VEC(struct caller) at;
	int64_t least; /* callers with no more than this are left out */
};

/* ---- the tree ------------------------------------------------------------------- */

static struct caller sum_stacks(const struct callers *x, int64_t caller, size_t begin, size_t end)
{
	struct caller sum = {.row = caller,
		.begin = begin,
		.end = end,
		.parent = NONE,
		.first_child = NONE,
		.next = NONE};

	for (size_t i = begin; i < end; i++) {
		int64_t row = x->stacks.at[i].row;

		sum.value = clamped_sum(sum.value, x->value[row]);
		sum.backward = clamped_sum(sum.backward, x->backward[row]);
		sum.selected = clamped_sum(sum.selected, x->selected ? x->selected[row] : 0);
	}
	return sum;
}

static int by_line(const void *a, const void *b)
{
	const struct stack *x = a, *y = b;

	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return (x->row > y->row) - (x->row < y->row);
}

static bool add_child(struct callers *x, uint32_t parent, struct caller child)
{
	child.parent = parent;
	child.depth = x->at.at[parent].depth + 1;
	child.next = x->at.at[parent].first_child;
	if (!vec_push(&x->at, child))
		return false;
	x->at.at[parent].first_child = (uint32_t)x->at.n - 1;
	return true;
}

/* Groups the stacks of a caller by who called it. */
static bool expand(struct callers *x, uint32_t id)
{
	struct caller c = x->at.at[id];
	bool ok = true;

	for (size_t i = c.begin; i < c.end; i++) {
		struct stack *s = &x->stacks.at[i];

		/* The root is no caller: its children are the ends of the stacks. */
		s->above = id ? x->table.parent[s->above] : s->row;
		s->line = x->line_of_row[s->above];
	}
	qsort(x->stacks.at + c.begin, c.end - c.begin, sizeof(*x->stacks.at), by_line);
	for (size_t i = c.begin, next; ok && i < c.end; i = next) {
		struct caller child;

		for (next = i + 1; next < c.end; next++)
			if (x->stacks.at[next].line != x->stacks.at[i].line)
				break;
		child = sum_stacks(x, x->stacks.at[i].above, i, next);
		if (child.row && child.value > x->least)
			ok = add_child(x, id, child);
	}
	return ok;
}

static bool expand_all(struct callers *x)
{
	struct caller root = sum_stacks(x, 0, 0, x->stacks.n);
	bool ok = vec_push(&x->at, root);

	x->least = root.value / MIN_SHARE;
	for (uint32_t id = 0; ok && x->stacks.n && id < x->at.n; id++)
		if (x->at.at[id].depth < MAX_LEVELS)
			ok = expand(x, id);
	return ok;
}

/* A line is identified by file, number, function and whether it is of gradients, wherever it is
 * called from. */
static bool name_lines(struct callers *x)
{
	const struct span apart = SPAN(" (gradient)");
	const struct table_json *t = &x->table;
	struct buf key = {0};
	bool ok = strings_init(&x->lines);

	x->line_of_row = mem_array(t->n_rows + 1, sizeof(*x->line_of_row));
	ok = ok && x->line_of_row;
	if (ok)
		x->line_of_row[0] = NONE; /* the root is no line */
	for (size_t row = 1; ok && row < t->n_rows; row++) {
		struct span name = table_json_name(t, (int64_t)row);

		key.n = 0;
		buf_span(&key, table_json_path(t, (int64_t)row));
		buf_char(&key, ':');
		buf_int(&key, t->line.numbers[row]);
		buf_char(&key, ':');
		buf_span(&key, table_json_text(&t->function, (int64_t)row));
		if (span_ends(name, apart))
			buf_span(&key, apart);
		x->line_of_row[row] = key.failed ? NONE : strings_add(&x->lines, buf_get(&key));
		ok = x->line_of_row[row] != NONE;
	}
	buf_clear(&key);
	return ok;
}

/* If a line calls itself, the outermost call includes the others. */
static bool add_line(struct callers *x, const char *line)
{
	const struct table_json *t = &x->table;
	bool ok = true;

	x->value = x->metric->total;
	for (int64_t row = 1; ok && row < (int64_t)t->n_rows;) {
		if (!selection_is_line(line, t, row)) {
			row++;
			continue;
		}
		ok = vec_push(&x->stacks, ((struct stack){.row = row}));
		row = t->end[row];
	}
	return ok;
}

static bool add_all(struct callers *x)
{
	bool ok = true;

	x->value = x->metric->own;
	for (int64_t row = 1; ok && row < (int64_t)x->table.n_rows; row++)
		if (x->value[row] > 0)
			ok = vec_push(&x->stacks, ((struct stack){.row = row}));
	return ok;
}

/* ---- the answer ----------------------------------------------------------------- */

static void put_number(struct json *out, const char *key, const char *metric, int64_t value)
{
	json_key(out, key);
	json_open_object(out);
	if (value)
		json_put_int(out, metric, value);
	json_close_object(out);
}

/* As rows of /api/tree are, so that the page draws both alike. */
static void put_caller(const struct callers *x, uint32_t id, struct json *out)
{
	const struct caller *c = &x->at.at[id];
	const struct table_json *t = &x->table;
	struct span name = id ? table_json_name(t, c->row) : (struct span){"", 0};

	json_open_object(out);
	json_put_int(out, "row", id);
	json_put_string(out, "name", name);
	json_put_int(out, "depth", c->depth);
	put_number(out, "own", x->metric->name, 0);
	put_number(out, "total", x->metric->name, c->value);
	json_put_int(out, "backward", c->backward);
	if (x->selected)
		json_put_int(out, "selected", c->selected);
	if (id && t->find && regexes_match(t->find, name))
		json_put_bool(out, "match", true);
	if (id) {
		json_put_string(out, "path", table_json_path(t, c->row));
		json_put_string(out, "function", table_json_text(&t->function, c->row));
		json_put_int(out, "line", t->line.numbers[c->row]);
	}
	json_close_object(out);
}

static void put_callers(const struct callers *x, struct json *out)
{
	size_t n_left = MAX_CALLERS;
	uint32_t id = 0;

	json_key(out, "rows");
	json_open_array(out);
	for (; id != NONE && n_left; n_left--) {
		put_caller(x, id, out);
		if (x->at.at[id].first_child != NONE) {
			id = x->at.at[id].first_child;
			continue;
		}
		while (id && x->at.at[id].next == NONE)
			id = x->at.at[id].parent;
		id = id ? x->at.at[id].next : NONE;
	}
	json_close_array(out);
}

/* ---- the request ---------------------------------------------------------------- */

/* Turns own numbers into totals, as /api/tree counts them. */
static void add_up(const struct table_json *t, int64_t *numbers)
{
	for (size_t row = t->n_rows; row-- > 1;)
		numbers[t->parent[row]] = clamped_sum(numbers[t->parent[row]], numbers[row]);
}

static enum tfprof_status select_rows(struct call *c, struct callers *x, tfprof_result *result,
	bool totals, struct tfprof_error *err)
{
	struct selection selection;
	enum tfprof_status status = selection_open(&selection, c, err);

	if (status == TFPROF_OK)
		status = selection_sum(&selection, &x->table, result, x->metric->name, totals,
			&x->selected, err);
	selection_close(&selection);
	return status;
}

static enum tfprof_status arrange(struct callers *x, const char *line, struct tfprof_error *err)
{
	if (line)
		add_up(&x->table, x->backward);
	if (name_lines(x) && (line ? add_line(x, line) : add_all(x)) && expand_all(x))
		return TFPROF_OK;
	return error_no_memory(err);
}

static enum tfprof_status open_table(struct call *c, struct callers *x, tfprof_result *result,
	struct tfprof_error *err)
{
	const char *name = call_get_metric(c);
	enum tfprof_status status = table_json_open(&x->table, TFPROF_CODE, result, err);

	if (status != TFPROF_OK)
		return status;
	x->metric = table_json_metric(&x->table, name);
	if (!x->metric)
		return error_set(err, TFPROF_ARGUMENT, "metric_column=%.100s: no such column",
			name);
	return find_compile(c, &x->table.find, err);
}

enum tfprof_status route_callers(struct call *c, struct json *out, struct tfprof_error *err)
{
	const char *line = call_get(c, "line");
	struct callers x = {0};
	struct kept *kept = NULL;
	struct shown_profile *profile;
	int64_t p;
	enum tfprof_status status = view_profile(c, &profile, &p, err);

	if (status == TFPROF_OK)
		status = view_query(c, TFPROF_CODE, &kept, err);
	if (status == TFPROF_OK)
		status = open_table(c, &x, kept_get(kept), err);
	if (status == TFPROF_OK)
		status = select_rows(c, &x, kept_get(kept), line != NULL, err);
	if (status == TFPROF_OK)
		status = gradients_sum(c, &x.table, kept_get(kept), profile->profile, &x.backward,
			err);
	if (status == TFPROF_OK)
		status = arrange(&x, line, err);
	if (status == TFPROF_OK) {
		json_open_object(out);
		put_callers(&x, out);
		json_close_object(out);
	}
	strings_clear(&x.lines);
	vec_clear(&x.stacks);
	vec_clear(&x.at);
	mem_free(x.line_of_row);
	mem_free(x.backward);
	mem_free(x.selected);
	regexes_free(x.table.find);
	store_release(c->store, kept);
	return status;
}
