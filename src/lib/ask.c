/* Questions through the public API. */
#include "ask/model_report.h"
#include "ask/view.h"
#include "base/spelling.h"
#include "base/words.h"
#include "lib/output.h"
#include "lib/result.h"
#include "load/directory.h"
#include "load/model_file.h"
#include "load/recognize.h"

/* ---- the list ------------------------------------------------------------------- */

int tfprof_question_get_info(size_t i, struct tfprof_question_info *info)
{
	const struct question *q = question_get(i);

	if (!q)
		return false;
	*info = (struct tfprof_question_info){.name = q->name,
		.takes = (enum tfprof_takes)q->takes,
		.is_view = tfprof_view_from_name(q->name) >= 0,
		.takes_model = q->takes_model || q->takes == TAKES_MODEL,
		.summary = q->summary,
		.description = q->description,
		.example = q->example,
		.usage = q->usage ? q->usage : "[OPTION...]",
		.missing = q->needs ? q->needs->missing : NULL,
		.remedy = q->needs ? q->needs->remedy : NULL,
		.options_title = q->options_title};
	return true;
}

int tfprof_result_get_field(const tfprof_result *r, const char *key, struct tfprof_field *field)
{
	const struct answer_field *found = answer_find_field(&r->answer, key);

	*field = (struct tfprof_field){0};
	if (!found || found->type == FIELD_NULL)
		return 0;
	*field = (struct tfprof_field){found->text, found->number,
		found->type == FIELD_INT ? (double)found->number : found->real};
	return 1;
}

static enum tfprof_status unknown(const char *name, struct tfprof_error *err)
{
	const char *names[64];
	size_t n = 0;

	for (size_t i = 0; n < 63 && question_get(i); i++)
		if (question_get(i)->takes == TAKES_PROFILE)
			names[n++] = question_get(i)->name;
	names[n] = NULL;
	return words_error(err, "unknown question", span_of(name), names);
}

/* ---- what questions ask of a profile --------------------------------------------- */

static enum tfprof_status get_view(void *profile, struct query *q, struct tfprof_error *err)
{
	return profile_view(profile, q, err);
}

static enum tfprof_status get_names(void *profile, const uint32_t **nodes, struct tfprof_error *err)
{
	return profile_by_name(profile, nodes, err);
}

static bool get_input(const void *profile, size_t i, struct asked_input *in)
{
	const struct tfprof_profile *p = profile;
	const struct profile_input *given;
	const struct look *look;

	if (i >= p->inputs.n)
		return false;
	given = &p->inputs.at[i];
	look = recognize_get_look(given->kind);
	*in = (struct asked_input){given->path ? given->path : input_get_subject(given->kind),
		input_get_info((size_t)given->kind)->name, look->loaded ? look->loaded : look->name,
		given->n_bytes};
	return true;
}

static struct arena lend_arena(void *profile)
{
	return profile_lend_arena(profile);
}

static size_t get_steps(void *profile, int64_t *steps, size_t most)
{
	struct tfprof_profile *p = profile;
	size_t n;

	pthread_rwlock_rdlock(&p->lock);
	n = steps && p->model.steps.n > most ? most : p->model.steps.n;
	for (size_t i = 0; steps && i < n; i++)
		steps[i] = p->model.steps.at[i * p->model.steps.n / n];
	pthread_rwlock_unlock(&p->lock);
	return n;
}

enum tfprof_status profile_check_step(const struct tfprof_profile *p, int64_t step,
	bool like_tensorflow, struct tfprof_error *err)
{
	const struct model *m = &p->model;
	struct buf steps = {0};
	enum tfprof_status status;

	if (step < 0 || model_find_step(m, step) != NONE)
		return TFPROF_OK;
	for (size_t i = 0; i < m->steps.n && steps.n < 300; i++) {
		buf_int(&steps, m->steps.at[i]);
		buf_char(&steps, ' ');
	}
	/* TensorFlow's profiler ends in a blank. */
	if (steps.n && !like_tensorflow && !*spell_dash())
		steps.at[steps.n - 1] = '\0';
	status = error_set(err, TFPROF_STEP, "%sstep=%lld not found. Available steps: %s",
		like_tensorflow || *spell_dash() ? "Options -" : "", (long long)step,
		steps.at ? steps.at : "");
	buf_clear(&steps);
	return status;
}

/* ---- asking --------------------------------------------------------------------- */

static bool has_graph(tfprof_profile *p)
{
	bool has;

	pthread_rwlock_rdlock(&p->lock);
	has = p->model.graphs.n;
	pthread_rwlock_unlock(&p->lock);
	return has;
}

