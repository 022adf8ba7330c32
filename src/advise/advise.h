/* The advisor: checkers look at a profile and say what they find.
 *
 *     checker ──run──> findings ──report.c──> text, AdviceProto, JSON
 *        └ asks views (check_query) and the model, like any user
 *
 * A checker is one file with one `const struct checker`, and a line in
 * meson.build. docs/advise.md has an example worked through. */
#ifndef TFPROF_ADVISE_ADVISE_H
#define TFPROF_ADVISE_ADVISE_H

#include "advise/activity.h"
#include "advise/options.h"
#include "query/query.h"

enum confidence { CONFIDENCE_LOW, CONFIDENCE_MEDIUM, CONFIDENCE_HIGH };

/* Where to look. What is empty or 0 does not apply. */
struct place {
	struct span device, node, op;
	struct span line;      /* of the user's program, as code view labels it */
	int64_t micros, bytes; /* its part in the finding */
};

/* Further figures of a finding, for programs. */
struct figure {
	const char *name;
	double value;
};

struct finding {
	const char *what;        /* a word for programs */
	enum tfprof_level level; /* NONE: information, nothing wrong */
	enum confidence confidence;
	struct span text;   /* for people: a line, or several */
	const char *remedy; /* what to do, NULL if nothing */
	int64_t step;       /* NO_STEP: not about one step */
	/* What is at stake in a step; 0 does not apply. */
	int64_t stake_us, stake_bytes;
	double stake_share;   /* 0…1, of what the text says */
	struct span from, to; /* of a link: its tasks */
	VEC(struct place) places;
	VEC(struct figure) figures;
};

#define NO_STEP INT64_MIN

/* What a checker came to. */
struct verdict {
	const struct checker *checker;
	bool skipped;       /* it had nothing to look at */
	struct span remark; /* why, or what it looked at without finding anything */
	VEC(struct finding *) findings;
};

struct advice {
	struct arena arena;
	VEC(struct verdict) verdicts;
	struct activity *activity; /* made when a checker first asks */
	struct devices devices;    /* that nodes are on, as checkers ask for them */
	uint32_t last_name;        /* string id of the one asked for last … */
	uint32_t last_device;      /* … and its place: most nodes are where the one before is */
	struct buf notes;          /* lines for stderr */
	bool failed;               /* memory is out */
};

/* Gives the views of the profile that is looked at. */
struct advise_views {
	enum tfprof_status (*get)(void *context, struct query *q, struct tfprof_error *err);
	void *context;
};

/* A checker at work. */
struct check {
	const struct checker *checker;
	const struct model *model;
	const struct tfprof_advice_options *options;
	const struct advise_views *views;
	const volatile int *cancel;
	struct advice *advice;
	struct verdict *verdict;
	struct buf text;     /* write here, then check_find() */
	struct finding lost; /* stands in for a finding when memory is out */
};

struct checker {
	struct tfprof_checker_info info; /* name, one sentence, options */
	/* Reports hold nothing but what the original's would: remarks go to
	 * stderr instead. */
	bool is_original;
	/* Nothing to look at in a profile without steps: it is not even run. */
	bool needs_run_meta;
	/* Fails only when memory is out, on cancel, or when a view cannot be
	 * built; what a checker misses in the profile is a remark. */
	enum tfprof_status (*run)(struct check *c, struct tfprof_error *err);
};

/* Beyond the last: NULL. */
const struct checker *checker_get(size_t i);

/* Runs the checkers the options name. advice_clear() frees in any case. */
enum tfprof_status advise_run(struct advice *a, const struct model *m,
	const struct tfprof_advice_options *o, const struct advise_views *views,
	const volatile int *cancel, struct tfprof_error *err);
void advice_clear(struct advice *a);

enum tfprof_level advice_level(const struct advice *a);

/* ---- for checkers --------------------------------------------------------- */

/* How bad a share is: the highest level whose limit it reaches. */
static inline enum tfprof_level check_level(double share, double notice, double warning,
	double high)
{
	return share >= high       ? TFPROF_LEVEL_HIGH
		: share >= warning ? TFPROF_LEVEL_WARNING
		: share >= notice  ? TFPROF_LEVEL_NOTICE
				   : TFPROF_LEVEL_NONE;
}

/* A limit that no share reaches: the level does not occur. */
#define NEVER 1e300

/* The value of an option, by name. */
double check_number(const struct check *c, const char *option);
int64_t check_int(const struct check *c, const char *option);
const char *check_word(const struct check *c, const char *option);

/* A new finding; its text is what c->text holds, which is emptied. Never
 * NULL: when memory is out the advice as a whole fails. */
struct finding *check_find(struct check *c, const char *what, enum tfprof_level level,
	enum confidence confidence);
void check_place(struct check *c, struct finding *f, struct place place);
void check_figure(struct check *c, struct finding *f, const char *name, double value);

/* One sentence instead of findings: what is missing (`skip`), or what was
 * looked at and is fine (`fine`). */
void check_skip(struct check *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
void check_fine(struct check *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A line on stderr. */
void check_note(struct check *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A query with options as on the command line: name, value, …, NULL. Times and
 * occurrences are always there. query_clear() frees in any case. */
enum tfprof_status check_query(struct check *c, enum tfprof_view view, const char *const *settings,
	struct query *q, struct tfprof_error *err);

/* What ran when; NULL when memory is out. */
const struct activity *check_activity(struct check *c);

/* The device a node was placed on; one with an empty name if it did not run. */
const struct device *check_device(struct check *c, uint32_t node);

/* Where a node is: device, op, and the line of the user's program that made it
 * (of the forward node, for a gradient), as far as they are known. */
struct place check_node(struct check *c, uint32_t node);
/* "NODE", or "NODE (LINE)" if the line is known. */
void place_put(struct buf *b, const struct place *place);

/* Arrays that live as long as the advice; zeroed. */
void *check_alloc(struct check *c, size_t n, size_t item_size);
/* A copy that does. */
struct span check_copy(struct check *c, struct span text);

/* Whether the caller wants to stop. */
bool check_cancelled(const struct check *c);

#endif
