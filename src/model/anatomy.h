/* The anatomy of steps: how long each took on the clock, and what that time went to.
 *
 *     step ── wall = Σ parts, exactly       every instant has one part
 *          ├─ gap: the time before it that belongs to no step
 *          ├─ parts[]   ps, and what was hidden below other parts
 *          ├─ causes[]  a part, a text, ps   largest first
 *          └─ devices   their own parts; each adds up to the wall, too
 *
 * Loaders make it from a recording (load/anatomy/); everything else only reads. Times are
 * picoseconds. */
#ifndef TFPROF_MODEL_ANATOMY_H
#define TFPROF_MODEL_ANATOMY_H

#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/vec.h"

/* In order of precedence, as far as they are not told by what the main thread does. Id, name, what
 * a sentence says of it. */
/* clang-format off */
#define ANATOMY_PARTS(X) \
	X(COMPUTE, "compute", "computing") \
	X(COMMUNICATION, "communication", "communication not hidden") \
	X(COPY, "copy", "copies not hidden") \
	X(INPUT, "input", "waiting for input") \
	X(CALLBACK, "callback", "Python called back from the program") \
	X(COMPILE, "compile", "tracing and compiling") \
	X(RUNTIME, "runtime", "waiting with nothing running") \
	X(DISPATCH, "dispatch", "dispatch by the framework") \
	X(PYTHON, "python", "Python") \
	X(IDLE, "idle", "idle") /* a device waits while others work */ \
	X(UNKNOWN, "unknown", "unexplained")
/* clang-format on */

enum anatomy_part {
#define X(id, name, words) ANATOMY_##id,
	ANATOMY_PARTS(X)
#undef X
		N_ANATOMY_PARTS
};

const char *anatomy_part_name(enum anatomy_part part);
const char *anatomy_part_words(enum anatomy_part part);

struct anatomy_cause {
	enum anatomy_part part;
	struct span text;
	int64_t ps;
};

struct anatomy_causes {
	struct anatomy_cause *at;
	size_t n;
};

/* What a stretch of a step, or of the gap before one, had: for who draws it. */
struct anatomy_moment {
	int64_t start_ps, end_ps;
	enum anatomy_part part;
	struct span cause; /* empty: several, or not known */
};

struct anatomy_device_parts {
	int64_t parts[N_ANATOMY_PARTS];
};

struct anatomy_step {
	int64_t number;
	int64_t start_ps, wall_ps, gap_ps, marker_ps;
	int64_t n_batches;
	int64_t n_launches;        /* by the main thread */
	int64_t n_eager, eager_ps; /* launches of operations run one by one */
	int64_t parts[N_ANATOMY_PARTS];
	int64_t hidden[N_ANATOMY_PARTS];
	int64_t input_work_ps; /* of tf.data, below other parts */
	bool is_steady;        /* it stands for the rest */
	struct anatomy_causes causes, gap_causes;
	struct anatomy_device_parts *devices; /* by device, if there are several; else NULL */
};

/* A function that was compiled, or traced, while the trace was recorded. */
struct anatomy_compiled {
	struct span function, why; /* why: empty if it is not known, or the first time */
	int64_t n_times, ps;
	bool is_traced; /* not only compiled */
};

/* Calls of functions that have the name of the one whose calls are steps: what evaluates a model
 * of Keras beside what trains it. */
struct anatomy_others {
	struct span name; /* of the last one's graph */
	size_t n_calls;
	int64_t ps;
};

/* What the main thread did, longest first, while a GPU was idle because what ran next on it was not
 * launched yet. */
enum { ANATOMY_LATE_CAUSES = 3 };

struct anatomy_late {
	struct span device; /* "GPU:0" */
	struct anatomy_cause causes[ANATOMY_LATE_CAUSES];
	size_t n;
};

enum anatomy_steps_by {
	ANATOMY_BY_MARKERS,
	ANATOMY_BY_CALLS,
	ANATOMY_BY_DEVICE,
	ANATOMY_BY_PROGRAM, /* each run of it on a device, by the device's clock */
	ANATOMY_BY_RUNS,    /* run metadata: a session.run() each */
	ANATOMY_WHOLE,      /* the trace is one step */
	ANATOMY_NONE,       /* there are none: nothing repeats on the devices */
};

struct anatomy {
	enum anatomy_steps_by by;
	struct span function; /* called, or run as a program, for each step; the markers' name */
	VEC(struct anatomy_step) steps;
	bool is_cut; /* steps were before the first */
	struct anatomy_others others;
	VEC(struct span) devices;
	size_t n_untold; /* devices that are too many in too many steps: they are not listed */
	VEC(struct anatomy_compiled) compiled;
	VEC(struct anatomy_late) late;
	VEC(struct anatomy_moment) moments; /* in order of time, if they were asked for */
	int64_t epoch_ns;                   /* that their times and starts of steps count from */
	struct span input_op;     /* type of operation that tf.data spends most time in; or empty */
	uint64_t n_unknown_names; /* of events of the main thread that the table of names lacks */
	struct arena arena;
};

/* Zero is empty; clear in any case. */
void anatomy_clear(struct anatomy *a);

/* Finds the steps that stand for the rest: without those that compile, if they are fewer than
 * half, and without a slow first one. False on allocation failure. */
bool anatomy_find_steady(struct anatomy *a);

/* Keeps the steps with these numbers, both included. If none of them is steady, they all stand for
 * themselves. */
void anatomy_cut(struct anatomy *a, int64_t first, int64_t last);

/* Sums over the steps that stand for the rest. */
struct anatomy_total {
	size_t n_steps;
	size_t n_gaps; /* steps that another one came before */
	int64_t wall_ps, gap_ps;
	int64_t min_wall_ps, max_wall_ps;
	int64_t parts[N_ANATOMY_PARTS], hidden[N_ANATOMY_PARTS], input_work_ps;
	int64_t n_launches, n_eager, eager_ps;
};

void anatomy_sum(const struct anatomy *a, struct anatomy_total *total);

/* Causes of the steps' parts, or of the gaps before steps, largest first. False on allocation
 * failure; clear the list in any case. */
typedef VEC(struct anatomy_cause) anatomy_cause_list;
bool anatomy_sum_causes(const struct anatomy *a, bool of_gaps, anatomy_cause_list *list);

/* The device that the others wait for; its place among them, or NONE. *wait_ps: how long they wait
 * in a step. */
uint32_t anatomy_find_straggler(const struct anatomy *a, int64_t *wait_ps);

/* One sentence: how long a step takes, and what that goes to. */
bool anatomy_put_headline(const struct anatomy *a, struct buf *b);
/* What made the steps: "markers", "calls of f", …. */
void anatomy_put_steps_by(const struct anatomy *a, struct buf *b);

#endif
