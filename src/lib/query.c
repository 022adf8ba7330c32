/* Queries through the public API: checks the step, runs the query on the right
 * view, writes the output the options name. */
#include "lib/output.h"
#include "lib/profile.h"
#include "lib/result.h"
#include "write/message.h"
#include "write/table.h"
#include "query/query.h"

int tfprof_view_from_name(const char *name)
{
	static const char *const names[] = {"scope", "graph", "op", "code"};

	for (int i = 0; i < 4; i++)
		if (strcmp(names[i], name) == 0)
			return i;
	return -1;
}

/* ---- running --------------------------------------------------------------- */

static enum tfprof_status check_step(const struct model *m, int64_t step, struct tfprof_error *err)
{
	struct buf steps = {0};
	enum tfprof_status status;

	if (step < 0 || model_find_step(m, step) != NONE)
		return TFPROF_OK;
	for (size_t i = 0; i < m->steps.n && steps.n < 300; i++) {
		buf_int(&steps, m->steps.at[i]);
		buf_char(&steps, ' ');
	}
	status = error_set(err, TFPROF_STEP, "Options -step=%lld not found. Available steps: %s",
		(long long)step, steps.at ? steps.at : "");
	buf_clear(&steps);
	return status;
}

/* What is asked for and not there: zeros alone do not tell. */
static void note_missing(const struct query *q, struct buf *notes)
{
	enum { BY_RUNS = ALL_METRICS & ~(1 << METRIC_PARAMS | 1 << METRIC_FLOAT_OPS) };

	if (!q->options->tolerant && !q->model->execs.n_rows &&
		query_metrics(q->model, q->options) & BY_RUNS)
		buf_text(notes, "the profile has no run metadata: times and memory are 0\n");
	if (q->kind != TFPROF_CODE && options_select(q->options, SEL_TENSOR_VALUE) &&
		!q->model->checkpoint)
		buf_text(notes, "tensor_value needs a checkpoint: there is none\n");
}

/* What the query has to say besides its report. */
static void note(const struct query *q, struct buf *notes)
{
	const struct tfprof_options *o = q->options;
	const struct word_list *words = &o->list[OPT_SELECT];

	if (o->took_dump_to_file) {
		buf_text(notes,
			"-dump_to_file option is deprecated. Please use -output "
			"file:outfile=<filename>\n-output is overwritten with -output "
			"file:outfile=");
		buf_span(notes, o->output.outfile);
		buf_char(notes, '\n');
	}
	for (size_t i = 0; i < words->n; i++)
		if (!options_select_is_known(words->at[i])) {
			buf_text(notes, "Unknown select: ");
			buf_span(notes, words->at[i]);
			buf_char(notes, '\n');
		}
	if (q->kind == TFPROF_CODE) {
		if (q->tree->n_lost_gradients)
			buf_printf(notes, "%zu gradient nodes not accounted\n",
				q->tree->n_lost_gradients);
		if (o->number[OPT_ACCOUNT_DISPLAYED_OP_ONLY])
			buf_text(notes, "Note: code view ignores account_displayed_op_only\n");
		if (options_select(o, SEL_TENSOR_VALUE))
			buf_text(notes, "code view has no tensor value to show\n");
	}
	note_missing(q, notes);
	if (q->saturated)
		buf_text(notes,
			"a parameter count does not fit 64 bits and is shown as the largest "
			"number that does\n");
}

/* What a writer ran into, a damaged tensor for one. */
static enum tfprof_status take_failure(const struct query *q, struct tfprof_error *err)
{
	if (err && q->failed)
		*err = q->error;
	return q->failed;
}

static enum tfprof_status find_view(tfprof_profile *p, struct query *q, struct tfprof_error *err)
{
	switch (q->kind) {
	case TFPROF_SCOPE: return profile_tree(p, SLOT_SCOPE, &q->tree, err);
	case TFPROF_GRAPH: return profile_tree(p, SLOT_GRAPH, &q->tree, err);
	case TFPROF_OP: return profile_groups(p, &q->groups, err);
	case TFPROF_CODE:
		if (!p->model.has_trace)
			return error_set(err, TFPROF_UNSUPPORTED, "No code trace information");
		return profile_tree(p,
			q->options->number[OPT_SOURCE_LINES] ? SLOT_CODE_SOURCE : SLOT_CODE,
			&q->tree, err);
	}
	return error_set(err, TFPROF_ARGUMENT, "unknown view");
}

/* What belongs to the answer besides its output. */
static enum tfprof_status give(struct query *q, unsigned flags, tfprof_result *r,
	struct tfprof_error *err)
{
	enum tfprof_status status = TFPROF_OK;

	if (flags & TFPROF_WANT_MESSAGE) {
		message_write(q, &r->message);
		status = take_failure(q, err);
	}
	if (status == TFPROF_OK && flags & TFPROF_WANT_TABLE) {
		r->rows = table_make(q, &r->arena);
		r->n_rows = r->rows ? q->n : 0;
		if (!r->rows)
			status = error_no_memory(err);
	}
	return status;
}

