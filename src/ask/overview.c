/* overview: a profile at a glance. Whoever shows a profile asks this first: the program for a
 * file alone, the page, describe() in Python, the report of KerasCallback.
 *
 *     headline, wall, gap …     what the question step says of a step, as it says it
 *     nodes, times, memory …    totals of reports: sums over threads, not the time of a step
 *     rows: inputs              a file each: kind, bytes
 *           steps               the wall of each
 *           missing             what no input tells, and which one would
 *           try                 a command each, as the program takes it
 *
 * Nothing about steps is computed here. */
#include "ask/curves.h"
#include "ask/gaps.h"
#include "ask/accelerators.h"
#include "ask/question.h"
#include "ask/tables.h"

/* id, name, type, unit */
/* clang-format off */
#define OVERVIEW_COLUMNS(X)                                                    \
	X(KIND, "kind", TEXT, NULL)                                            \
	X(TEXT, "text", TEXT, NULL)                                            \
	X(BYTES, "bytes", INT64, "bytes")                                      \
	X(STEP, "step", INT64, NULL)                                           \
	X(WALL, "wall_micros", DOUBLE, "microseconds")
/* clang-format on */

enum {
#define X(id, ...) OVERVIEW_##id,
	OVERVIEW_COLUMNS(X)
#undef X
		N_OVERVIEW_COLUMNS
};

static const struct tfprof_column_info infos[] = {
#define X(id, name, type, unit) {name, TFPROF_COLUMN_##type, unit, 0},
	OVERVIEW_COLUMNS(X)
#undef X
};

/* ---- totals --------------------------------------------------------------------- */

/* Rows of a view that accounts nodes of these types, for their totals. Clear in any case. */
static enum tfprof_status run_view(struct query *q, const struct asked *asked,
	enum tfprof_view view, unsigned metrics, const char *types, struct tfprof_error *err)
{
	tfprof_options *o = tfprof_options_new();
	enum tfprof_status status = o ? tfprof_options_set(o, "account_type_regexes", types, err)
				      : error_no_memory(err);

	*q = (struct query){.model = asked->model,
		.kind = view,
		.options = o,
		.cancel = asked->cancel,
		.metrics = metrics};
	if (status == TFPROF_OK)
		status = asked->get_view(asked->profile, q, err);
	if (status == TFPROF_OK)
		status = query_run(q, err);
	/* The rows do not refer to the options. */
	tfprof_options_free(o);
	q->options = NULL;
	return status;
}

static void put_known(struct answer *a, const char *key, bool is_known, int64_t value)
{
	if (is_known)
		answer_put_int(a, key, value);
	else
		answer_put_null(a, key);
}

/* What an accelerator recorded without steps is not one. */
static int64_t count_steps(const struct model *m, const struct tfprof_summary *s)
{
	return s->n_steps == 1 && m->recorded & MODEL_RECORDED_NO_STEPS ? 0 : (int64_t)s->n_steps;
}

static void put_counts(struct answer *a, const struct model *m, const struct tfprof_summary *s)
{
	answer_put_int(a, "n_nodes", (int64_t)s->n_nodes);
	answer_put_int(a, "n_steps", count_steps(m, s));
	answer_put_int(a, "n_devices", (int64_t)s->n_devices);
	if (s->has_run_meta)
		answer_put_double(a, "coverage", s->coverage);
	else
		answer_put_null(a, "coverage");
}

/* Of op view, the cheapest to build. A trace may have times and no memory. */
static enum tfprof_status put_totals(struct answer *a, const struct asked *asked,
	const struct tfprof_summary *s, struct tfprof_error *err)
{
	static const struct {
		const char *key;
		enum metric metric;
	} totals[] = {
		{"exec_micros", METRIC_MICROS},
		{"accelerator_exec_micros", METRIC_ACCELERATOR_MICROS},
		{"cpu_exec_micros", METRIC_CPU_MICROS},
		{"requested_bytes", METRIC_BYTES},
		{"float_ops", METRIC_FLOAT_OPS},
	};
	enum { N = sizeof(totals) / sizeof(*totals) };
	struct query q;
	unsigned metrics = 0;
	enum tfprof_status status;

	for (size_t i = 0; i < N; i++)
		metrics |= 1u << totals[i].metric;
	status = run_view(&q, asked, TFPROF_OP, metrics, ".*", err);
	for (size_t i = 0; status == TFPROF_OK && i < N; i++) {
		int64_t value = q.n ? query_total(&q, totals[i].metric, 0) : 0;
		bool is_memory = totals[i].metric == METRIC_BYTES;

		put_known(a, totals[i].key,
			totals[i].metric == METRIC_FLOAT_OPS
				? s->has_float_ops
				: s->has_run_meta && (value || !is_memory),
			value);
	}
	query_clear(&q);
	if (asked->model->uncounted)
		answer_put_text(a, "uncounted", span_of(asked->model->uncounted));
	else
		answer_put_null(a, "uncounted");
	if (asked->model->assumes_batch)
		answer_put_int(a, "assumed_batch", 1);
	else
		answer_put_null(a, "assumed_batch");
	return status;
}

