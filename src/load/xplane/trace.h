/* The contents of a trace, gathered from its events before any of it goes to a model.
 *
 *     lines ──walk──> operations ──────────────────┐
 *                     events that led to others    ├──> steps of the operations
 *                     markers of steps, runs, …  ──┘    (group.c, steps.c)
 *
 * Of the many events only those are kept that can lead from a step's marker to an
 * operation. They are numbered line by line in order of their starts, an event before
 * those within it, so those within one are a range:
 *
 *     kept   0 train ─────────────────────────┐ .end = 4
 *            1   FunctionRun ───────┐         │ .end = 3
 *            2     Record           ┘         │ .end = 3
 *            3   Record                       ┘ .end = 4
 *
 * An operation that neither begins nor ends a flow has the group of the kept event around
 * it, and is not kept itself.
 *
 * Times are picoseconds since the first line began. */
#ifndef TFPROF_LOAD_XPLANE_TRACE_H
#define TFPROF_LOAD_XPLANE_TRACE_H

#include "base/buf.h"
#include "base/sort.h"
#include "load/xplane/device_facts.h"
#include "load/xplane/device_op.h"
#include "load/xplane/modules.h"
#include "load/xplane/own.h"
#include "load/xplane/plane.h"
#include "model/exec.h"

/* What operations are executions of: it becomes a node. */
struct trace_target {
	uint32_t name, type; /* texts */
	struct hlo_module *module;
	uint32_t instruction; /* of the module; NONE: it is none of a module that is there */
	uint32_t category;    /* text: what the device calls its kind; 0: nothing */
	uint32_t opcode;      /* text, of a device; 0: none */
	uint32_t begins;      /* text, of a core: its first operand, which may have begun it; 0 */
	enum transfer_direction direction; /* of a copy of a core */
	int64_t float_ops;                 /* per execution, as recorded; -1: not recorded */
	int64_t bytes;                     /* the same */
	uint32_t n_ops;                    /* in steps, once they are numbered */
	uint64_t program;                  /* on a device: its id */
	bool is_waiting;                   /* for a copy or a collective that was begun before */
	enum {
		DEVICE_NONE,     /* of the host */
		DEVICE_EACH,     /* a copy, or a kernel of no operation: each is an execution */
		DEVICE_COMPILED, /* of a program */
		DEVICE_NAMED,    /* of TensorFlow */
	} on_device;
};

/* The place of an operation becomes that of its run in the model: there are millions, and
 * a fresh page costs more than what is written to it. */
struct trace_op {
	union {
		struct {
			int64_t start_ps, total_ps, self_ps;
			uint32_t target;
			/* A kept event, NONE, or see CAUSE_LISTED; once it has its step, the place
			 * of its own time in the list of own times, or NONE. */
			uint32_t cause;
		};
		struct exec_run run;
	};
};

_Static_assert(sizeof(struct trace_op) == sizeof(struct exec_run), "they share their places");

/* What may tell the step of an operation. */
struct trace_cause {
	uint32_t kept;   /* its event, or the one around it; NONE */
	uint32_t run;    /* of a compiled program; NONE */
	uint32_t region; /* kept event that its thread was given work by; NONE */
};

/* Set: the rest of .cause is a place among the causes. Otherwise it is the event that is
 * .kept or .region, and there is nothing else. */
#define CAUSE_LISTED (UINT32_C(1) << 31)

/* Operations of a line that follow each other in a step. */
struct trace_stretch {
	uint32_t first, end;
	uint32_t line;
	uint32_t step; /* its place among the steps */
};

/* Operations of a line follow each other. */
struct trace_line {
	struct span name;
	uint32_t device;
	size_t first_op;
	uint32_t first_device_op; /* NONE: of a host, or no operations */
};

/* A run of a program on a core, as a line of its own tells; by the host's clock. */
struct trace_core_run {
	int64_t start_ps, end_ps;
	uint32_t device;
};

/* The name of a program, as runs of it on cores tell. */
struct trace_program {
	uint64_t id;
	uint32_t name; /* text */
};

struct trace_device {
	enum plane_kind kind;
	int64_t ordinal;
	struct accelerator_facts facts;
	uint32_t product;       /* text */
	int64_t n_programs_run; /* see trace_find_executions(), core_runs_count() */
	int64_t stalled_ps;     /* of a core: waiting before operations; -1: not recorded */
};

/* The memory of a device, as its allocator tells. */
struct trace_pool {
	uint32_t name;   /* text of its allocator; 0: it has none */
	int64_t ordinal; /* of the device whose memory it is; -1: that of the host */
	bool is_tpu;
	int64_t peak_bytes, lifetime_peak_bytes, capacity_bytes;
};

/* An event that a step can begin with. */
struct trace_root {
	int64_t start_ps, end_ps;
	uint64_t level;
	uint64_t id; /* of a FunctionRun */
	uint32_t kept;
	bool is_function_run;
};

struct trace_marker {
	int64_t start_ps, end_ps, step;
	uint32_t kept;
};

