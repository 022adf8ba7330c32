/* Answers of questions as bytes, by the writers that QUESTIONS names: plain_text is any table,
 * aligned; headline_text is the field "headline", if there is one, and the table. Every format
 * that is not the question's own is written from the table. */
#ifndef TFPROF_WRITE_ANSWER_H
#define TFPROF_WRITE_ANSWER_H

#include "ask/question.h"
#include "base/sink.h"
#include "write/json.h"

/* Writes the text. */
typedef void answer_text_fn(const struct answer *a, struct sink *out);
/* Adds members to the JSON document, besides notes, fields and nodes. */
typedef void answer_members_fn(const struct answer *a, struct json *j);
/* Writes formats in the question's own way; false for those of any table. */
typedef bool answer_format_fn(struct answer *a, enum format format, struct sink *out,
	enum tfprof_status *status, struct tfprof_error *err);

#define X(name, text, members, format) \
	answer_text_fn text;           \
	answer_members_fn members;     \
	answer_format_fn format;
QUESTIONS(X)
#undef X

/* The notes of an answer, as a member. */
void answer_put_notes(const struct answer *a, struct json *j);

/* What the answer covers, as a member (write/capture.c). */
void answer_put_capture(const struct answer *a, struct json *j);

/* Fails if the answer cannot be written in this format. `options` are those it was asked with. */
enum tfprof_status answer_write(struct answer *a, const struct tfprof_options *options,
	enum format format, struct sink *out, struct tfprof_error *err);

#endif
