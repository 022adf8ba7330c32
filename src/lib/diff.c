/* Comparisons through the public API. */
#include "lib/diff_read.h"
#include "ask/gaps.h"
#include "write/answer.h"

void diff_report_free(struct diff_report *report)
{
	if (!report)
		return;
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

/* ---- results -------------------------------------------------------------------- */

static enum tfprof_status write_table(tfprof_result *r, enum format format, struct sink *out,
	struct tfprof_error *err)
{
	struct answer_form form = {.question = "diff", .answer = &r->answer, .options = r->options};
	enum tfprof_status status = diff_need_table(r, err);

	return status == TFPROF_OK ? answer_write_table(&form, format, out, err) : status;
}

enum tfprof_status diff_write(tfprof_result *r, enum format format, struct sink *out,
	struct tfprof_error *err)
{
	switch (format) {
	case FORMAT_FILE:
	case FORMAT_STDOUT: diff_write_text(r->diff, out); return TFPROF_OK;
	case FORMAT_JSON: diff_write_json(r->diff, out); return TFPROF_OK;
	case FORMAT_MARKDOWN: diff_write_markdown(r->diff, out); return TFPROF_OK;
	case FORMAT_PPROF: return diff_write_pprof(r->diff, out, err);
	case FORMAT_NONE: return TFPROF_OK;
	default: return write_table(r, format, out, err);
	}
}

enum tfprof_status diff_need_table(tfprof_result *r, struct tfprof_error *err)
{
	return r->answer.table.columns ? TFPROF_OK
				       : diff_make_table(r->diff, &r->answer.table, err);
}

enum tfprof_budget tfprof_result_get_budget(const tfprof_result *r)
{
	enum tfprof_budget worst = TFPROF_BUDGET_WITHIN;

	for (size_t i = 0; r->diff && i < r->diff->budgets.n; i++) {
		enum budget_state state = r->diff->budgets.at[i].state;

		if (state == BUDGET_OVER)
			return TFPROF_BUDGET_OVER;
		if (state == BUDGET_UNKNOWN)
			worst = TFPROF_BUDGET_UNKNOWN;
	}
	return worst;
}

/* ---- what is compared ------------------------------------------------------------ */

static const enum option_id minimum_options[N_METRICS] = {
#define X(id, ...) OPT_MIN_##id,
	METRICS(X)
#undef X
};

static bool is_budgeted(const struct tfprof_diff_options *o, const char *word)
{
	for (size_t i = 0; i < o->budgets.n; i++) {
		const char *metric = diff_limit_metric(&o->budgets.at[i]);

		if (metric && strcmp(metric, word) == 0)
			return true;
	}
	return false;
}

static bool has_times(const struct tfprof_diff_side *side)
{
	for (size_t i = 0; i < side->n; i++)
		if (diff_count_steps(side->profiles[i]))
			return true;
	return false;
}

/* Those selected, and those that have a budget. What has no times is compared by its
 * parameters and operations. */
static void choose_metrics(struct diff_reading *reading, struct diff *d,
	const struct tfprof_options *o, const struct tfprof_diff_options *diff_options, bool timed)
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
				"-%s: a comparison has one number per row: use %s", refused[i].name,
				refused[i].instead);
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
	o->given &= ~(1ull << OPT_MAX_DEPTH);
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

static bool note_files(tfprof_result *r, tfprof_profile *profile)
{
	const file_ids *files = &profile->files;
	bool ok = true;

	pthread_rwlock_rdlock(&profile->lock);
	for (size_t k = 0; ok && k < files->n; k++)
		ok = vec_push(&r->profile->files, files->at[k]);
	pthread_rwlock_unlock(&profile->lock);
	return ok;
}

static bool note_run(tfprof_result *r, bool is_base, const struct tfprof_diff_side *side, size_t i)
{
	const char *name = side->names ? side->names[i] : NULL;

	return push_name(r->diff, is_base, name ? name : "") && note_files(r, side->profiles[i]);
}

