/* The advisor: checkers examine a profile and report findings.
 *
 *     checker ──run──> findings ──write/advice.c──> text, AdviceProto, JSON
 *        └ queries views (check_query) and the model, like any user
 *
 * A checker is one file with one `const struct checker`, and a line in meson.build.
 * docs/advise.md has a worked example. */
#ifndef TFPROF_ADVISE_ADVISE_H
#define TFPROF_ADVISE_ADVISE_H

#include "advise/activity.h"
#include "advise/options.h"
#include "query/query.h"

enum confidence { CONFIDENCE_LOW, CONFIDENCE_MEDIUM, CONFIDENCE_HIGH };

/* Where to look. Empty or 0: does not apply. */
struct place {
	struct span device, node, op;
	struct span line;      /* of the user's program, as labelled in code view */
	int64_t micros, bytes; /* its share of the finding */
};

/* Further figures of a finding, for programs. */
struct figure {
	const char *name;
	double value;
};

struct finding {
	const char *what;        /* a word for programs */
	enum tfprof_level level; /* NONE: information only */
	enum confidence confidence;
	struct span text;   /* for people: one or more lines */
	const char *remedy; /* what to do, or NULL */
	int64_t step;       /* NO_STEP: not about one step */
	/* What is at stake per step; 0: does not apply. */
	int64_t stake_us, stake_bytes;
	double stake_share;   /* 0…1, of what the text says */
	struct span from, to; /* the tasks of a link */
	VEC(struct place) places;
	VEC(struct figure) figures;
};

#define NO_STEP INT64_MIN

/* The outcome of a checker. */
struct verdict {
	const struct checker *checker;
	bool skipped;       /* it had nothing to check */
	const char *reason; /* why, in a few words; NULL if not skipped */
	struct span remark; /* why, or what it checked without findings */
	VEC(struct finding *) findings;
};

struct advice {
	struct arena arena;
	VEC(struct verdict) verdicts;
	bool as_tensorflow;        /* reports are those of TensorFlow's profiler */
	struct activity *activity; /* made on first use */
	struct step_parts *parts;  /* likewise */
	struct devices devices;    /* of nodes, added on first use */
	/* The device looked up last: consecutive nodes are often on the same one. */
	uint32_t last_name; /* string id */
	uint32_t last_device;
	struct buf notes; /* lines for stderr */
	bool failed;      /* allocation failed */
};

/* Provides the views of the profile. */
struct advise_views {
	enum tfprof_status (*get)(void *context, struct query *q, struct tfprof_error *err);
	void *context;
};

/* A running checker. */
struct check {
	const struct checker *checker;
	const struct model *model;
	const struct tfprof_options *options;
	const struct advise_views *views;
	const volatile int *cancel;
	struct advice *advice;
	struct verdict *verdict;
	const struct step_parts *parts; /* of a checker that reads_parts; NULL: nothing tells */
	struct buf text;                /* write here, then call check_find() */
	struct finding lost;            /* stands in for a finding on allocation failure */
};

struct checker {
	struct tfprof_checker_info info; /* name, one sentence, options */
	/* Known from TensorFlow's profiler, whose remarks go to stderr. */
	bool in_tensorflow;
	/* Has a heading even without findings, as the oldest four always had. */
	bool has_heading;
	/* Not run on a profile without steps. */
	bool needs_run_meta;
	/* Judges what the steps of a trace went to (check_parts), if there is one. */
	bool reads_parts;
	/* Fails only on allocation failure, on cancel, or if a view cannot be
	 * built. Data missing from the profile is a remark. */
	enum tfprof_status (*run)(struct check *c, struct tfprof_error *err);
};

/* NULL beyond the last. */
const struct checker *checker_get(size_t i);

/* Runs the checkers named by the options. Call advice_clear() in any case. */
enum tfprof_status advise_run(struct advice *a, const struct model *m,
	const struct tfprof_options *o, const struct advise_views *views,
	const volatile int *cancel, struct tfprof_error *err);
void advice_clear(struct advice *a);

enum tfprof_level advice_level(const struct advice *a);

/* "warning", "medium" */
const char *advice_level_name(enum tfprof_level level);
const char *advice_confidence_name(enum confidence confidence);

/* ---- for checkers --------------------------------------------------------- */

/* The highest level whose limit a share reaches. */
static inline enum tfprof_level check_level(double share, double notice, double warning,
	double high)
{
	return share >= high       ? TFPROF_LEVEL_HIGH
		: share >= warning ? TFPROF_LEVEL_WARNING
		: share >= notice  ? TFPROF_LEVEL_NOTICE
				   : TFPROF_LEVEL_NONE;
}

/* A limit no share reaches, for a level that does not occur. */
#define NEVER 1e300

/* The value of an option, by name. */
double check_number(const struct check *c, const char *option);
int64_t check_int(const struct check *c, const char *option);
const char *check_word(const struct check *c, const char *option);

/* Adds a finding with the text in c->text, which is emptied. Never NULL: on allocation
 * failure the advice as a whole fails. */
struct finding *check_find(struct check *c, const char *what, enum tfprof_level level,
	enum confidence confidence);
void check_place(struct check *c, struct finding *f, struct place place);
void check_figure(struct check *c, struct finding *f, const char *name, double value);

/* One sentence instead of findings: what is missing (`skip`, with the reason in a few
 * words, by which the report groups checkers), or what was checked and is all right
 * (`ok`). */
void check_skip(struct check *c, const char *reason, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void check_ok(struct check *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
#define NO_RUN_METADATA "no run metadata"
#define NO_ACCELERATOR "no accelerator"
/* NO_ACCELERATOR if the profile has none, otherwise the other reason. */
const char *check_lacks(struct check *c, const char *otherwise);
/* " per step", or " in the trace" if that has no steps. */
const char *check_per_step(const struct check *c);
/* A line on stderr. */
void check_note(struct check *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Runs a query with options as on the command line: name, value, …, NULL. All metrics
 * are available. Call query_clear() in any case. */
enum tfprof_status check_query(struct check *c, enum tfprof_view view, const char *const *settings,
	struct query *q, struct tfprof_error *err);

/* What ran when; NULL on allocation failure. */
const struct activity *check_activity(struct check *c);

/* The device a node was placed on; its name is empty if the node did not run. */
const struct device *check_device(struct check *c, uint32_t node);

/* Where a node is: device, op and, as far as known, the line of the user's program that
 * created it or, for a gradient, its forward node. */
struct place check_node(struct check *c, uint32_t node);
/* "NODE", or "NODE (LINE)" if the line is known. */
void place_put(struct buf *b, const struct place *place);

/* A zeroed array that lives as long as the advice. */
void *check_alloc(struct check *c, size_t n, size_t item_size);
/* A copy that lives as long as the advice. */
struct span check_copy(struct check *c, struct span text);

/* Whether the caller has asked to stop. */
bool check_cancelled(const struct check *c);

#endif
