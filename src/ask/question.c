#include "ask/question.h"

#include <stdarg.h>
#include <stdio.h>

#include "ask/capture.h"
#include "ask/view.h"
#include "ask/view_top.h"
#include "model/profile_fields.h"
#include "query/table_top.h"

static const struct question *const questions[] = {
#define X(name, ...) &name##_question,
	QUESTIONS(X)
#undef X
};

enum { N_QUESTIONS = sizeof(questions) / sizeof(*questions) };

const struct question *question_get(size_t i)
{
	return i < N_QUESTIONS ? questions[i] : NULL;
}

const struct question *question_find(const char *name)
{
	for (size_t i = 0; i < N_QUESTIONS; i++)
		if (strcmp(questions[i]->name, name) == 0)
			return questions[i];
	return NULL;
}

static enum tfprof_status keep_top(const struct question *question, struct answer *a, size_t n,
	struct tfprof_error *err)
{
	static const char *const none[] = {NULL};
	const char *const *sums = question->sums ? question->sums : none;
	size_t n_left_out;
	enum tfprof_status status = TFPROF_OK;

	if (a->view)
		status = view_keep_top(a, n, &n_left_out, err);
	else if (!column_table_keep_top(&a->table, n, sums, &n_left_out))
		status = error_no_memory(err);
	if (status == TFPROF_OK)
		answer_put_int(a, "rows_left_out", (int64_t)n_left_out);
	return status;
}

bool asked_ran(const struct asked *q)
{
	return q->model->execs.n_rows > 0;
}

/* ---- saved profiles ------------------------------------------------------------ */

static void note_saved(struct answer *a, const struct asked *q)
{
	if (q->model->numbers_version && q->model->numbers_version != NUMBERS_VERSION)
		answer_note(a, "older_numbers",
			"this profile was saved when a number of traces had another meaning: save "
			"it again from its trace");
	if (a->question->not_saved && model_is_saved_trace(q->model))
		answer_note(a, "not_saved",
			"a saved profile lacks %s: ask the trace that it was saved from",
			a->question->not_saved);
}

static enum tfprof_status check_needs(const struct question *question, const struct asked *q,
	struct tfprof_error *err)
{
	const struct question_need *need = question->needs;

	while (need && need->is_met && need->is_met(q))
		need++;
	if (!need || !need->is_met)
		return TFPROF_OK;
	if (question->not_saved && model_is_saved_trace(q->model))
		return error_set(err, TFPROF_UNSUPPORTED,
			"%s: a saved profile lacks %s: add the trace that it was saved from "
			"(*.xplane.pb)",
			question->name, question->not_saved);
	return error_set(err, TFPROF_UNSUPPORTED, "%s: %s: add %s", question->name, need->missing,
		need->remedy);
}

/* ---- running --------------------------------------------------------------------- */

enum tfprof_status question_run(const struct question *question, struct answer *a,
	const struct asked *q, struct tfprof_error *err)
{
	enum tfprof_status status = check_needs(question, q, err);

	if (status != TFPROF_OK)
		return status;
	a->question = question;
	status = question->run(a, q, err);
	if (status == TFPROF_OK && q->options->number[OPT_TOP] > 0)
		status = keep_top(question, a, (size_t)q->options->number[OPT_TOP], err);
	if (status == TFPROF_OK)
		note_saved(a, q);
	if (status == TFPROF_OK && a->failed)
		status = error_no_memory(err);
	if (status == TFPROF_OK && a->table.columns) {
		status = column_table_finish(&a->table, err);
		a->n_rows = a->table.n_rows;
	}
	if (status == TFPROF_OK) {
		a->capture = mem_zero(sizeof(*a->capture));
		if (!a->capture || !capture_read(a->capture, a, q))
			status = error_no_memory(err);
	}
	return status;
}

/* ---- answers ----------------------------------------------------------------- */

enum tfprof_status answer_need_table(struct answer *a, struct tfprof_error *err)
{
	if (a->table.columns || !a->question->make_table)
		return TFPROF_OK;
	return a->question->make_table(a, err);
}

void answer_clear(struct answer *a)
{
	column_table_clear(&a->table);
	for (size_t i = 0; i < a->notes.n; i++)
		mem_free(a->notes.at[i].text);
	for (size_t i = 0; i < a->fields.n; i++)
		mem_free(a->fields.at[i].text);
	vec_clear(&a->notes);
	vec_clear(&a->fields);
	buf_clear(&a->said);
	if (a->capture)
		capture_clear(a->capture);
	mem_free(a->capture);
	if (a->view)
		view_rows_free(a->view);
	if (a->detail)
		a->question->free_detail(a->detail);
	*a = (struct answer){0};
}

void answer_note(struct answer *a, const char *id, const char *format, ...)
{
	char text[1024];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	answer_note_text(a, id, span_of(text));
}

void answer_note_text(struct answer *a, const char *id, struct span text)
{
	struct answer_note note = {.id = id, .text = span_copy(text)};

	if (!note.text || !vec_push(&a->notes, note)) {
		mem_free(note.text);
		a->failed = true;
	}
}

void answer_note_lines(struct answer *a, const char *id, struct buf *text)
{
	struct span rest = buf_get(text);

	a->failed |= text->failed;
	while (rest.n) {
		size_t n = span_find(rest, SPAN("\n"));

		n = n < rest.n ? n : rest.n;
		answer_note_text(a, id, (struct span){rest.at, n});
		rest = span_from(rest, n < rest.n ? n + 1 : n);
	}
	buf_clear(text);
}

static void put(struct answer *a, struct answer_field field)
{
	if (vec_push(&a->fields, field))
		return;
	mem_free(field.text);
	a->failed = true;
}

void answer_put_text(struct answer *a, const char *key, struct span text)
{
	struct answer_field field = {.key = key, .type = FIELD_TEXT, .text = span_copy(text)};

	if (field.text)
		put(a, field);
	else
		a->failed = true;
}

void answer_put_int(struct answer *a, const char *key, int64_t value)
{
	put(a, (struct answer_field){.key = key, .type = FIELD_INT, .number = value});
}

void answer_put_double(struct answer *a, const char *key, double value)
{
	put(a, (struct answer_field){.key = key, .type = FIELD_DOUBLE, .real = value});
}

void answer_put_null(struct answer *a, const char *key)
{
	put(a, (struct answer_field){.key = key, .type = FIELD_NULL});
}

void answer_copy_field(struct answer *a, const struct answer_field *field)
{
	struct answer_field copy = *field;

	if (copy.text && !(copy.text = span_copy(span_of(copy.text))))
		a->failed = true;
	else
		put(a, copy);
}

const struct answer_field *answer_find_field(const struct answer *a, const char *key)
{
	for (size_t i = 0; i < a->fields.n; i++)
		if (strcmp(a->fields.at[i].key, key) == 0)
			return &a->fields.at[i];
	return NULL;
}
