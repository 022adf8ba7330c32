/* Answers of questions as bytes. Text is the question's own, named in QUESTIONS; every other
 * format is written from the table. */
#ifndef TFPROF_WRITE_ANSWER_H
#define TFPROF_WRITE_ANSWER_H

#include "ask/question.h"
#include "base/sink.h"

typedef void answer_text_fn(const struct answer *a, struct sink *out);

#define X(name, text) answer_text_fn text;
QUESTIONS(X)
#undef X

/* Any table, aligned. */
answer_text_fn plain_text;
/* The field "headline", if there is one, then the table. */
answer_text_fn headline_text;

/* Fails if no answer can be written in this format. `options` are those it was asked with. */
enum tfprof_status answer_write(const struct question *question, const struct answer *a,
	const struct tfprof_options *options, enum format format, struct sink *out,
	struct tfprof_error *err);

#endif
