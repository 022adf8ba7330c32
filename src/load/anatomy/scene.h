/* A recording as trees of events, one for each line, and what is found in them on the way to the
 * anatomy of its steps:
 *
 *     bytes ──lines.c──> trees of a few thousand events at a time
 *                           └─host.c──┬─> when threads work, for which operation   work.c
 *                                     ├─> what the main thread does                thread.c
 *                                     └─> nodes: of other events, those that matter later
 *     nodes ──devices.c─> the same for accelerators
 *           ├─steps.c───> steps, and when each was completed
 *           └─stages.c──> which stage of tf.data is at work
 *                         └──sweep.c──> parts and causes of each step
 *
 * Most events are forgotten when their part of a line has been read. The rest are nodes, in order
 * of line and start, a node before those within it, so those within one are a range:
 *
 *     node  0 train ─────────────────────────┐ .end = 4
 *           1   PjitFunction(f) ───┐         │ .end = 3
 *           2     Compile          ┘         │ .end = 3
 *           3   PjitFunction(g)              ┘ .end = 4
 *
 * A task of a thread pool is a node, too (a region), from the event that starts it to the one
 * that stops it. Times are picoseconds since the first line began. */
#ifndef TFPROF_LOAD_ANATOMY_SCENE_H
#define TFPROF_LOAD_ANATOMY_SCENE_H

#include "base/sort.h"
#include "load/anatomy/keys.h"
#include "load/anatomy/names.h"
#include "load/xplane/modules.h"
#include "load/xplane/own.h"
#include "model/source.h"

struct node {
	int64_t start, end_ps;
	uint32_t up;    /* NONE: of a line itself */
	uint32_t end;   /* behind those within it */
	uint32_t name;  /* text */
	uint32_t facts; /* NONE: none */
};

enum {
	FACT_KEY = 1,      /* .key: produced, or of an event that ends something, consumed */
	FACT_CONSUMES = 2, /* .key is consumed */
	FACT_ID = 4,       /* .id: of a function; of an XLA operation, its run */
	FACT_STEP = 8,     /* .number */
	FACT_XLA = 16,     /* .text is an operation, .other its program's name, .number its id */
	FACT_CALL = 32,    /* of a tf.function; .id: how often that was traced so far */
	FACT_TRACED = 64,  /* … the last time for this call */
	FACT_EAGER = 128,  /* .text is the operation, and that is no function */
	FACT_LAUNCH = 256, /* .id: of what runs on a device */
	FACT_INPUT = 1024, /* of tf.data, or if .device, a process, is */
	FACT_GRAPH = 2048, /* .text is the graph of a function that is run */
	FACT_DEVICE = 512, /* .text is an operation of a device, .class its class, .other and
			      .number the name and the id of its program */
};

/* What the stats of an event say, as far as it matters. */
struct facts {
	uint64_t key, id, number;
	uint32_t text, other; /* texts */
	uint32_t device;      /* ordinal; NONE. With FACT_DEVICE, the run it is of */
	uint16_t has;         /* FACT_… */
	uint8_t class;
};

struct thread_line {
	struct span name;
	uint32_t first, end; /* nodes */
	bool is_data;        /* of tf.data */
	/* How much it looks like the main thread: steps that it marks, and launches. */
	uint64_t score;
	const struct plane *plane;
	struct span message; /* to read it again */
	uint32_t first_process, end_process;
};

/* What its name says of an event, by text. */
struct name {
	uint32_t flags; /* NAME_… */
	uint32_t op;    /* text: its name, if it is "name:Type" */
	uint32_t frame; /* text: of a Python frame, without the "$" */
	uint32_t file;  /* text: of a Python frame; 0: none of Python */
	uint8_t class;  /* if it is "name:Type" */
	bool is_known;  /* the rest is set */
	bool is_users;  /* of a frame: its file may be the user's */
	bool is_library, has_file;
	bool waits;          /* of a frame: for the device */
	uint32_t counted_in; /* the last thread in which it was one that the table lacks */
};

/* An operation of TensorFlow on the host, or a program whose operations are not recorded. */
struct plain_op {
	int64_t start;
	int64_t work_ps;
	uint32_t name, event; /* texts */
	uint32_t process;     /* that it runs in: its place; NONE */
	uint8_t class;
	bool is_input; /* tf.data runs it */
};

/* A run of a graph, which may be a function that tf.data calls. */
struct process {
	uint64_t id;
	uint32_t around; /* another one; NONE */
	bool is_input;   /* it is */
	bool is_body;    /* of a loop over a dataset: tf.data calls it, but the step does it */
};