/* Counting changes the profile, so it comes before the lock. */
static enum tfprof_status count_float_ops(tfprof_result *r, struct tfprof_error *err)
{
	const struct question *question = r->answer.question;
	struct buf notes = {0};
	enum tfprof_status status = TFPROF_OK;
	bool is_asked = r->options->number[OPT_COUNT_FLOAT_OPS] &&
		tfprof_option_applies(tfprof_option_get_info(OPT_COUNT_FLOAT_OPS), question->name);

	/* What has no graph shows the float operations that were recorded. */
	if (is_asked || (question->counts_float_ops && has_graph(r->profile)))
		status = profile_count_float_ops(r->profile, &notes, err);
	answer_note_lines(&r->answer, "float_ops", &notes);
	return status;
}

/* What loading the model file had to say. */
static void note_loading(tfprof_result *r)
{
	struct buf notes = {0};

	buf_text(&notes, tfprof_profile_get_notes(r->profile));
	answer_note_lines(&r->answer, "model_file", &notes);
}

static enum tfprof_status run(tfprof_result *r, struct asked *q, struct tfprof_error *err)
{
	const struct question *question = r->answer.question;
	enum format format = r->options->output.format;
	enum tfprof_status status;

	if (q->file && question->loads_model)
		note_loading(r);
	status = count_float_ops(r, err);
	if (status == TFPROF_OK)
		status = result_lock(r,
			view_needs_peaks(question, r->options) ? PROFILE_WITH_PEAKS
				: q->visit                     ? PROFILE_COMPLETE
							       : result_state(r, format),
			err);
	if (status != TFPROF_OK)
		return status;
	q->model = &r->profile->model;
	q->options = r->options;
	q->metrics = writer_get(format)->metrics;
	q->profile = r->profile;
	if (question->takes == TAKES_PROFILE)
		status = profile_check_step(r->profile, r->options->number[OPT_STEP],
			r->options->tolerant, err);
	if (status == TFPROF_OK)
		status = question_run(question, &r->answer, q, err);
	for (size_t i = 0; i < r->answer.notes.n; i++)
		if (!r->answer.notes.at[i].is_in_text)
			buf_printf(&r->notes, "%s\n", r->answer.notes.at[i].text);
	if (status == TFPROF_OK && (r->answer.failed || r->notes.failed))
		status = error_no_memory(err);
	r->is_ready = status == TFPROF_OK;
	r->is_detached = !question->kept_formats;
	return result_unlock(r, status, err);
}

/* Takes over `r`, which may be NULL. */
static enum tfprof_status finish(tfprof_result *r, enum tfprof_status status,
	tfprof_result **result)
{
	if (status != TFPROF_OK) {
		tfprof_result_free(r);
		r = NULL;
	}
	*result = r;
	return status;
}

static enum tfprof_status visit_query(void *profile, enum tfprof_view view,
	const struct tfprof_options *options, const volatile int *cancel, query_visit_fn *visit,
	void *context, struct tfprof_error *err);

static tfprof_result *make_result(tfprof_profile *p, const struct question *question,
	const tfprof_options *options)
{
	tfprof_result *r = p ? result_new(p) : NULL;

	if (!r)
		return NULL;
	r->answer.question = question;
	r->options = options ? tfprof_options_copy(options) : tfprof_options_new();
	if (r->options)
		return r;
	tfprof_result_free(r);
	return NULL;
}

static enum tfprof_status ask(tfprof_profile *p, const struct question *question,
	const tfprof_options *options, struct asked *q, tfprof_result **result,
	struct tfprof_error *err)
{
	tfprof_result *r = make_result(p, question, options);

	q->get_view = get_view;
	q->get_names = get_names;
	q->get_input = get_input;
	q->lend_arena = lend_arena;
	q->get_steps = get_steps;
	q->visit_query = visit_query;
	return finish(r, r ? run(r, q, err) : error_no_memory(err), result);
}

/* On a complete profile that cannot change in between. */
static enum tfprof_status visit_query(void *profile, enum tfprof_view view,
	const struct tfprof_options *options, const volatile int *cancel, query_visit_fn *visit,
	void *context, struct tfprof_error *err)
{
	struct asked q = {.cancel = cancel, .visit = visit, .context = context};
	const struct question *question = question_find(tfprof_view_get_name(view));
	tfprof_result *result;
	enum tfprof_status status = ask(profile, question, options, &q, &result, err);

	if (status == TFPROF_OK)
		tfprof_result_free(result);
	return status;
}

