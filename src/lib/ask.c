/* Questions through the public API. */
#include "ask/question.h"
#include "base/words.h"
#include "lib/result.h"
#include "load/recognize.h"

static bool fill_info(const struct question *q, struct tfprof_question_info *info)
{
	if (!q)
		return false;
	*info = (struct tfprof_question_info){.name = q->name,
		.summary = q->summary,
		.description = q->description,
		.example = q->example,
		.missing = q->needs ? q->needs->missing : NULL,
		.remedy = q->needs ? q->needs->remedy : NULL};
	return true;
}

int tfprof_question_get_info(size_t i, struct tfprof_question_info *info)
{
	return fill_info(question_get(i), info);
}

enum tfprof_verdict tfprof_result_get_verdict(const tfprof_result *r)
{
	return r->answer.verdict;
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

	for (; n < 63 && question_get(n); n++)
		names[n] = question_get(n)->name;
	names[n] = NULL;
	return words_error(err, "unknown question", span_of(name), names);
}

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

	if (i >= p->inputs.n)
		return false;
	given = &p->inputs.at[i];
	*in = (struct asked_input){given->path ? given->path : input_get_subject(given->kind),
		input_get_info((size_t)given->kind)->name, recognize_get_look(given->kind)->name,
		given->n_bytes};
	return true;
}

/* An answer does not need the profile any more, so nothing is kept when it changes. */
static enum tfprof_status run(tfprof_result *r, const volatile int *cancel,
	struct tfprof_error *err)
{
	struct asked q = {.model = &r->profile->model,
		.options = r->options,
		.cancel = cancel,
		.get_view = get_view,
		.get_names = get_names,
		.get_input = get_input,
		.profile = r->profile};
	enum tfprof_status status =
		profile_check_step(r->profile, r->options->number[OPT_STEP], err);

	if (status == TFPROF_OK)
		status = question_run(r->question, &r->answer, &q, err);
	r->is_detached = true;
	r->n_rows = r->answer.table.n_rows;
	for (size_t i = 0; i < r->answer.notes.n; i++)
		buf_printf(&r->notes, "%s\n", r->answer.notes.at[i].text);
	return status;
}

enum tfprof_status tfprof_ask(tfprof_profile *p, const char *question,
	const tfprof_options *options, const volatile int *cancel, tfprof_result **result,
	struct tfprof_error *err)
{
	static const enum profile_state states[] = {[QUESTION_LOADED] = PROFILE_LOADED,
		[QUESTION_INDEXED] = PROFILE_INDEXED,
		[QUESTION_COMPLETE] = PROFILE_COMPLETE};
	const struct question *found = question_find(question);
	enum tfprof_status status;
	tfprof_result *r;

	*result = NULL;
	if (!found)
		return unknown(question, err);
	r = result_new(p);
	if (!r)
		return error_no_memory(err);
	r->is_table = true;
	r->question = found;
	r->options = options ? tfprof_options_copy(options) : tfprof_options_new();
	status = r->options ? result_lock(r, states[found->state], err) : error_no_memory(err);
	if (status == TFPROF_OK) {
		status = run(r, cancel, err);
		status = result_unlock(r, status, err);
	}
	if (status != TFPROF_OK) {
		tfprof_result_free(r);
		return status;
	}
	*result = r;
	return TFPROF_OK;
}
