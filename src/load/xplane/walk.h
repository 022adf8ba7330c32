/* Walking the lines of a plane: what walk.c, which looks at all events, walk_event.c, which
 * knows what they lead to, and walk_op.c, which knows which are operations, share. */
#ifndef TFPROF_LOAD_XPLANE_WALK_H
#define TFPROF_LOAD_XPLANE_WALK_H

#include "load/xplane/event.h"
#include "load/xplane/trace.h"

struct event {
	int64_t start_ps, duration_ps;
	uint32_t name; /* its place; NONE: it has none */
	struct event_role *role;
	bool is_aggregate;
	struct xstats stats;
};

/* An event that may enclose the next one, and is kept or calls a compiled function. Others
 * need not be here: which of these are open, follows from the ends of all events. */
struct open_event {
	int64_t end_ps;
	uint32_t kept; /* or that of the event around it; NONE */
	uint32_t call; /* its name, if it calls a compiled function; NONE */
	bool is_kept;
};

struct open_op {
	int64_t end_ps;
	size_t op;
	uint64_t key; /* of what it produces; 0: nothing */
};

/* What compiled operation the events of a name were last. */
struct walk_compiled {
	uint64_t program;
	const char *op; /* its text; NULL: none */
	uint32_t target;
};

enum line_kind {
	LINE_SKIPPED,
	LINE_HOST,
	LINE_STREAM,
	LINE_TPU_OPS,
	LINE_TPU_MODULES, /* an event for each run of a program */
	LINE_TPU_WAITS,   /* waiting before operations, by the host's clock */
	LINE_STEPS
};

struct line {
	struct span name;
	uint64_t id;
	int64_t timestamp_ns;
	const char *end; /* of its bytes */
	enum line_kind kind;
};

struct walk {
	struct trace *trace;
	struct plane *plane;
	struct decoder *d;
	struct line line;
	VEC(struct open_event) open;
	VEC(struct open_op) open_ops;
	VEC(struct walk_compiled) compiled; /* by name, if there are any */
	struct strings operations; /* names of the plane's EVENT_OPERATIONs, if asked for */
	struct {
		const char *module; /* its text; NULL: none */
		uint64_t id;
		uint32_t run;
	} last_run;      /* of the line */
	uint32_t region; /* kept event that began the thread's work; NONE */
	bool pulls;      /* some event takes the next batch of a dataset */
	struct event event;
	int64_t host_start_ps;     /* of an event of a core, by the host's clock */
	struct event_role no_role; /* of events that have no name */
	size_t sizes[32];          /* of the trace's lists before the line */
	uint32_t n_fixed;          /* see struct own_times */
	size_t first_step;         /* of the line, that a device recorded */
	struct trace_skipped skipped;
};

static inline int64_t event_end(const struct event *e)
{
	return e->start_ps + e->duration_ps;
}

/* Texts of an event, if it has a name. */
static inline struct event_name event_get_name(const struct walk *w, const struct event *e)
{
	static const struct event_name none = {{"", 0}, {"", 0}, {"", 0}, 0};

	return e->name == NONE ? none : w->plane->names.at[e->name];
}

/* Stats of events that lead from a step's marker to operations. */
#define FLOW_STATS                                                                             \
	(STAT_BIT(PRODUCER) | STAT_BIT(CONSUMER) | STAT_BIT(ROOT_LEVEL) | STAT_BIT(STEP_NUM) | \
		STAT_BIT(CORRELATION_ID))

static inline void walk_count_skipped(struct trace *t, enum event_kind kind)
{
	t->skipped.garbled += kind == EVENT_GARBLED;
}

/* Operations that do not reach as far enclose nothing more. */
static inline void walk_close_ops(struct walk *w, int64_t end_ps)
{
	while (w->open_ops.n && w->open_ops.at[w->open_ops.n - 1].end_ps < end_ps)
		w->open_ops.n--;
}

/* The kept event that encloses what comes next; NONE. */
static inline uint32_t walk_around(const struct walk *w)
{
	return w->open.n ? w->open.at[w->open.n - 1].kept : NONE;
}

/* The key of what an event produces or consumes. */
static inline bool event_get_flow(const struct xstats *s, enum xstat id, enum xstat type,
	uint64_t *key)
{
	if (!xstats_has_number(s, id))
		return false;
	*key = trace_flow_key(xstats_number(s, type), s->at[id].number);
	return true;
}

/* Adds an event that is no operation to the time of the one it may be part of. *is_done: nothing
 * else has to be known of it. False on allocation failure. */
bool walk_add_time(struct walk *w, const struct event *e, bool *is_done);

/* Adds an event, whatever it is, once those that end before are closed. False on allocation
 * failure. */
bool walk_add_any_event(struct walk *w, const struct event *e);

/* Whether an event is an operation; *target is NONE if memory for it was not to be had. */
bool walk_find_target(struct walk *w, const struct event *e, uint32_t *target);

/* Adds the device of a plane (walk_device.c). False on allocation failure. */
bool walk_add_device(struct walk *w);
/* Notes what an allocation or deallocation says of a device's memory; the same. */
bool walk_note_pool(struct walk *w, const struct xstats *s, uint32_t *place);

/* The same for an event of an accelerator (walk_device.c); NONE on allocation failure. */
uint32_t walk_find_device_target(struct walk *w, const struct event *e);
/* Adds what is beside such an operation (device_op.h). False on allocation failure. */
bool walk_add_device_op(struct walk *w, const struct event *e);
/* Gives an event of a core its times by the device's own clock, if it has them. Those of the host
 * stretch and squeeze events: by 198 ms in a recording of 100 s. False if it has none. */
bool walk_use_device_clock(struct walk *w, int64_t base_ps, struct event *e);
/* Whether an event of the host only makes something run on an accelerator; adding it. */
bool walk_is_launch(const struct event *e);
bool walk_add_launch(struct walk *w, const struct event *e);

/* Adds the operation that an event is. False on allocation failure. */
bool walk_add_op(struct walk *w, const struct event *e, uint32_t target, uint32_t kept);
/* The same for an EVENT_OPERATION without stats, as most operations of TensorFlow are. */
bool walk_add_plain_op(struct walk *w, const struct event *e);
/* Ends the operation that an EVENT_ASYNC_DONE with this key lies within: what its thread does
 * from then on is not part of it. */
void walk_finish_op(struct walk *w, const struct event *e, uint64_t key);

#endif