/* The most that one allocator had in use at a time. The peaks of nodes, whose sum op view has, are
 * of different times. */
static bool put_peak(struct answer *a, const struct model *m)
{
	struct memory_curves curves = {0};
	bool ok = memory_curves_read(&curves, m, -1);
	int64_t peak = 0;

	for (size_t i = 0; ok && i < curves.at.n; i++)
		if (curves.at.at[i].peak_bytes > peak)
			peak = curves.at.at[i].peak_bytes;
	put_known(a, "peak_bytes", peak > 0, peak);
	memory_curves_clear(&curves);
	return ok;
}

/* By the rule of reports, whatever has a shape has parameters, a placeholder, too. */
static enum tfprof_status put_parameters(struct answer *a, const struct asked *asked,
	bool *has_trainable, struct tfprof_error *err)
{
	/* A variable in a checkpoint has two of these types: op view counts it for both. */
	enum tfprof_view view = asked->model->checkpoint ? TFPROF_SCOPE : TFPROF_OP;
	struct query q;
	enum tfprof_status status = run_view(&q, asked, view, 1u << METRIC_PARAMS,
		"Variable.*,VarHandleOp,_checkpoint_variables", err);
	int64_t trainable;

	if (status == TFPROF_OK) {
		int64_t n = q.n ? query_total(&q, METRIC_PARAMS, 0) : 0;

		/* A trace alone has no variables. */
		put_known(a, "parameters", n || !asked->model->recorded, n);
	}
	query_clear(&q);
	if (status != TFPROF_OK)
		return status;
	status = run_view(&q, asked, TFPROF_OP, 1u << METRIC_PARAMS, "_trainable_variables", err);
	if (status == TFPROF_OK) {
		trainable = q.n > 1 ? query_total(&q, METRIC_PARAMS, 0) : 0;
		put_known(a, "trainable_parameters", q.n > 1, trainable);
		*has_trainable = trainable > 0;
	}
	query_clear(&q);
	return status;
}

/* ---- rows ------------------------------------------------------------------------ */

static void put_inputs(struct answer *a, const struct asked *asked)
{
	size_t parent = column_table_add_row(&a->table, 0, SPAN("inputs"));
	struct asked_input in;

	for (size_t i = 0; asked->get_input(asked->profile, i, &in); i++) {
		size_t row = column_table_add_row(&a->table, parent, span_of(in.name));

		table_set_text(&a->table, row, OVERVIEW_KIND, span_of(in.kind));
		table_set_text(&a->table, row, OVERVIEW_TEXT, span_of(in.phrase));
		table_set_int(&a->table, row, OVERVIEW_BYTES, (int64_t)in.n_bytes);
	}
}

/* Steps of the answer of the question step. */
static void put_steps(struct answer *a, const struct answer *step)
{
	const struct tfprof_column *name = column_table_find(&step->table, "name");
	const struct tfprof_column *number = column_table_find(&step->table, "step");
	const struct tfprof_column *wall = column_table_find(&step->table, "wall_micros");
	size_t parent = column_table_add_row(&a->table, 0, SPAN("steps"));

	for (size_t i = 0; i < step->table.n_rows; i++) {
		size_t row;

		if (table_is_null(number, i))
			continue;
		row = column_table_add_row(&a->table, parent, table_text(name, i));
		table_set_int(&a->table, row, OVERVIEW_STEP, number->numbers[i]);
		table_set_double(&a->table, row, OVERVIEW_WALL, wall->doubles[i]);
	}
}

static void put_missing(struct answer *a, const struct model *m)
{
	size_t parent = column_table_add_row(&a->table, 0, SPAN("missing"));

	/* A graph without shapes is a graph; asking for shapes reports it. */
	for (int gap = 0; gap < N_GAPS; gap++)
		if (gap != GAP_SHAPES && gap_is_open(m, (enum gap)gap)) {
			const char *what = gap_get((enum gap)gap)->what;
			const char *remedy = gap_get_remedy(m, (enum gap)gap);
			size_t row = column_table_add_row(&a->table, parent, span_of(what));

			table_set_text(&a->table, row, OVERVIEW_TEXT, span_of(remedy));
		}
}

enum need {
	NEED_RUNS = 1,
	NEED_STACKS = 2,
	NEED_FLOAT_OPS = 4,
	NEED_TRAINABLE = 8,
	NEED_STEPS = 16
};

