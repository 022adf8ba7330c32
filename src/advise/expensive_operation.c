/* The operation types, nodes and lines of code that take the most time.
 *
 * TensorFlow's profiler today lists top-level scopes with the time of their own nodes,
 * mostly 0. It once listed the most expensive nodes, and so does this, unless asked for
 * TensorFlow's answers. */
#include "advise/advise.h"
#include "advise/expensive.h"
#include "advise/top.h"
#include "load/anatomy/names.h"
#include "query/format.h"

static const struct tfprof_checker_option_info options[] = {
	{"top", "3", "Number of operation types, graph nodes and lines per level to list."},
	{"min_node_micros", "100", "Minimum time of a graph node, in microseconds."},
	{"min_code_micros", "1000", "Minimum total time of a line of code, in microseconds."},
	{"code_levels", "4", "Number of call levels to list, starting where calls branch."},
	{NULL, NULL, NULL},
};

void expensive_put_times(struct buf *b, int64_t cpu_us, int64_t accelerator_us, int64_t total_us)
{
	buf_text(b, ", cpu: ");
	format_like_tensorflow(b, UNIT_MICROS, cpu_us);
	buf_text(b, ", accelerator: ");
	format_like_tensorflow(b, UNIT_MICROS, accelerator_us);
	buf_text(b, ", total: ");
	format_like_tensorflow(b, UNIT_MICROS, total_us);
}

void expensive_find(struct check *c, const char *what, const char *remedy, places_vec *places)
{
	struct finding *f = check_find(c, what, TFPROF_LEVEL_NONE, CONFIDENCE_HIGH);

	f->remedy = remedy;
	for (size_t i = 0; i < places->n; i++)
		check_place(c, f, places->at[i]);
	vec_clear(places);
}

void expensive_add_place(struct check *c, places_vec *places, struct place place)
{
	if (!vec_push(places, place))
		c->advice->failed = true;
}

static void put_own_times(struct buf *b, const struct query *q, uint32_t i)
{
	expensive_put_times(b, query_own(q, METRIC_CPU_MICROS, i),
		query_own(q, METRIC_ACCELERATOR_MICROS, i), query_own(q, METRIC_MICROS, i));
}

/* What waits is not what makes a program slow. */
static bool is_skipped(const struct check *c, struct span type)
{
	return !c->advice->as_tensorflow && type_waits(type);
}

static enum tfprof_status check_types(struct check *c, struct tfprof_error *err)
{
	int64_t top = check_int(c, "top"), n = 0;
	/* `top` limits the list, so max_depth must not. */
	const char *settings[] = {"min_micros", "1", "order_by", "micros", "max_depth", "1000000",
		"executed_types", "true", NULL};
	places_vec places = {0};
	struct query q;
	enum tfprof_status status = check_query(c, TFPROF_OP, settings, &q, err);

	for (uint32_t i = 1; status == TFPROF_OK && i < q.n && n < top; i++) {
		struct span op = tree_label(q.tree, q.view[i]);
		double total = (double)query_total(&q, METRIC_MICROS, 0);
		double own = (double)query_own(&q, METRIC_MICROS, i);

		if (is_skipped(c, op))
			continue;
		buf_text(&c->text, n ? "\n" : "");
		buf_printf(&c->text, "top %lld operation type: ", (long long)++n);
		buf_span(&c->text, op);
		put_own_times(&c->text, &q, i);
		buf_printf(&c->text, " (%.2f%%)", 100.0 * own / (total + 1e-10));
		expensive_add_place(c, &places,
			(struct place){.op = op, .micros = query_own(&q, METRIC_MICROS, i)});
	}
	if (places.n)
		expensive_find(c, "expensive_types",
			"Start with the first: op view by micros lists all types, and "
			"-account_type_regexes TYPE in code view the lines that use one.",
			&places);
	query_clear(&q);
	return status;
}

/* As TensorFlow's profiler does. */
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
		put_own_times(&c->text, &q, i);
		expensive_add_place(c, &places,
			(struct place){.node = name,
				.op = node == NONE ? (struct span){"", 0}
						   : model_text(c->model, c->model->nodes.op[node]),
				.micros = query_own(&q, METRIC_MICROS, i)});
	}
	if (places.n)
		expensive_find(c, "expensive_nodes", NULL, &places);
	query_clear(&q);
	return status;
}

static void put_node(struct check *c, size_t n, uint32_t node, places_vec *places)
{
	struct place place = check_node(c, node);
	struct numbers numbers;

	metrics_of(c->model, node, -1, &numbers);
	place.micros = numbers.at[METRIC_MICROS];
	buf_text(&c->text, n ? "\n" : "");
	buf_printf(&c->text, "top %zu graph node: ", n + 1);
	buf_span(&c->text, place.node);
	expensive_put_times(&c->text, numbers.at[METRIC_CPU_MICROS],
		numbers.at[METRIC_ACCELERATOR_MICROS], numbers.at[METRIC_MICROS]);
	expensive_add_place(c, places, place);
}

static enum tfprof_status check_nodes(struct check *c, struct tfprof_error *err)
{
	const struct model *m = c->model;
	int64_t minimum = check_int(c, "min_node_micros");
	places_vec places = {0};
	struct top top;

	if (!top_init(&top, c, "top"))
		return error_no_memory(err);
	for (uint32_t node = 0; node < m->nodes.n; node++) {
		struct numbers numbers;

		if (m->nodes.first_exec[node] == NONE ||
			is_skipped(c, model_text(m, m->nodes.op[node])))
			continue;
		metrics_of(m, node, -1, &numbers);
		if (numbers.at[METRIC_MICROS] >= minimum)
			top_add(&top, node, numbers.at[METRIC_MICROS]);
	}
	for (size_t i = 0; i < top.n; i++)
		put_node(c, i, top.at[i].id, &places);
	if (places.n)
		expensive_find(c, "expensive_nodes",
			"Look at the lines that create them; graph view with "
			"-start_name_regexes NODE shows what a node waits for.",
			&places);
	return TFPROF_OK;
}

static enum tfprof_status run(struct check *c, struct tfprof_error *err)
{
	bool has_run_meta = c->model->steps.n, has_trace = c->model->has_trace;
	bool as_tensorflow = c->advice->as_tensorflow;
	enum tfprof_status status = TFPROF_OK;

	if (!has_run_meta && as_tensorflow) {
		check_note(c, "Missing RunMetadata info. Skip ExpensiveOperationChecker");
		check_note(c, "Missing run_meta for ExpensiveOperationChecker");
	}
	if (!has_trace)
		check_note(c, "Missing op_log (code traces) for ExpensiveOperationChecker");
	if (!has_run_meta) {
		c->verdict->reason = NO_RUN_METADATA;
		c->verdict->skipped = true;
		return TFPROF_OK;
	}
	status = check_types(c, err);
	if (status == TFPROF_OK)
		status = as_tensorflow ? check_scopes(c, err) : check_nodes(c, err);
	if (status == TFPROF_OK && has_trace)
		status = expensive_lines(c, err);
	return status;
}

const struct checker expensive_operation_checker = {
	.info = {"ExpensiveOperationChecker",
		"The operation types, graph nodes and lines of code that take the most time.",
		options},
	.in_tensorflow = true,
	.has_heading = true,
	.run = run,
};
