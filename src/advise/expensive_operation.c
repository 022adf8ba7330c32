/* The operation types, scopes and lines of code that take the most time. */
#include <stdlib.h>

#include "advise/advise.h"
#include "write/format.h"

static const struct tfprof_checker_option_info options[] = {
	{"top", "3", "Number of operation types, graph nodes and lines per level to list."},
	{"min_node_micros", "100", "Minimum total time of a graph node, in microseconds."},
	{"min_code_micros", "1000", "Minimum total time of a line of code, in microseconds."},
	{"code_levels", "4", "Number of call levels to list, starting where calls branch."},
	{NULL, NULL, NULL},
};

/* The own or total number of a row. */
typedef int64_t number_fn(const struct query *q, enum metric metric, uint32_t i);

/* ", cpu: T, accelerator: T, total: T" */
static void put_times(struct buf *b, const struct query *q, number_fn *number, uint32_t i)
{
	buf_text(b, ", cpu: ");
	format_number(b, UNIT_MICROS, number(q, METRIC_CPU_MICROS, i));
	buf_text(b, ", accelerator: ");
	format_number(b, UNIT_MICROS, number(q, METRIC_ACCELERATOR_MICROS, i));
	buf_text(b, ", total: ");
	format_number(b, UNIT_MICROS, number(q, METRIC_MICROS, i));
}

/* Places are collected first, because a finding is made once its text is complete. */
typedef VEC(struct place) places_vec;

static void find(struct check *c, const char *what, places_vec *places)
{
	struct finding *f = check_find(c, what, TFPROF_LEVEL_NONE, CONFIDENCE_HIGH);

	for (size_t i = 0; i < places->n; i++)
		check_place(c, f, places->at[i]);
	vec_clear(places);
}

static void add_place(struct check *c, places_vec *places, struct place place)
{
	if (!vec_push(places, place))
		c->advice->failed = true;
}

static enum tfprof_status check_types(struct check *c, struct tfprof_error *err)
{
	int64_t top = check_int(c, "top");
	/* `top` limits the list, so max_depth must not. */
	const char *settings[] = {"min_micros", "1", "order_by", "micros", "max_depth", "1000000",
		NULL};
	places_vec places = {0};
	struct query q;
	enum tfprof_status status = check_query(c, TFPROF_OP, settings, &q, err);

	for (uint32_t i = 1; status == TFPROF_OK && i < q.n && i <= top; i++) {
		struct span op = tree_label(q.tree, q.view[i]);
		double total = (double)query_total(&q, METRIC_MICROS, 0);
		double own = (double)query_own(&q, METRIC_MICROS, i);

		buf_text(&c->text, i > 1 ? "\n" : "");
		buf_printf(&c->text, "top %u operation type: ", i);
		buf_span(&c->text, op);
		put_times(&c->text, &q, query_own, i);
		buf_printf(&c->text, " (%.2f%%)", 100.0 * own / (total + 1e-10));
		add_place(c, &places,
			(struct place){.op = op, .micros = query_own(&q, METRIC_MICROS, i)});
	}
	if (places.n)
		find(c, "expensive_types", &places);
	query_clear(&q);
	return status;
}

static enum tfprof_status check_scopes(struct check *c, struct tfprof_error *err)
{
	const char *settings[] = {"max_depth", "100", "min_micros",
		check_word(c, "min_node_micros"), "order_by", "micros", NULL};
	int64_t top = check_int(c, "top"), n = 0;
	places_vec places = {0};
	struct query q;
	enum tfprof_status status = check_query(c, TFPROF_SCOPE, settings, &q, err);

	for (uint32_t i = 1; status == TFPROF_OK && i < q.n && n < top; i++) {
		struct span name;
		uint32_t node;

		if (q.parent[i] != 0)
			continue;
		name = tree_label(q.tree, q.view[i]);
		node = q.tree->node[q.view[i]];
		buf_text(&c->text, n ? "\n" : "");
		buf_printf(&c->text, "top %lld graph node: ", (long long)++n);
		buf_span(&c->text, name);
		put_times(&c->text, &q, query_own, i);
		add_place(c, &places,
			(struct place){.node = name,
				.op = node == NONE ? (struct span){"", 0}
						   : model_text(c->model, c->model->nodes.op[node]),
				.micros = query_own(&q, METRIC_MICROS, i)});
	}
	if (places.n)
		find(c, "expensive_nodes", &places);
	query_clear(&q);
	return status;
}