enum tfprof_status tfprof_ask(tfprof_profile *p, const char *name, const tfprof_options *options,
	const volatile int *cancel, tfprof_result **result, struct tfprof_error *err)
{
	const struct question *question = question_find(name);
	struct asked q = {.cancel = cancel};

	*result = NULL;
	if (!question || question->takes != TAKES_PROFILE)
		return unknown(name, err);
	return ask(p, question, options, &q, result, err);
}

enum tfprof_verdict tfprof_result_get_verdict(const tfprof_result *r)
{
	return r->answer.verdict;
}

/* ---- model files and sides --------------------------------------------------------- */

int tfprof_model_recognize(const char *path)
{
	return model_file_recognize(path);
}

/* The file of a path, or the model in a directory. */
static bool note_file(tfprof_profile *p, const char *path)
{
	struct buf inside = {0};
	bool found = directory_find_saved_model(path, &inside);
	bool ok = !inside.failed && output_note_input(&p->files, found ? inside.at : path);

	buf_clear(&inside);
	return ok;
}

static bool note_files(tfprof_profile *p, const struct asked *q)
{
	bool ok = !q->file || !q->file->path || note_file(p, q->file->path);

	for (int k = 0; k < 2 && q->sides[k]; k++) {
		const struct tfprof_input *model = q->sides[k]->model;

		if (model && model->path)
			ok = ok && note_file(p, model->path);
		for (size_t i = 0; i < q->sides[k]->n; i++) {
			tfprof_profile *run = q->sides[k]->profiles[i];

			pthread_rwlock_rdlock(&run->lock);
			for (size_t n = 0; ok && n < run->files.n; n++)
				ok = vec_push(&p->files, run->files.at[n]);
			pthread_rwlock_unlock(&run->lock);
		}
	}
	return ok;
}

/* Adds the nodes of the model file, which is to run as the options say. */
static enum tfprof_status load_model(tfprof_profile *p, const tfprof_options *options,
	const struct asked *q, struct tfprof_error *err)
{
	struct model_file_options file_options;
	enum tfprof_status status;

	if (options) {
		file_options = model_file_options_of(options, q->reading);
		p->model.file_options = &file_options;
	}
	p->model.reading = q->reading;
	status = tfprof_profile_add(p, NULL, q->file, TFPROF_NEXT_STEP, err);
	p->model.file_options = NULL;
	return status;
}

/* A result of its own profile, which has nothing but the nodes of a model file. */
static enum tfprof_status ask_apart(const struct question *question, const tfprof_options *options,
	struct asked *q, tfprof_result **result, struct tfprof_error *err)
{
	tfprof_profile *p = tfprof_profile_new();
	enum tfprof_status status = p && note_files(p, q) ? TFPROF_OK : error_no_memory(err);

	if (status == TFPROF_OK && q->file && question->loads_model)
		status = load_model(p, options, q, err);
	if (status == TFPROF_OK)
		status = ask(p, question, options, q, result, err);
	tfprof_profile_free(p);
	return status;
}

enum tfprof_status tfprof_model_ask(const char *name, const struct tfprof_input *in,
	enum tfprof_reading reading, const tfprof_options *options, tfprof_result **result,
	struct tfprof_error *err)
{
	const struct question *question = question_find(name);
	struct asked q = {.file = in, .reading = reading};

	*result = NULL;
	if (!question || (question->takes != TAKES_MODEL && !question->takes_model))
		return error_set(err, TFPROF_ARGUMENT,
			"%.100s: cannot be asked of a model file: expected model, layers or memory",
			name);
	return ask_apart(question, options, &q, result, err);
}

static struct asked_side side_of(const struct tfprof_diff_side *side)
{
	return (struct asked_side){(void *const *)side->profiles, side->names,
		side->model ? 0 : side->n, side->model};
}

enum tfprof_status tfprof_diff_run(const struct tfprof_diff_side *base,
	const struct tfprof_diff_side *new_side, enum tfprof_view view,
	const tfprof_options *options, const volatile int *cancel, tfprof_result **result,
	struct tfprof_error *err)
{
	struct asked_side sides[2] = {side_of(base), side_of(new_side)};
	struct asked q = {.sides = {&sides[0], &sides[1]},
		.view = view,
		.cancel = cancel,
		.reading = base->reading};

	*result = NULL;
	if (!base->model != !new_side->model)
		return error_set(err, TFPROF_ARGUMENT, "a model can only be compared with a model");
	return ask_apart(&diff_question, options, &q, result, err);
}