/* An operation of a compiled program, or of a device. */
struct op {
	int64_t last_end; /* of its work; INT64_MIN: none */
	int64_t work_ps;
	int64_t start;       /* of the host: when its event began */
	uint32_t node, name; /* node: of a device; name: text */
	uint32_t run;        /* of a compiled program; NONE */
	uint32_t launch;     /* node; NONE */
	uint32_t device;     /* its place; NONE */
	uint8_t class;
	bool is_on_device;
};

/* Time in which something of a class is there. */
struct work {
	int64_t start, end;
	uint32_t name;   /* text */
	uint32_t device; /* NONE: of all */
	uint8_t class;
};

/* A compiled program, running once. */
struct run {
	uint64_t id;
	uint32_t module; /* text, as calls spell it */
	bool has_id;
	int64_t start;  /* of its first operation */
	int64_t launch; /* INT64_MIN: not known */
};

struct step {
	int64_t number;
	int64_t marker_start, marker_end;
	int64_t start, end; /* end: when it was completed */
	int64_t gap_start;  /* the time from there to .start is of no step; else .start */
	int64_t others_end; /* of calls before it that are no steps */
	uint32_t device;    /* that recorded it: .start and .end are by its clock */
	bool has_clock;     /* they are recorded; otherwise from the first operation to the last */
};

/* What a thread does. */
struct doing {
	uint32_t cause, other; /* texts; other: 0, or what follows " > " */
	uint8_t part;          /* enum anatomy_part */
	uint8_t kind;          /* enum cause_kind */
};

/* A stretch of the main thread. */
struct stretch {
	int64_t start, end;
	uint32_t doing; /* its place */
};

/* How the texts of a cause are put together. */
enum cause_kind {
	CAUSE_PLAIN,
	CAUSE_COMPILE, /* "trace and compile " */
	CAUSE_WAITING, /* "waiting in " */
	CAUSE_FRAMES,  /* "function > leaf" */
	CAUSE_STAGE,   /* "stage (its name)" */
	CAUSE_BEFORE,  /* "before the first operation (…)" + a kind of above */
	CAUSE_BETWEEN = CAUSE_BEFORE + 8,
	CAUSE_AFTER = CAUSE_BEFORE + 16,
};

/* Time in which a stage of tf.data, or a function that it runs, is at work. */
struct stage {
	int64_t start, end;
	uint32_t path, name; /* texts */
	uint32_t depth;
};

/* What is known of an instruction of a compiled program. */
struct target {
	uint64_t program;
	uint32_t op, name; /* texts */
	uint8_t class;
};

struct targets {
	VEC(struct target) at;
	struct hash_index index;
};

typedef VEC(struct node) node_list;
typedef VEC(struct facts) facts_list;
typedef VEC(struct stretch) stretch_list;

struct scene {
	struct decoder *d;
	uint32_t get_next; /* text: what takes of batches are called */
	const struct source *from;
	size_t n_read; /* bytes of it since it was last released */
	int64_t origin_ns;
	struct strings texts;
	VEC(struct name) names; /* by text */
	struct hlo_modules modules;
	VEC(struct thread_line) lines; /* of the host */
	node_list nodes;               /* of the host, then of devices */
	size_t n_host;
	facts_list facts;
	int64_t last; /* end of the last event of the host */
	struct own_times own;
	VEC(struct plain_op) plain;
	VEC(struct op) ops;
	VEC(struct process) processes;
	struct targets targets;
	struct keys captured; /* ids of functions that tf.data calls */
	struct keys bodies;   /* ids of captured functions that are bodies of loops over datasets */
	VEC(struct work) work;
	VEC(struct run) runs;
	struct hash_index run_index;
	VEC(uint32_t) devices;   /* texts */
	VEC(uint32_t) device_of; /* by text: its place + 1; 0: none */
	VEC(uint32_t) module_of; /* by text: as calls spell it, + 1; 0: not known yet */
	VEC(struct stage) stages;
	uint32_t main; /* line; NONE */
	bool is_main_known;
	enum anatomy_steps_by by;
	uint32_t step_name; /* text */
	VEC(struct step) steps;
	struct anatomy_others others;
	VEC(struct doing) doings;
	struct hash_index doing_index;
	stretch_list stretches; /* of the line .stretches_of, in order of time */
	uint32_t stretches_of;
	uint64_t n_unknown_names; /* in it */
	uint32_t n_threads_read;
	bool has_xla, has_get_next, has_python;
	bool has_endless;     /* a task that is an operation has no end */
	bool has_programs;    /* something runs compiled programs */
	bool takes_programs;  /* that is the work: their operations are not recorded */
	bool has_accelerator; /* whose operations are what programs of the host launch */
	/* Operations of TPUs have the times of the device, which are not to be mixed with those of
	 * the host: then steps are runs of a program. */
	bool is_by_device_clock;
	uint32_t timed_device; /* then: the one whose runs the steps are; else NONE */
	size_t most_moments;   /* to be kept */
};

