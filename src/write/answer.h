/* Answers of questions as bytes. Text is the question's own, named in QUESTIONS; every other
 * format is written from the table. */
#ifndef TFPROF_WRITE_ANSWER_H
#define TFPROF_WRITE_ANSWER_H

#include "ask/question.h"
#include "base/sink.h"
#include "write/json.h"

typedef void answer_text_fn(const struct answer *a, struct sink *out);

#define X(name, text) answer_text_fn text;
QUESTIONS(X)
#undef X

/* Any table, aligned. */
answer_text_fn plain_text;
/* The field "headline", if there is one, then the table. */
answer_text_fn headline_text;

/* A table with what JSON says about it. Questions that are not in the list (advise, model,
 * diff) give their own text and members, and write the rest with this. */
struct answer_form {
	const char *question; /* its name */
	const struct answer *answer;
	const struct tfprof_options *options; /* may be NULL */
	/* Members of the JSON document besides notes, fields and nodes; may be NULL. */
	void (*put_members)(const void *context, struct json *j);
	const void *context;
};

/* In the formats of any table; fails for others. */
enum tfprof_status answer_write_table(const struct answer_form *form, enum format format,
	struct sink *out, struct tfprof_error *err);

/* The notes of an answer, as a member. */
void answer_put_notes(const struct answer *a, struct json *j);

/* Fails if no answer can be written in this format. `options` are those it was asked with. */
enum tfprof_status answer_write(const struct question *question, const struct answer *a,
	const struct tfprof_options *options, enum format format, struct sink *out,
	struct tfprof_error *err);

#endif