/* Its zeros would look like a gain. */
static void note_missing_times(tfprof_result *r, const struct diff_reading *reading,
	const struct tfprof_diff_side *side, size_t i)
{
	if (!diff_needs_steps(reading) || diff_count_steps(side->profiles[i]))
		return;
	if (side->names && side->names[i])
		buf_printf(&r->notes, "%s: ", side->names[i]);
	buf_printf(&r->notes, "no %s in this profile: they are compared as 0\n",
		gap_get(GAP_RUNS)->what);
}

static enum tfprof_status read_side(tfprof_result *r, bool is_base,
	const struct tfprof_diff_side *from, struct diff_reading *reading, int64_t step,
	struct tfprof_error *err)
{
	struct side *side = is_base ? &r->diff->diff.base : &r->diff->diff.new_side;
	enum tfprof_status status = TFPROF_OK;

	side_init(side, reading->n_metrics, reading->view == TFPROF_CODE);
	if (!from->n)
		return error_set(err, TFPROF_ARGUMENT, "nothing to compare: a side has no profile");
	for (size_t i = 0; status == TFPROF_OK && i < from->n; i++) {
		status = note_run(r, is_base, from, i)
			? diff_read_run(side, reading, from->profiles[i], step, err)
			: error_no_memory(err);
		if (status != TFPROF_OK && from->names && from->names[i])
			error_prefix(err, status, from->names[i]);
		note_missing_times(r, reading, from, i);
	}
	return status;
}

static void set_settings(struct diff *d, const struct tfprof_diff_options *o, bool has_scopes)
{
	d->settings = (struct diff_settings){.min_change = o->min_change,
		.min_delta_micros = o->min_delta_micros,
		.order = o->order,
		.match = {&o->rules, has_scopes && !o->no_guess}};
}

static enum tfprof_status compare(tfprof_result *r, const struct tfprof_diff_options *o,
	struct tfprof_error *err)
{
	struct diff_report *report = r->diff;
	struct limit_rules rules = {"fail_if", diff_limit_words(), true};
	enum tfprof_status status = diff_run(&report->diff, err);

	if (status == TFPROF_OK && !diff_name_columns(report))
		status = error_no_memory(err);
	for (size_t i = 0; status == TFPROF_OK && i < o->budgets.n; i++)
		status = limits_read(&report->limits, &rules, span_of(o->budgets.at[i].text), err);
	if (status == TFPROF_OK)
		status = budgets_check(&report->budgets, &report->diff, &report->limits, err);
	for (size_t i = 0; status == TFPROF_OK && i < report->budgets.n; i++)
		diff_put_budget(report, &report->budgets.at[i], &r->notes);
	r->n_rows = report->diff.n;
	r->is_ready = true;
	return status == TFPROF_OK && r->notes.failed ? error_no_memory(err) : status;
}

/* A result of its own profile, which is empty. */
static tfprof_result *make_result(const tfprof_options *options, const char *view)
{
	tfprof_profile *p = tfprof_profile_new();
	tfprof_result *r = p ? result_new(p) : NULL;

	tfprof_profile_free(p);
	if (!r)
		return NULL;
	r->is_table = r->is_detached = true;
	r->options = tfprof_options_copy(options);
	r->diff = mem_zero(sizeof(*r->diff));
	if (!r->options || !r->diff) {
		tfprof_result_free(r);
		return NULL;
	}
	r->diff->view = view;
	r->diff->max_depth = (uint32_t)options->number[OPT_MAX_DEPTH];
	return r;
}

static enum tfprof_status run(tfprof_result *r, const struct tfprof_diff_side *base,
	const struct tfprof_diff_side *new_side, struct diff_reading *reading,
	const struct tfprof_diff_options *o, struct tfprof_error *err)
{
	struct diff *d = &r->diff->diff;
	int64_t step = r->options->number[OPT_STEP];
	enum tfprof_status status;

	r->diff->is_list = reading->view == TFPROF_OP;
	set_settings(d, o, reading->view == TFPROF_SCOPE);
	choose_metrics(reading, d, r->options, o, has_times(base) || has_times(new_side));
	if (!d->n_metrics)
		return error_set(err, TFPROF_ARGUMENT,
			"nothing to compare: select a number, such as micros or params");
	status = check_minimums(r->options, err);
	if (status == TFPROF_OK)
		status = make_query_options(reading, r->options, err);
	if (status == TFPROF_OK)
		status = read_side(r, true, base, reading, o->base_step >= 0 ? o->base_step : step,
			err);
	if (status == TFPROF_OK)
		status = read_side(r, false, new_side, reading, step, err);
	return status == TFPROF_OK ? compare(r, o, err) : status;
}