/* ---- code ----------------------------------------------------------------------- */

/* Rows are in preorder: a row's first child, if any, follows it, and the others are
 * found by skipping subtrees. */
static uint32_t *find_ends(struct check *c, const struct query *q)
{
	uint32_t *end = check_alloc(c, q->n, sizeof(*end));

	/* end[i]: one past the last row below i. */
	for (uint32_t i = q->n; end && i-- > 0;) {
		if (!end[i])
			end[i] = i + 1;
		if (i && end[i] > end[q->parent[i]])
			end[q->parent[i]] = end[i];
	}
	return end;
}

static uint32_t count_children(const uint32_t *end, uint32_t row)
{
	uint32_t n = 0;

	for (uint32_t child = row + 1; child < end[row]; child = end[child])
		n++;
	return n;
}

static void put_line(struct check *c, const struct query *q, uint32_t row, int64_t level,
	places_vec *places)
{
	struct span label = tree_label(q->tree, q->view[row]);

	buf_text(&c->text, places->n ? "\n" : "");
	buf_fill(&c->text, ' ', (size_t)level * 2);
	buf_span(&c->text, label);
	put_times(&c->text, q, query_total, row);
	add_place(c, places,
		(struct place){.line = label, .micros = query_total(q, METRIC_MICROS, row)});
}

/* The first lines below `from` and what they call, with indentation. */
static void put_lines(struct check *c, const struct query *q, const uint32_t *end, uint32_t from,
	places_vec *places)
{
	int64_t top = check_int(c, "top"), levels = check_int(c, "code_levels");
	int64_t minimum = check_int(c, "min_code_micros");
	int64_t *taken = check_alloc(c, q->n, sizeof(*taken));
	int64_t base = q->depth[from] + 1;
	uint32_t row = from + 1;

	while (taken && row < end[from]) {
		int64_t level = q->depth[row] - base;

		if (level >= levels || taken[q->parent[row]]++ >= top ||
			query_total(q, METRIC_MICROS, row) < minimum) {
			row = end[row];
			continue;
		}
		put_line(c, q, row, level, places);
		row = count_children(end, row) > 1 ? row + 1 : end[row];
	}
}

static enum tfprof_status check_code(struct check *c, struct tfprof_error *err)
{
	const char *settings[] = {"max_depth", "100", "min_micros", "1", "order_by", "micros",
		NULL};
	struct query q;
	enum tfprof_status status = check_query(c, TFPROF_CODE, settings, &q, err);
	uint32_t *end = status == TFPROF_OK ? find_ends(c, &q) : NULL, row = 0;
	places_vec places = {0};

	/* From the root to where calls first branch. */
	while (end && count_children(end, row) == 1)
		row++;
	if (end && count_children(end, row)) {
		put_lines(c, &q, end, row, &places);
		find(c, "expensive_lines", &places);
	}
	query_clear(&q);
	return status;
}

static enum tfprof_status run(struct check *c, struct tfprof_error *err)
{
	bool has_run_meta = c->model->steps.n, has_trace = c->model->has_trace;
	enum tfprof_status status = TFPROF_OK;

	if (!has_run_meta) {
		check_note(c, "Missing RunMetadata info. Skip ExpensiveOperationChecker");
		check_note(c, "Missing run_meta for ExpensiveOperationChecker");
	}
	if (!has_trace)
		check_note(c, "Missing op_log (code traces) for ExpensiveOperationChecker");
	if (!has_run_meta) {
		c->verdict->skipped = true;
		return TFPROF_OK;
	}
	status = check_types(c, err);
	if (status == TFPROF_OK)
		status = check_scopes(c, err);
	if (status == TFPROF_OK && has_trace)
		status = check_code(c, err);
	return status;
}

const struct checker expensive_operation_checker = {
	.info = {"ExpensiveOperationChecker",
		"The operation types, graph nodes and lines of code that take the most time.",
		options},
	.in_tensorflow = true,
	.run = run,
};