/* A step that a device recorded. */
struct trace_device_step {
	struct trace_marker at;    /* by the host's clock; .kept is the device */
	int64_t start_ps, end_ps;  /* by its own; no time: not recorded */
	int64_t first_ps, last_ps; /* likewise, of what ran in it */
};

/* A compiled program, running once. */
struct trace_run {
	uint64_t id;
	uint32_t module; /* text, as trace_add_module_text() spells it */
	uint32_t group;
	int64_t start_ps; /* of its first operation */
};

/* The call of one. */
struct trace_call {
	uint32_t module;
	uint32_t kept; /* the event around it; NONE */
	int64_t start_ps;
};

/* An operation that ends with an event of the same key, if that comes later. */
struct trace_pending {
	uint64_t key;
	size_t op;
};

struct trace_completion {
	uint64_t key;
	int64_t time_ps;
};

struct trace_kept {
	uint32_t end; /* behind those within it; itself: it lies within none, nor any within it */
	uint32_t produces; /* 0: nothing; else the place of a task, + 1; see KEPT_LISTED */
};

/* Set: the rest of .produces is the place of the first of its producers, which follow each
 * other. */
#define KEPT_LISTED (UINT32_C(1) << 31)
/* Set: the rest of .produces is the place of the root that led to the event. What it produces
 * has been followed then. */
#define KEPT_GROUPED (UINT32_C(1) << 30)

/* An event that produces or consumes something. */
struct trace_flow {
	uint64_t key;
	uint32_t kept;
	uint32_t next; /* the next that consumes the same; of a producer: its task; NONE */
};

/* Work given to a thread pool. Recorders number it without gaps, so that nothing has to be
 * hashed: half of all events in a trace of TensorFlow are of such. */
struct trace_tasks {
	VEC(uint32_t) consumer; /* kept + 1; 0: none */
	bool is_open;           /* .first is known */
	uint64_t first;         /* number of the first */
	size_t most;            /* how many there may be at all; others are listed */
	bool has_others;        /* some are among the consumers of the trace */
};

/* A piece of memory taken or given back. */
struct trace_memory {
	int64_t time_ps, bytes; /* that were asked for */
	int64_t taken_bytes;    /* that it takes in the pool; 0: not known */
	int64_t in_use, reserved;
	uint64_t address;
	uint32_t target;             /* NONE: not known, or given back */
	uint32_t pool;               /* NONE: there are too many */
	uint32_t shape;              /* text; 0: not known */
	uint32_t kept, region, step; /* kept: the event around it; NONE */
	bool is_free, is_output;
};

/* Own time of an operation that differs from its event's, or is not all that is to be said. */
struct trace_own {
	struct own_time time;
	uint32_t op;
};

/* Lists that a line adds to: they shrink again if it has to be reread. */
#define TRACE_LISTS(X)                                                  \
	X(struct trace_kept, kept)                                      \
	X(struct trace_flow, producers)                                 \
	X(struct trace_flow, consumers)                                 \
	X(struct trace_op, ops)                                         \
	X(struct trace_cause, causes)                                   \
	X(struct trace_root, roots)                                     \
	X(struct trace_marker, markers)                                 \
	X(struct trace_call, calls)                                     \
	X(uint32_t, called) /* modules of calls, each once */           \
	X(struct trace_pending, pending)                                \
	X(struct trace_completion, completions)                         \
	X(struct trace_memory, memory)                                  \
	X(struct trace_launch, launches)                                \
	X(struct trace_mark, marks)                                     \
	X(struct trace_device_op, device_ops)                           \
	X(struct trace_own, own_times)                                  \
	X(struct trace_device_step, device_steps)                       \
	/* Likewise, of events: used where nothing else tells steps. */ \
	X(struct trace_marker, device_groups)                           \
	X(uint64_t, captured) /* ids of functions that tf.data calls */

/* What was skipped, as shown to the user: one, several. */
/* clang-format off */
#define TRACE_SKIPS(X) \
	X(planes, "plane", "planes") \
	X(lines, "line of a device", "lines of devices") \
	X(aggregates, "event that sums up others", "events that sum up others") \
	X(backward, "event with a negative duration", "events with negative durations") \
	X(endless, "event of 13 days or more", "events of 13 days or more") \
	X(nameless, "event without a name", "events without names") \
	X(garbled, "event with a name that is not UTF-8", "events with names that are not UTF-8")
/* clang-format on */

/* An operation of a compiled program. */
struct trace_compiled {
	uint64_t program;
	uint32_t op, target; /* op: text */
};

/* What of an instruction ran on a device. */
struct trace_compiled_sum {
	uint32_t target, device;
	uint32_t n_events, n_executions;
	int64_t self_ps, total_ps;
};

struct trace_skipped {
#define X(name, one, several) uint64_t name;
	TRACE_SKIPS(X)
#undef X
};

