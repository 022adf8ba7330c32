/* What changed between two sides: each is one or several runs, or a model. */
#include "ask/diff_read.h"
#include "ask/diff_report.h"
#include "ask/gaps.h"
#include "ask/model_report.h"
#include "base/spelling.h"
#include "count/layer_names.h"

static void free_detail(void *detail)
{
	struct diff_report *report = detail;

	diff_clear(&report->diff);
	vec_clear(&report->budgets);
	limits_clear(&report->limits);
	for (size_t i = 0; i < report->base.n; i++)
		mem_free(report->base.at[i]);
	for (size_t i = 0; i < report->new_names.n; i++)
		mem_free(report->new_names.at[i]);
	vec_clear(&report->base);
	vec_clear(&report->new_names);
	mem_free(report->columns);
	mem_free(report);
}

/* ---- what is compared ------------------------------------------------------------ */

static const enum option_id minimum_options[N_METRICS] = {
#define X(id, ...) OPT_MIN_##id,
	METRICS(X)
#undef X
};

static bool is_budgeted(const struct diff_options *o, const char *word)
{
	for (size_t i = 0; i < o->budgets.n; i++) {
		const char *metric = diff_limit_metric(&o->budgets.at[i]);

		if (metric && strcmp(metric, word) == 0)
			return true;
	}
	return false;
}

static bool has_times(const struct asked *q)
{
	for (int k = 0; k < 2; k++)
		for (size_t i = 0; i < q->sides[k]->n; i++)
			if (q->get_steps(q->sides[k]->profiles[i], NULL, 0))
				return true;
	return false;
}

/* Those selected, and those that have a budget. What has no times is compared by its
 * parameters and operations. */
static void choose_metrics(struct diff_reading *reading, struct diff *d,
	const struct tfprof_options *o, const struct diff_options *diff_options, bool timed)
{
	bool is_given = options_is_given(o, OPT_SELECT);

	for (enum metric m = 0; m < N_METRICS; m++) {
		bool is_usual = timed ? m == METRIC_MICROS : 1u << m & MODEL_METRICS_MASK;

		if (!(is_given ? options_select(o, (enum select_id)m) : is_usual) &&
			!is_budgeted(diff_options, metric_infos[m].word))
			continue;
		d->metrics[reading->n_metrics] = (struct diff_metric){metric_infos[m].word,
			metric_infos[m].unit, o->number[minimum_options[m]]};
		reading->metrics[reading->n_metrics++] = m;
	}
	d->n_metrics = reading->n_metrics;
}

/* A row is compared by one number: its total or, in op view, its own. */
static enum tfprof_status check_minimums(const tfprof_options *o, struct tfprof_error *err)
{
	static const struct {
		enum option_id id;
		const char *name, *instead;
	} refused[] = {
#define X(id, word, ...) {OPT_MIN_OWN_##id, "min_own_" word, "min_" word},
		METRICS(X)
#undef X
#define X(id, word, ...) {OPT_MIN_TOTAL_##id, "min_total_" word, "min_" word},
			OWN_MINIMUM_METRICS(X)
#undef X
	};

	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++)
		if (options_is_given(o, refused[i].id))
			return error_set(err, TFPROF_ARGUMENT,
				"%s: a comparison has one number per row: use %s",
				OPTION(refused[i].name), OPTION(refused[i].instead));
	return TFPROF_OK;
}

/* The queries show all rows, in one order. */
static enum tfprof_status make_query_options(struct diff_reading *reading,
	const tfprof_options *options, struct tfprof_error *err)
{
	struct tfprof_options *o = reading->options = tfprof_options_copy(options);
	struct buf select = {0};
	enum tfprof_status status;

	if (!o)
		return error_no_memory(err);
	for (enum metric m = 0; m < N_METRICS; m++)
		o->number[minimum_options[m]] = 0;
	o->given[OPT_MAX_DEPTH] = false;
	for (size_t k = 0; k < reading->n_metrics; k++)
		buf_printf(&select, "%s%s", k ? "," : "", metric_infos[reading->metrics[k]].word);
	status = select.failed ? error_no_memory(err)
			       : tfprof_options_set(o, "select", buf_get(&select).at, err);
	buf_clear(&select);
	if (status == TFPROF_OK)
		status = tfprof_options_set(o, "order_by", "name", err);
	return status == TFPROF_OK ? tfprof_options_set(o, "output", "none", err) : status;
}

/* ---- running -------------------------------------------------------------------- */

static bool push_name(struct diff_report *report, bool is_base, const char *name)
{
	char *copy = span_copy(span_of(name));

	if (!copy)
		return false;
	if (is_base ? vec_push(&report->base, copy) : vec_push(&report->new_names, copy))
		return true;
	mem_free(copy);
	return false;
}

static struct diff_report *report_of(const struct answer *a)
{
	return a->detail;
}