/* The best first, as far as the profile has what they show. */
static const struct {
	const char *command, *purpose;
	unsigned needs;
} suggestions[] = {
	{"step", "how long a step takes, and where the time goes", NEED_STEPS},
	{"op --select=micros,bytes,occurrence --order_by=work",
		"the most expensive kinds of operations", NEED_RUNS},
	{"code --select=micros --order_by=work --max_depth=6", "the most expensive lines of Python",
		NEED_RUNS | NEED_STACKS},
	{"advise", "problems, and what to do about them", NEED_RUNS},
	{"scope --select=micros --order_by=work --max_depth=3",
		"the most expensive parts of the model", NEED_RUNS},
	{"scope --select=params --account_type_regexes=_trainable_variables --order_by=params "
	 "--max_depth=3",
		"where the trainable parameters are", NEED_TRAINABLE},
	{"op --select=float_ops,occurrence --order_by=float_ops",
		"which kinds of operations compute most", NEED_FLOAT_OPS},
	{"scope --select=params --order_by=params --max_depth=3", "where the parameters are", 0},
	{"op --select=occurrence,params --order_by=occurrence", "what the model is made of", 0},
	{"scope --select=op_types --max_depth=3", "what the parts of the model are", 0},
};

static void put_suggestions(struct answer *a, unsigned has)
{
	enum { MOST = 4 };
	size_t parent = column_table_add_row(&a->table, 0, SPAN("try"));
	size_t n = has & NEED_STEPS ? 0 : 1;

	for (size_t i = 0; n < MOST && i < sizeof(suggestions) / sizeof(*suggestions); i++) {
		size_t row;

		if (suggestions[i].needs & ~has)
			continue;
		row = column_table_add_row(&a->table, parent, span_of(suggestions[i].command));
		table_set_text(&a->table, row, OVERVIEW_TEXT, span_of(suggestions[i].purpose));
		n++;
	}
}

/* ---- the step -------------------------------------------------------------------- */

/* Of accelerators the first sentence is about them. */
static void put_accelerators(struct answer *a, const struct model *m)
{
	struct buf text = {0};

	accelerators_put_headline(m, &text);
	a->failed |= text.failed;
	answer_put_text(a, "headline", buf_get(&text));
	buf_clear(&text);
}

/* What step says; where it does not apply, nothing. A trace that it cannot
 * read is no reason to say nothing of the rest. */
static enum tfprof_status ask_step(struct answer *a, struct answer *step, const struct asked *q,
	struct tfprof_error *err)
{
	static const char *const keys[] = {"headline", "steps_by", "wall_micros", "gap_micros",
		"steady", "left_out"};
	struct tfprof_error why = {0};
	enum tfprof_status status = question_run(&step_question, step, q, &why);

	if (status == TFPROF_NO_MEMORY || status == TFPROF_CANCELLED) {
		if (err)
			*err = why;
		return status;
	}
	if (status != TFPROF_OK && status != TFPROF_UNSUPPORTED)
		answer_note(a, "no_step", "%s", why.text);
	if (q->model->accelerators.n)
		put_accelerators(a, q->model);
	for (size_t i = q->model->accelerators.n > 0;
		status != TFPROF_OK && i < sizeof(keys) / sizeof(*keys); i++)
		answer_put_null(a, keys[i]);
	for (size_t i = 0; status == TFPROF_OK && i < step->fields.n; i++)
		if (!q->model->accelerators.n || strcmp(step->fields.at[i].key, "headline") != 0)
			answer_copy_field(a, &step->fields.at[i]);
	if (status == TFPROF_OK)
		put_steps(a, step);
	return TFPROF_OK;
}

static enum tfprof_status run(struct answer *a, const struct asked *q, struct tfprof_error *err)
{
	struct answer step = {0};
	struct tfprof_summary s;
	enum tfprof_status status;
	bool has_trainable = false;

	if (!column_table_init_tree(&a->table, infos, N_OVERVIEW_COLUMNS))
		return error_no_memory(err);
	column_table_add_row(&a->table, TABLE_NO_PARENT, SPAN("overview"));
	put_inputs(a, q);
	status = ask_step(a, &step, q, err);
	table_summarize(q->model, &s);
	put_counts(a, q->model, &s);
	if (status == TFPROF_OK)
		status = put_totals(a, q, &s, err);
	if (status == TFPROF_OK && !put_peak(a, q->model))
		status = error_no_memory(err);
	if (status == TFPROF_OK)
		status = put_parameters(a, q, &has_trainable, err);
	put_missing(a, q->model);
	put_suggestions(a,
		(s.has_run_meta ? NEED_RUNS : 0) | (s.has_code_traces ? NEED_STACKS : 0) |
			(s.has_float_ops ? NEED_FLOAT_OPS : 0) |
			(has_trainable ? NEED_TRAINABLE : 0) |
			(step.table.n_rows > 1 ? NEED_STEPS : 0));
	answer_clear(&step);
	return status;
}

const struct question overview_question = {
	.name = "overview",
	.summary = "a profile at a glance",
	.description =
		"Prints how long a step takes and what that goes to, what was loaded, totals, what "
		"is missing, and commands worth trying. It is what files alone print.",
	.example = "",
	.state = QUESTION_LOADED,
	.not_saved = "times of whole steps",
	.run = run,
};
