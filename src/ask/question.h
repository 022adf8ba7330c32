/* Questions: what can be asked of a profile, of a model file or of two sides. A question gives
 * an answer, which is a table.
 *
 *     asked + options ──run()──> answer { table, notes, head, verdict } ──write/──> bytes
 *
 * To add one:
 *
 *  1. a line in QUESTIONS below: its name, and its writers (write/answer.h): of its text
 *     (plain_text, which lays out any table, or one of its own in src/write/), of members that
 *     only its JSON has, and of formats that only it has;
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
 *      "capture": {…}, "notes": [{"id": …, "text": …}], HEAD FIELDS…,
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

/* name, writers of its text, of further members of its JSON, of its own formats */
/* clang-format off */
#define QUESTIONS(X)                                      \
	X(scope, plain_text, no_members, view_write) /* views are tables with top */ \
	X(graph, plain_text, no_members, view_write)      \
	X(op, plain_text, no_members, view_write)    /* and by kernel */ \
	X(code, plain_text, no_members, view_write)       \
	X(advise, advice_text, advice_members, advice_write) \
	X(overview, overview_text, no_members, no_format) \
	X(annotate, annotate_text, no_members, annotate_write) \
	X(layers, plain_text, no_members, no_format)      \
	X(step, step_text, no_members, no_format)         \
	X(devices, plain_text, no_members, no_format)     \
	X(transfers, plain_text, no_members, no_format)   \
	X(memory, headline_text, no_members, no_format)   \
	X(events, plain_text, no_members, no_format)      \
	X(table, plain_text, no_members, no_format)       \
	X(roofline, plain_text, no_members, no_format)    \
	X(model, cost_text, cost_members, no_format)    \
	X(diff, diff_text, no_members, diff_write)
/* clang-format on */

/* ---- answers ----------------------------------------------------------------- */

/* What the reader should know about the answer: a line on stderr, and in JSON. The id, in
 * snake_case, is for programs; no code looks at the text. */