/* Its zeros would look like a gain. */
static void note_missing_times(struct answer *a, const struct diff_reading *reading,
	const struct asked_side *side, size_t i)
{
	const char *name = side->names && side->names[i] ? side->names[i] : "";

	if (!diff_needs_steps(reading) || reading->asked->get_steps(side->profiles[i], NULL, 0))
		return;
	answer_note(a, gap_get(GAP_RUNS)->id, "%s%sno %s in this profile: they are compared as 0",
		name, *name ? ": " : "", gap_get(GAP_RUNS)->what);
}

static enum tfprof_status read_side(struct answer *a, bool is_base, struct diff_reading *reading,
	int64_t step, struct tfprof_error *err)
{
	struct diff_report *report = report_of(a);
	struct side *side = is_base ? &report->diff.base : &report->diff.new_side;
	const struct asked_side *from = reading->asked->sides[is_base ? 0 : 1];
	enum tfprof_status status = TFPROF_OK;

	side_init(side, reading->n_metrics, reading->view == TFPROF_CODE);
	if (!from->n)
		return error_set(err, TFPROF_ARGUMENT, "nothing to compare: a side has no profile");
	for (size_t i = 0; status == TFPROF_OK && i < from->n; i++) {
		const char *name = from->names ? from->names[i] : NULL;

		status = push_name(report, is_base, name ? name : "")
			? diff_read_run(side, reading, from->profiles[i], step, err)
			: error_no_memory(err);
		if (status != TFPROF_OK && name)
			error_prefix(err, status, name);
		note_missing_times(a, reading, from, i);
	}
	return status;
}

static void set_settings(struct diff *d, const struct tfprof_options *options,
	const struct diff_options *o, bool has_scopes)
{
	d->settings = (struct diff_settings){.min_change = o->min_change,
		.min_delta_micros = options->number[OPT_MIN_DELTA_MICROS],
		.order = (enum diff_order)options->number[OPT_DIFF_ORDER_BY],
		.match = {&o->rules, has_scopes && !options->number[OPT_NO_GUESS]}};
}

static enum tfprof_verdict worst_of(const struct diff_report *report)
{
	enum tfprof_verdict worst = TFPROF_VERDICT_OK;

	for (size_t i = 0; i < report->budgets.n; i++) {
		if (report->budgets.at[i].state == BUDGET_OVER)
			return TFPROF_VERDICT_OVER;
		if (report->budgets.at[i].state == BUDGET_UNKNOWN)
			worst = TFPROF_VERDICT_UNKNOWN;
	}
	return worst;
}

static enum tfprof_status compare(struct answer *a, const struct diff_options *o,
	struct tfprof_error *err)
{
	struct diff_report *report = report_of(a);
	struct limit_rules rules = {"fail_if", diff_limit_words(), true};
	enum tfprof_status status = diff_run(&report->diff, err);
	struct buf text = {0};

	if (status == TFPROF_OK && !diff_name_columns(report))
		status = error_no_memory(err);
	for (size_t i = 0; status == TFPROF_OK && i < o->budgets.n; i++)
		status = limits_read(&report->limits, &rules, span_of(o->budgets.at[i].text), err);
	if (status == TFPROF_OK)
		status = budgets_check(&report->budgets, &report->diff, &report->limits, err);
	for (size_t i = 0; status == TFPROF_OK && i < report->budgets.n; i++) {
		diff_put_budget(report, &report->budgets.at[i], &text);
		answer_note_lines(a, "budget", &text);
	}
	a->n_rows = report->diff.n;
	a->verdict = worst_of(report);
	return status;
}

static enum tfprof_status compare_runs(struct answer *a, const struct asked *q,
	const struct diff_options *o, struct tfprof_error *err)
{
	struct diff_reading reading = {.view = q->view, .asked = q};
	struct diff_report *report = report_of(a);
	struct diff *d = &report->diff;
	int64_t step = q->options->number[OPT_STEP], base = q->options->number[OPT_BASE_STEP];
	enum tfprof_status status;

	report->is_list = q->view == TFPROF_OP;
	set_settings(d, q->options, o, q->view == TFPROF_SCOPE);
	choose_metrics(&reading, d, q->options, o, has_times(q));
	if (!d->n_metrics)
		return error_set(err, TFPROF_ARGUMENT,
			"nothing to compare: select a number, such as micros or params");
	status = check_minimums(q->options, err);
	if (status == TFPROF_OK)
		status = make_query_options(&reading, q->options, err);
	if (status == TFPROF_OK)
		status = read_side(a, true, &reading, base >= 0 ? base : step, err);
	if (status == TFPROF_OK)
		status = read_side(a, false, &reading, step, err);
	tfprof_options_free(reading.options);
	if (status == TFPROF_OK)
		status = compare(a, o, err);
	if (status == TFPROF_OK && d->headline.n)
		answer_put_text(a, "headline", buf_get(&d->headline));
	return status;
}

/* ---- models --------------------------------------------------------------------- */

static const struct diff_metric model_metrics[] = {
#define X(word, value) {#word, UNIT_COUNT, 0},
	MODEL_NUMBERS(X)
#undef X
};