static enum tfprof_status finish(tfprof_result *r, enum tfprof_status status,
	tfprof_result **result)
{
	if (status == TFPROF_OK)
		*result = r;
	else
		tfprof_result_free(r);
	return status;
}

enum tfprof_status tfprof_diff_run(const struct tfprof_diff_side *base,
	const struct tfprof_diff_side *new_side, enum tfprof_view view,
	const tfprof_options *options, const tfprof_diff_options *diff_options,
	const volatile int *cancel, tfprof_result **result, struct tfprof_error *err)
{
	tfprof_diff_options *defaults = diff_options ? NULL : tfprof_diff_options_new();
	const tfprof_diff_options *o = diff_options ? diff_options : defaults;
	struct diff_reading reading = {.view = view, .cancel = cancel};
	tfprof_result *r = make_result(options, tfprof_view_get_name(view));
	enum tfprof_status status;

	*result = NULL;
	status = r && o ? run(r, base, new_side, &reading, o, err) : error_no_memory(err);
	tfprof_options_free(reading.options);
	tfprof_diff_options_free(defaults);
	return finish(r, status, result);
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

		if (row != NONE)
			side->rows.at[row].batch = l->out.rank > 1 ? l->out.dims[0] : -1;
		add_layer(side, row, l);
	}
	side_end_run(side);
}

/* What was dropped or assumed when a model was read, each line with its file. */
static void put_model_notes(struct buf *b, const struct model_file *file, const char *path)
{
	struct span rest = buf_get(&file->notes);

	while (rest.n) {
		size_t n = span_find(rest, SPAN("\n"));
		bool is_last = n >= rest.n;

		if (!span_starts(rest, span_of(path))) {
			buf_text(b, path);
			buf_text(b, ": ");
		}
		buf_span(b, (struct span){rest.at, is_last ? rest.n : n});
		buf_char(b, '\n');
		rest = span_from(rest, is_last ? rest.n : n + 1);
	}
}

static enum tfprof_status read_model(tfprof_result *r, bool is_base, const struct tfprof_input *in,
	const tfprof_model_options *options, struct tfprof_error *err)
{
	struct side *side = is_base ? &r->diff->diff.base : &r->diff->diff.new_side;
	tfprof_result *counted;
	enum tfprof_status status;

	side_init(side, N_MODEL_METRICS, true);
	if (!push_name(r->diff, is_base, in->path ? in->path : ""))
		return error_no_memory(err);
	status = tfprof_model_run(in, options, &counted, err);
	if (status != TFPROF_OK)
		return status;
	read_layers(side, &counted->model->summary);
	put_model_notes(&r->notes, &counted->model->file, in->path ? in->path : "model");
	if (!note_files(r, counted->profile))
		status = error_no_memory(err);
	tfprof_result_free(counted);
	return status;
}

enum tfprof_status tfprof_diff_run_models(const struct tfprof_input *base,
	const struct tfprof_input *new_model, const tfprof_model_options *model_options,
	const tfprof_options *options, const tfprof_diff_options *diff_options,
	tfprof_result **result, struct tfprof_error *err)
{
	tfprof_diff_options *defaults = diff_options ? NULL : tfprof_diff_options_new();
	const tfprof_diff_options *o = diff_options ? diff_options : defaults;
	tfprof_result *r = make_result(options, "model");
	enum tfprof_status status = r && o ? TFPROF_OK : error_no_memory(err);

	*result = NULL;
	if (status == TFPROF_OK) {
		r->diff->is_list = true;
		memcpy(r->diff->diff.metrics, model_metrics, sizeof(model_metrics));
		r->diff->diff.n_metrics = N_MODEL_METRICS;
		set_settings(&r->diff->diff, o, false);
		status = read_model(r, true, base, model_options, err);
	}
	if (status == TFPROF_OK)
		status = read_model(r, false, new_model, model_options, err);
	if (status == TFPROF_OK)
		status = compare(r, o, err);
	tfprof_diff_options_free(defaults);
	return finish(r, status, result);
}