struct trace {
	struct strings texts; /* of the trace's bytes */
	struct hlo_modules modules;
	VEC(struct trace_target) targets;
	VEC(uint32_t) target_of; /* by text of the name */
	struct hash_index compiled;
	VEC(struct trace_compiled) compiled_ops;
	VEC(struct trace_compiled_sum) compiled_sums;
	uint64_t max_ordinal; /* of the devices that programs of the host ran on */
	struct hash_index run_index;
	VEC(struct trace_run) runs;
#define X(type, name) VEC(type) name;
	TRACE_LISTS(X)
#undef X
	struct trace_tasks tasks;
	struct own_times own;
	VEC(struct trace_line) lines;
	VEC(struct trace_device) devices;
	VEC(struct trace_program) programs;
	VEC(struct trace_core_run) core_runs;
	VEC(int64_t) steps;                  /* ascending, once ops have theirs */
	VEC(struct trace_stretch) stretches; /* by step; otherwise as they come */
	uint64_t n_inside;                   /* operations in them */
	uint64_t n_outside, outside_ps;      /* and in none */
	enum trace_steps { STEPS_MARKED, STEPS_COUNTED, STEPS_OF_CALLS, STEPS_NONE } steps_from;
	VEC(struct trace_pool) pools;
	int64_t origin_ns; /* when the first line begins */
	struct trace_skipped skipped;
	struct buf scratch;
};

/* Of that many bytes. */
bool trace_init(struct trace *t, size_t n_bytes);
void trace_clear(struct trace *t);

/* When the earliest line of a plane begins, if before that. */
int64_t trace_get_origin(const struct plane *p, struct decoder *d, int64_t origin_ns);
/* When the first line began, in nanoseconds since the epoch: lines count from the start of
 * recording, or from 1970. */
int64_t trace_get_epoch(int64_t origin_ns, int64_t recorded_ns);
/* Reads the lines of a plane. */
void trace_walk(struct trace *t, struct plane *p, struct decoder *d);

/* Gives each kept event the first root that leads to it (its place among the roots, in
 * their order from then on). False on allocation failure. */
bool trace_group(struct trace *t);

/* The root that led to a kept event, once that is known; NONE. */
static inline uint32_t trace_get_group(const struct trace *t, uint32_t kept)
{
	uint32_t produces = t->kept.at[kept].produces;

	return produces & KEPT_GROUPED ? produces ^ KEPT_GROUPED : NONE;
}

/* Sums up what instructions of compiled programs did (apply_compiled.c): the time of their events,
 * without waiting for what they started. False on allocation failure. */
bool trace_sum_compiled(struct trace *t);

/* Removes steps in which nothing ran, and puts stretches in order of steps. False on allocation
 * failure. */
bool trace_drop_unused_steps(struct trace *t);
bool trace_sort_stretches(struct trace *t);

/* Finds the steps of the operations (see .stretches), and forgets what led to them. False on
 * allocation failure. */
bool trace_number(struct trace *t);

/* Sets the times of operations that other threads worked for, or that ended after their events.
 * False on allocation failure. */
bool trace_complete(struct trace *t);

/* ---- for the walker ---- */

/* The target of a name, made if it is new; NONE on allocation failure. */
uint32_t trace_add_target(struct trace *t, struct span name, struct span type);
/* The target of an instruction of a compiled program. */
uint32_t trace_add_compiled(struct trace *t, uint64_t program, struct span module, struct span op);
/* An operation of a device: what is known of it. */
struct device_target {
	uint64_t program;
	struct span module;    /* its name, if the trace does not have the program */
	struct span op;        /* of the program */
	struct span framework; /* name from the source; may be empty */
	struct span opcode;    /* if the trace does not have the program */
};

/* The target of such an operation (device_target.c): one for each program and operation. */
uint32_t trace_add_device_target(struct trace *t, const struct device_target *of);
/* A run of a module, NONE on allocation failure. */
uint32_t trace_add_run(struct trace *t, struct span module, uint64_t id, int64_t start_ps);
/* Where a target of a program and operation is among the compiled ones; NONE. `op` is a text. */
uint32_t trace_find_compiled(const struct trace *t, uint64_t program, uint32_t op);
bool trace_push_compiled(struct trace *t, uint64_t program, uint32_t op, uint32_t target);
/* The text of what a call of `function` runs. */
uint32_t trace_add_module_text(struct trace *t, struct span prefix, struct span function);

/* Notes that an event produces or consumes something. False on allocation failure. */
bool trace_add_producer(struct trace *t, uint32_t kept, uint64_t type, uint64_t id);
bool trace_add_consumer(struct trace *t, uint32_t kept, uint64_t type, uint64_t id);
/* Forgets tasks of events that are no longer kept. */
void trace_shrink_tasks(struct trace *t);

/* What one event produces and another consumes. */
static inline uint64_t trace_flow_key(uint64_t type, uint64_t id)
{
	return hash_mix(hash_mix(0x9e3779b97f4a7c15u, type), id);
}

/* The type that recorders give the tasks of thread pools. */
enum { FLOW_TASK = 15 };

static inline uint64_t trace_key_of_task(const struct trace_tasks *tasks, uint32_t place)
{
	return trace_flow_key(FLOW_TASK, tasks->first + place);
}

/* For TFPROF_DEBUG=steps (explain.c): the candidates for steps, once the steps are chosen. */
void trace_explain_markers(const struct trace *t);

#endif
