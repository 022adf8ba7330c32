/* Walking the lines of a plane: what walk.c, which looks at all events, and walk_op.c, which
 * knows which are operations, share. */
#ifndef TFPROF_LOAD_XPLANE_WALK_H
#define TFPROF_LOAD_XPLANE_WALK_H

#include "load/xplane/trace.h"

struct event {
	int64_t start_ps, duration_ps;
	uint32_t name; /* its place; NONE: it has none */
	struct event_role *role;
	bool is_aggregate;
	struct xstats stats;
};

/* An event that may enclose the next one. */
struct open_event {
	int64_t end_ps;
	uint32_t kept; /* NONE: it is not */
	uint32_t call; /* its name, if it calls a compiled function; NONE */
};

struct open_op {
	int64_t end_ps;
	size_t op;
};

enum line_kind { LINE_SKIPPED, LINE_HOST, LINE_STREAM, LINE_TPU_OPS, LINE_TPU_STEPS };

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
	uint32_t region; /* kept event that began the thread's work; NONE */
	bool pulls;      /* some event takes the next batch of a dataset */
	struct event event;
	struct event_role no_role; /* of events that have no name */
	size_t sizes[16];          /* of the trace's lists before the line */
	struct trace_skipped skipped;
};

static inline int64_t event_end(const struct event *e)
{
	return e->start_ps + e->duration_ps;
}

/* Its texts, if it has a name. */
static inline struct event_name event_get_name(const struct walk *w, const struct event *e)
{
	static const struct event_name none = {{"", 0}, {"", 0}, {"", 0}, 0};

	return e->name == NONE ? none : w->plane->names.at[e->name];
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

/* Whether an event is an operation; *target is NONE if memory for it was not to be had. */
bool walk_find_target(struct walk *w, const struct event *e, uint32_t *target);

/* Adds the operation that an event is. False on allocation failure. */
bool walk_add_op(struct walk *w, const struct event *e, uint32_t target, uint32_t kept);

#endif