/* An output that the view or the options do not allow: an error, or, where the
 * original only says so, a note and the root. */
static enum tfprof_status refuse(struct buf *why, bool strict, tfprof_result *r,
	struct tfprof_error *err)
{
	if (strict)
		return error_set(err, TFPROF_ARGUMENT, "%.*s", ERROR_SPAN(buf_get(why)));
	buf_span(&r->notes, buf_get(why));
	buf_char(&r->notes, '\n');
	message_write_root(&r->message);
	return TFPROF_OK;
}

/* One output for each step, and nothing else. */
static enum tfprof_status run_steps(const struct query *q, bool strict, tfprof_result *r,
	struct tfprof_error *err)
{
	const struct model *m = q->model;
	enum tfprof_status status = TFPROF_OK;

	if (!m->steps.n && strict)
		return error_set(err, TFPROF_UNSUPPORTED,
			"a timeline of graph view shows steps: the profile has none");
	if (m->steps.n > 1 && span_equal(q->options->output.outfile, SPAN("-")))
		return error_set(err, TFPROF_ARGUMENT,
			"-output: one timeline for each of %zu steps cannot go to standard output: "
			"choose one by -step",
			m->steps.n);
	for (size_t i = 0; status == TFPROF_OK && i < m->steps.n; i++) {
		struct tfprof_options options = *q->options;
		struct query one = *q;

		one.arena = (struct arena){0};
		options.number[OPT_STEP] = m->steps.at[i];
		one.options = &options;
		if (m->steps.at[i] < 0) {
			buf_text(&r->notes,
				"Must specify -step option to generate timeline "
				"in graph view.\n");
			continue;
		}
		status = query_run(&one, err);
		if (status == TFPROF_OK)
			status = output_write(&one, r, false, err);
		query_clear(&one);
	}
	return status;
}

static enum tfprof_status run(tfprof_profile *p, struct query *q, unsigned flags, tfprof_result *r,
	struct tfprof_error *err)
{
	enum tfprof_status status = check_step(q->model, q->options->number[OPT_STEP], err);
	struct span outfile = q->options->output.outfile;
	bool strict = flags & TFPROF_STRICT || !q->options->tolerant;
	struct buf why = {0};

	if (status == TFPROF_OK && outfile.n)
		status = profile_check_outfile(p, outfile.at, err);
	if (status == TFPROF_OK)
		status = find_view(p, q, err);
	if (status == TFPROF_OK && flags & TFPROF_WANT_MESSAGE &&
		(q->kind == TFPROF_OP || q->kind == TFPROF_CODE))
		status = profile_by_name(p, &q->by_name, err);
	if (status != TFPROF_OK)
		return status;
	output_refuse(q, &why);
	if (why.failed) {
		status = error_no_memory(err);
	} else if (why.n) {
		status = refuse(&why, strict, r, err);
	} else if (output_is_by_step(q)) {
		note(q, &r->notes);
		status = run_steps(q, strict, r, err);
	} else {
		status = query_run(q, err);
		note(q, &r->notes);
		if (status == TFPROF_OK)
			status = output_write(q, r, flags & TFPROF_WANT_FRAME, err);
		if (status == TFPROF_OK)
			status = give(q, flags, r, err);
	}
	buf_clear(&why);
	if (status == TFPROF_OK && (r->text.failed || r->notes.failed || r->message.failed))
		status = error_no_memory(err);
	return status;
}

/* Reports in text form can do without edges, and most without shapes. */
static enum profile_state state_for(const tfprof_options *o, unsigned flags)
{
	bool is_text = o->output.type == OUT_STDOUT || o->output.type == OUT_FILE ||
		o->output.type == OUT_NONE;

	return is_text && !options_select(o, SEL_INPUT_SHAPES) &&
			!(flags & (TFPROF_WANT_MESSAGE | TFPROF_WANT_TABLE))
		? PROFILE_LOADED
		: PROFILE_COMPLETE;
}

enum tfprof_status tfprof_query_run(tfprof_profile *p, enum tfprof_view view,
	const tfprof_options *options, unsigned flags, const volatile int *cancel,
	tfprof_result **result, struct tfprof_error *err)
{
	struct query q = {.model = &p->model, .kind = view, .options = options, .cancel = cancel};
	tfprof_result *r = mem_zero(sizeof(*r));
	enum tfprof_status status;

	*result = NULL;
	if (!r)
		return error_no_memory(err);
	status = profile_lock(p, state_for(options, flags), err);
	if (status != TFPROF_OK) {
		tfprof_result_free(r);
		return status;
	}
	q.metrics = flags & (TFPROF_WANT_MESSAGE | TFPROF_WANT_TABLE)
		? ALL_METRICS
		: query_metrics(&p->model, options) | output_metrics(options);
	q.arena = profile_lend_arena(p);
	status = run(p, &q, flags, r, err);
	profile_return_arena(p, &q.arena);
	query_clear(&q);
	status = profile_unlock(p, status, err);
	if (status != TFPROF_OK) {
		tfprof_result_free(r);
		return status;
	}
	*result = r;
	return TFPROF_OK;
}