struct answer_note {
	const char *id;
	char *text;
	bool is_in_text; /* the text has it: it is not repeated on stderr */
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
struct view_rows;
struct capture;

struct answer {
	const struct question *question;
	struct column_table table;
	size_t n_rows;
	struct view_rows *view; /* instead of the table: columns made on first use (ask/view.h) */
	void *detail;           /* what the question's own writers show besides; or NULL */
	VEC(struct answer_note) notes;
	VEC(struct answer_field) fields; /* in the order of JSON */
	struct capture *capture;         /* what it covers (ask/capture.h); NULL until it has run */
	enum tfprof_verdict verdict;
	struct buf said; /* what writing it said on stdout besides */
	bool failed;     /* to allocate; checked once, after run() */
};

void answer_clear(struct answer *a);

void answer_note(struct answer *a, const char *id, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* A note whose text may have any length. */
void answer_note_text(struct answer *a, const char *id, struct span text);
/* A note for each line of a text, which is cleared. */
void answer_note_lines(struct answer *a, const char *id, struct buf *text);
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

/* One side of a comparison: runs, or a model. */
struct asked_side {
	void *const *profiles;
	const char *const *names; /* may be NULL, and each of them */
	size_t n;
	const struct tfprof_input *model; /* NULL: runs */
};

/* Reads the rows of a query. */
typedef enum tfprof_status query_visit_fn(const struct query *q, void *context,
	struct tfprof_error *err);

/* What a question is asked of. */
struct asked {
	const struct model *model;         /* of the profile */
	const struct tfprof_input *file;   /* of a model */
	const struct asked_side *sides[2]; /* base, new */
	enum tfprof_view view;             /* of which the sides are compared */
	struct tfprof_options *options;    /* a copy: defaults that depend on the model are set */
	const volatile int *cancel;        /* polled; may be NULL */
	unsigned metrics;                  /* of views: that the format of the output needs */
	query_visit_fn *visit; /* of views: shown the rows, while nothing changes; or NULL */
	void *context;         /* for `visit` */
	/* Made on first use, and kept with the profile: the tree of a view, and the nodes in
	 * byte order of their names. */
	enum tfprof_status (*get_view)(void *profile, struct query *q, struct tfprof_error *err);
	enum tfprof_status (
		*get_names)(void *profile, const uint32_t **nodes, struct tfprof_error *err);
	/* The i-th input; false past the end. */
	bool (*get_input)(const void *profile, size_t i, struct asked_input *in);
	/* Memory of the previous query, for the next one. */
	struct arena (*lend_arena)(void *profile);
	/* For sides: copies their steps, evenly spread if there are more than `most`, and returns
	 * how many there are, at most that; and reads the rows of a view of one. */
	size_t (*get_steps)(void *profile, int64_t *steps, size_t most);
	enum tfprof_status (*visit_query)(void *profile, enum tfprof_view view,
		const struct tfprof_options *options, const volatile int *cancel,
		query_visit_fn *visit, void *context, struct tfprof_error *err);
	void *profile;
	enum tfprof_reading reading; /* of model files */
};

/* Something without which a question does not apply. Then it is not run, and the error, of
 * status TFPROF_UNSUPPORTED, is "NAME: MISSING: add REMEDY". */
struct question_need {
	bool (*is_met)(const struct asked *q); /* NULL ends the list */
	const char *missing;                   /* "nothing ran" */
	const char *remedy;                    /* "run metadata or a trace" */
};

/* Most questions are about runs. */
bool asked_ran(const struct asked *q);
#define RUNS_MISSING "nothing ran"
#define RUNS_REMEDY                                                                               \
	"a trace of tf.profiler or jax.profiler (*.xplane.pb), or run metadata (RunMetadata) of " \
	"a step run with trace_level=FULL_TRACE"

/* How much of the model it reads; see profile_lock(). BY_FORMAT: as much as the format of its
 * output needs. */
enum question_state { QUESTION_LOADED, QUESTION_INDEXED, QUESTION_COMPLETE, QUESTION_BY_FORMAT };

/* What it is asked of. */
enum question_takes { TAKES_PROFILE, TAKES_MODEL, TAKES_SIDES };

struct question {
	const char *name;
	enum question_takes takes;
	const char *summary;       /* one line, for lists */
	const char *description;   /* a paragraph */
	const char *example;       /* options of a good first try, or "" */
	const char *options_title; /* of a section of help for its own options; NULL: none */
	const char *usage;         /* arguments of its command; NULL: "[OPTION...]" */
	enum question_state state;
	/* Formats (1 << FORMAT_…) to render before the profile changes; 0: the answer does not
	 * need the profile. */
	unsigned kept_formats;
	unsigned own_formats;    /* likewise: those besides the formats of any table */
	bool takes_model;        /* also: asked.file is set then, and the profile is empty */
	bool loads_model;        /* of which the profile then has the nodes */
	bool counts_float_ops;   /* of a graph are counted before it runs */
	const char *const *sums; /* columns that add up, for the option top; ends in NULL.
				  * NULL: none */
	const struct question_need *needs; /* the first is what a model file lacks, too */
	/* What a profile that was saved from a trace lacks for it; NULL: nothing. It is said in a
	 * note or, if a need is not met, in the error. */
	const char *not_saved;
	/* Fills the table, of which question_run() calls column_table_finish(). The step of the
	 * options, if set, exists. */
	enum tfprof_status (
		*run)(struct answer *a, const struct asked *q, struct tfprof_error *err);
	/* For a table that is made on first use; NULL: run() makes it. */
	enum tfprof_status (*make_table)(struct answer *a, struct tfprof_error *err);
	void (*free_detail)(void *detail);
};

#define X(name, ...) extern const struct question name##_question;
QUESTIONS(X)
#undef X

/* Makes the table of an answer, unless it is made. */
enum tfprof_status answer_need_table(struct answer *a, struct tfprof_error *err);

/* NULL past the end. */
const struct question *question_get(size_t i);
/* NULL if there is none of this name. */
const struct question *question_find(const char *name);

/* Checks what the question needs, and runs it. Clear the answer in any case. */
enum tfprof_status question_run(const struct question *question, struct answer *a,
	const struct asked *q, struct tfprof_error *err);

#endif