/* Sets the launches of runs of programs and of what ran on devices. */
bool scene_find_launches(struct scene *s);
/* The time that decides the step of an operation. */
int64_t scene_launch_time(const struct scene *s, const struct op *op);

/* Lets go of the pages of a mapped file once enough of it has been read: what is needed again is
 * read again. Without this the whole file is in memory beside the lists that are made of it. */
void scene_release(struct scene *s, size_t n_read);
/* False if the decoder failed, or on allocation failure, which it then has. */
bool scene_read_lines(struct scene *s, const struct plane *p);
bool scene_read_device(struct scene *s, struct plane *p);
/* Before devices are read. */
void scene_choose_clock(struct scene *s, const struct plane *planes, size_t n);
bool scene_find_work(struct scene *s);
void scene_clear_work(struct scene *s);
/* An own_time_fn. */
bool scene_set_time(void *context, uint32_t op, const struct own_time *time);
bool scene_find_steps(struct scene *s, struct span function);
bool scene_add_step(struct scene *s, int64_t number, int64_t start, int64_t end);
/* The program that devices ran for longest, if that was more than half of the time; else any. */
uint64_t scene_main_program(const struct scene *s);
/* Adds steps for the calls of a function, or of the one with most work; none if there is none. */
bool scene_find_calls(struct scene *s, struct span function);
bool scene_find_stages(struct scene *s);
bool scene_read_main(struct scene *s);
bool scene_find_late(struct scene *s, struct anatomy *a);
bool scene_count(struct scene *s, struct anatomy *a);
bool scene_cut(struct scene *s, struct anatomy *a);
bool scene_list_compiled(struct scene *s, struct anatomy *a);

/* ---- helpers ---- */

static inline bool doing_is_same(struct doing a, struct doing b)
{
	return a.cause == b.cause && a.other == b.other && a.part == b.part && a.kind == b.kind;
}

static inline uint64_t doing_hash(struct doing d)
{
	return hash_mix(hash_mix(hash_secret(), (uint64_t)d.cause << 32 | d.other),
		(uint64_t)d.part << 8 | d.kind);
}

static inline bool scene_ok(struct scene *s, bool ok)
{
	return decoder_alloc(s->d, ok);
}

static inline uint32_t name_of(const struct scene *s, uint32_t node)
{
	return s->names.at[s->nodes.at[node].name].flags;
}

static inline struct span text_of(const struct scene *s, uint32_t text)
{
	return strings_get(&s->texts, text);
}

static inline const struct facts *facts_of(const struct scene *s, uint32_t node)
{
	static const struct facts none = {.device = NONE};
	uint32_t facts = node == NONE ? NONE : s->nodes.at[node].facts;

	return facts == NONE ? &none : &s->facts.at[facts];
}

static inline bool node_has(const struct scene *s, uint32_t node, unsigned has)
{
	return facts_of(s, node)->has & has;
}

/* The text of an event's name, with what it says. NONE on allocation failure. */
uint32_t scene_add_name(struct scene *s, struct span name);
/* A device by name. NONE on allocation failure. */
uint32_t scene_add_device(struct scene *s, struct span name);
/* The place of what a thread does. NONE on allocation failure. */
uint32_t scene_add_doing(struct scene *s, struct doing doing);
/* A run of a program. NONE on allocation failure. */
uint32_t scene_add_run(struct scene *s, struct span module, bool has_id, uint64_t id,
	int64_t start);
/* Numbers the runs of a program on each device that does not record them (device_runs.c). False on
 * allocation failure. */
bool scene_number_runs(struct scene *s, uint64_t program);
/* How a call spells the program of a function. NONE on allocation failure. */
uint32_t scene_add_module(struct scene *s, struct span prefix, struct span function);
/* The function that a NAME_JIT calls: f of "PjitFunction(f)". */
struct span function_of_call(struct span name);

/* Adds the stretches of a node that are of none within it, as far as `stop`. */
bool scene_add_own(struct scene *s, uint32_t node, int64_t stop, struct work work);

#endif
