/* Questions: what can be asked of a profile. A question gives an answer, which is a table.
 *
 *     profile + options ──run()──> answer { table, notes, head, verdict } ──write/──> bytes
 *
 * To add one:
 *
 *  1. a line in QUESTIONS below: its name, and the writer of its text (write/answer.h:
 *     plain_text, which lays out any table, or one of its own in src/write/);
 *  2. a file src/ask/NAME.c, listed in meson.build, that defines
 *     `const struct question NAME_question`;
 *  3. the options it takes: its name in the column "applies to" of OPTIONS
 *     (query/options.h), or new lines there. `output` applies to all;
 *  4. a test, and a section of docs/command_line.md.
 *
 * The command, its help, completion, the manual page, the method of Python's Profile with
 * typed keywords, and the server's /api/ask follow. Every question can be written as json,
 * jsonl, csv, arrow and markdown by code that knows tables only (write/table.h):
 *
 *     {"schema": "tfprof.NAME", "version": 2, "question": "NAME", "options": {…},
 *      "notes": [{"id": …, "text": …}], HEAD FIELDS…,
 *      "nodes": [{"id": 0, "parent": null, "depth": 0, "name": …, COLUMNS…}, …]}
 *
 * Most tables are trees (query/table.h): row 0 is the root, rows come in pre-order, and cells
 * that are not set are null. Units of columns are those of METRICS: "microseconds", "bytes",
 * "count"; text shows them as people read them, other formats exactly. Columns of microseconds
 * that need more than whole ones are DOUBLE. A flat table (events) has rows only; in JSON and
 * CSV they are the children of a root that is added.
 *
 * A question runs with the profile locked for reading, in the state it asks for. It must not
 * keep pointers into the model: the answer outlives the profile. */
#ifndef TFPROF_ASK_QUESTION_H
#define TFPROF_ASK_QUESTION_H

#include "base/error.h"
#include "base/vec.h"
#include "model/model.h"
#include "query/query.h"
#include "query/table.h"

/* name, writer of its text */
/* clang-format off */
#define QUESTIONS(X)             \
	X(overview, overview_text) \
	X(step, step_text)       \
	X(devices, plain_text)   \
	X(memory, headline_text) \
	X(events, plain_text)    \
	X(table, plain_text)     \
	X(roofline, plain_text)
/* clang-format on */

/* ---- answers ----------------------------------------------------------------- */

/* What the reader should know about the answer: a line on stderr, and in JSON. The id, in
 * snake_case, is for programs; no code looks at the text. */
struct answer_note {
	const char *id;
	char *text;
};

/* A member of the JSON document besides the table, such as a headline. */
struct answer_field {
	const char *key;
	enum { FIELD_TEXT, FIELD_INT, FIELD_DOUBLE, FIELD_NULL } type;
	char *text;
	int64_t number;
	double real;
};

struct question;

struct answer {
	const struct question *question;
	struct column_table table;
	VEC(struct answer_note) notes;
	VEC(struct answer_field) fields; /* in the order of JSON */
	enum tfprof_verdict verdict;
	bool failed; /* to allocate; checked once, after run() */
};

void answer_clear(struct answer *a);

void answer_note(struct answer *a, const char *id, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* The same for a text of any length. */
void answer_note_text(struct answer *a, const char *id, struct span text);
void answer_put_text(struct answer *a, const char *key, struct span text);
void answer_put_int(struct answer *a, const char *key, int64_t value);
void answer_put_double(struct answer *a, const char *key, double value);
void answer_put_null(struct answer *a, const char *key);
/* A field of another answer. */
void answer_copy_field(struct answer *a, const struct answer_field *field);
/* For text writers; NULL if there is none. */
const struct answer_field *answer_find_field(const struct answer *a, const char *key);

/* ---- questions ---------------------------------------------------------------- */

/* A file, or bytes, that the profile was loaded from. */
struct asked_input {
	const char *name;          /* its path, or "the graph" and the like */
	const char *kind, *phrase; /* "graph", "a GraphDef" */
	uint64_t n_bytes;
};

/* What a question is asked of. */
struct asked {
	const struct model *model;
	const struct tfprof_options *options;
	const volatile int *cancel; /* polled; may be NULL */
	/* Made on first use, and kept with the profile: the tree of a view, and the nodes in
	 * byte order of their names. */
	enum tfprof_status (*get_view)(void *profile, struct query *q, struct tfprof_error *err);
	enum tfprof_status (
		*get_names)(void *profile, const uint32_t **nodes, struct tfprof_error *err);
	/* The i-th input; false past the end. */
	bool (*get_input)(const void *profile, size_t i, struct asked_input *in);
	void *profile;
};

/* Something without which a question does not apply. Then it is not run, and the error, of
 * status TFPROF_UNSUPPORTED, is "NAME: MISSING: add REMEDY". */
struct question_need {
	bool (*is_met)(const struct asked *q); /* NULL ends the list */
	const char *missing;                   /* "nothing ran" */
	const char *remedy;                    /* "run metadata or a trace" */
};

/* How much of the model it reads; see profile_lock(). */
enum question_state { QUESTION_LOADED, QUESTION_INDEXED, QUESTION_COMPLETE };

struct question {
	const char *name;
	const char *summary;     /* one line, for lists */
	const char *description; /* a paragraph */
	const char *example;     /* options of a good first try, or "" */
	enum question_state state;
	const struct question_need *needs; /* the first is what a model file lacks, too */
	/* Fills the table, of which question_run() calls column_table_finish(). The step of the
	 * options, if set, exists. */
	enum tfprof_status (
		*run)(struct answer *a, const struct asked *q, struct tfprof_error *err);
};

#define X(name, ...) extern const struct question name##_question;
QUESTIONS(X)
#undef X

/* NULL past the end. */
const struct question *question_get(size_t i);
/* NULL if there is none of this name. */
const struct question *question_find(const char *name);

/* Checks what the question needs, and runs it. Clear the answer in any case. */
enum tfprof_status question_run(const struct question *question, struct answer *a,
	const struct asked *q, struct tfprof_error *err);

#endif