enum { N_MODEL_METRICS = sizeof(model_metrics) / sizeof(*model_metrics) };

static void add_layer(struct side *side, uint32_t row, const struct layer *l)
{
	size_t k = 0;

#define X(word, value) side_add_value(side, row, k++, value);
	MODEL_NUMBERS(X)
#undef X
}

static void read_layers(struct side *side, const struct summary *s)
{
	bool is_new;
	uint32_t root;

	side_begin_table(side, s->layers.n + 1);
	root = side_add(side, NONE, SPAN(ROOT_NAME), &is_new);
	add_layer(side, root, &s->total);
	for (size_t i = 0; i < s->layers.n && !side->failed; i++) {
		const struct layer *l = &s->layers.at[i];
		uint32_t row = side_add(side, root, l->name, &is_new);

		if (row != NONE) {
			side->rows.at[row].batch = l->out.rank > 1 ? l->out.dims[0] : -1;
			side->rows.at[row].kind = layer_name_get_kind(l->name, l->type);
		}
		add_layer(side, row, l);
	}
	side_end_run(side);
}

/* What was dropped or assumed when a model was read, each line with its file. */
static void note_model(struct answer *a, const struct model_file *file, const char *path)
{
	struct span rest = buf_get(&file->notes);
	struct buf text = {0};

	while (rest.n) {
		size_t n = span_find(rest, SPAN("\n"));
		bool is_last = n >= rest.n;

		if (!span_starts(rest, span_of(path)))
			buf_printf(&text, "%s: ", path);
		buf_span(&text, (struct span){rest.at, is_last ? rest.n : n});
		answer_note_lines(a, "model_file", &text);
		rest = span_from(rest, is_last ? rest.n : n + 1);
	}
}

static enum tfprof_status read_model(struct answer *a, bool is_base, const struct asked *q,
	struct tfprof_error *err)
{
	struct diff_report *report = report_of(a);
	struct side *side = is_base ? &report->diff.base : &report->diff.new_side;
	const struct tfprof_input *in = q->sides[is_base ? 0 : 1]->model;
	struct model_report *counted;
	enum tfprof_status status;

	side_init(side, N_MODEL_METRICS, true);
	if (!push_name(report, is_base, in->path ? in->path : ""))
		return error_no_memory(err);
	status = model_count(&counted, in, q, false, err);
	if (status == TFPROF_OK) {
		read_layers(side, &counted->summary);
		note_model(a, &counted->file, in->path ? in->path : "model");
	}
	model_report_free(counted);
	return status;
}

static enum tfprof_status compare_models(struct answer *a, const struct asked *q,
	const struct diff_options *o, struct tfprof_error *err)
{
	struct diff_report *report = report_of(a);
	enum tfprof_status status;

	report->is_list = report->is_of_models = true;
	memcpy(report->diff.metrics, model_metrics, sizeof(model_metrics));
	report->diff.n_metrics = N_MODEL_METRICS;
	set_settings(&report->diff, q->options, o, false);
	status = read_model(a, true, q, err);
	if (status == TFPROF_OK)
		status = read_model(a, false, q, err);
	return status == TFPROF_OK ? compare(a, o, err) : status;
}

/* ---- asking --------------------------------------------------------------------- */

static enum tfprof_status run(struct answer *a, const struct asked *q, struct tfprof_error *err)
{
	struct diff_report *report = a->detail = mem_zero(sizeof(*report));
	struct diff_options o = {0};
	enum tfprof_status status =
		report ? diff_options_read(&o, q->options, err) : error_no_memory(err);

	if (status == TFPROF_OK) {
		bool is_of_models = q->sides[0]->model;

		report->view = is_of_models ? "model" : tfprof_view_get_name(q->view);
		report->max_depth = (uint32_t)q->options->number[OPT_MAX_DEPTH];
		status = is_of_models ? compare_models(a, q, &o, err) : compare_runs(a, q, &o, err);
	}
	diff_options_clear(&o);
	return status;
}

static enum tfprof_status make_table(struct answer *a, struct tfprof_error *err)
{
	return diff_make_table(a->detail, &a->table, err);
}

const struct question diff_question = {
	.name = "diff",
	.own_formats = 1u << FORMAT_PPROF,
	.takes = TAKES_SIDES,
	.summary = "what changed between two profiles or models",
	.description =
		"Compares a view (op by default) of two sides, each one or several runs: "
		"profiles, traces, or parts of one profile (a graph, run metadata, an op log), or "
		"one model file with another. Prints base, new, difference and a "
		"verdict: ~ cannot be told from noise, ? needs more runs. With --fail_if, the "
		"exit status is 0 within all limits, 3 over one, and 4 with too few runs to tell.",
	.options_title = "Options for diff, besides those of the view and fail_if",
	.example = "scope --min_change=10%",
	.usage = "[VIEW] BASE... -- NEW... [OPTION...]",
	.run = run,
	.make_table = make_table,
	.free_detail = free_detail,
};
