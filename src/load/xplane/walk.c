/* Walks the lines of a plane: which events are operations, what lies within what, and
 * what led to what. */
#include "load/xplane/walk.h"

#include <stdlib.h>

#include "base/clamped.h"

/* An event of a line whose events are not in order. */
struct unsorted {
	int64_t start_ps, duration_ps;
	struct span message;
};

/* ---- events -------------------------------------------------------------- */

static int64_t line_start(const struct walk *w)
{
	return event_line_start(w->line.timestamp_ns, w->trace->origin_ns);
}

static inline __attribute__((always_inline)) void read_event(struct walk *w, int64_t base_ps,
	struct span message, struct event *e)
{
	struct event_fields f =
		event_read(w->plane, w->d, w->line.end, base_ps, message, &e->stats);

	e->start_ps = f.start_ps;
	e->duration_ps = f.duration_ps;
	e->is_aggregate = f.is_aggregate;
	e->name = f.name;
	e->role = e->name == NONE ? &w->no_role : &w->plane->roles.at[e->name];
}

/* ---- lines --------------------------------------------------------------- */

static void close_event(struct walk *w)
{
	const struct open_event *o = &w->open.at[--w->open.n];

	if (o->is_kept)
		w->trace->kept.at[o->kept].end = (uint32_t)w->trace->kept.n;
	if (o->call != NONE)
		w->plane->roles.at[o->call].open--;
}

/* Kinds of events that mean something only with some of these stats. */
#define STATS_THAT_MATTER (FLOW_STATS | STAT_BIT(HLO_OP) | STAT_BIT(ASYNC))
#define KIND_BIT(kind) (UINT32_C(1) << EVENT_##kind)
#define KINDS_WITHOUT_ROLE                                                            \
	(KIND_BIT(OTHER) | KIND_BIT(GARBLED) | KIND_BIT(DATASET) | KIND_BIT(PYTHON) | \
		KIND_BIT(END) | KIND_BIT(FUNCTION_RUN) | KIND_BIT(PROCESS) |          \
		KIND_BIT(REGION_START) | KIND_BIT(REGION_STOP) | KIND_BIT(RECORD) |   \
		KIND_BIT(EXECUTE) | KIND_BIT(WAIT) | KIND_BIT(AWAIT) | KIND_BIT(DRIVER))
#define KINDS_OF_FLOW                                                                      \
	(KIND_BIT(OTHER) | KIND_BIT(REGION_START) | KIND_BIT(RECORD) | KIND_BIT(EXECUTE) | \
		KIND_BIT(WAIT) | KIND_BIT(AWAIT) | KIND_BIT(DRIVER))

static bool has_role(const struct walk *w, enum event_kind kind)
{
	return !(KINDS_WITHOUT_ROLE >> kind & 1) || (kind == EVENT_PROCESS && w->pulls);
}

static void skip_event(struct walk *w, enum event_kind kind)
{
	walk_count_skipped(w->trace, kind);
	if (kind == EVENT_REGION_START || kind == EVENT_REGION_STOP)
		w->region = NONE;
}

#define FLOW_BITS (STAT_BIT(PRODUCER) | STAT_BIT(CONSUMER))

/* Adds an event that only begins or ends a flow. */
static bool add_flow_event(struct walk *w, const struct event *e)
{
	struct trace *t = w->trace;
	const struct xstats *s = &e->stats;
	uint32_t kept = (uint32_t)t->kept.n;

	if (t->kept.n >= CAUSE_LISTED || !vec_push(&t->kept, ((struct trace_kept){kept, 0})))
		return false;
	if (xstats_has_number(s, STAT_PRODUCER) &&
		!trace_add_producer(t, kept, xstats_number(s, STAT_PRODUCER_TYPE),
			s->at[STAT_PRODUCER].number))
		return false;
	if (xstats_has_number(s, STAT_CONSUMER) &&
		!trace_add_consumer(t, kept, xstats_number(s, STAT_CONSUMER_TYPE),
			s->at[STAT_CONSUMER].number))
		return false;
	if (e->role->kind == EVENT_REGION_START)
		w->region = kept;
	return vec_push(&w->open, ((struct open_event){event_end(e), kept, NONE, true}));
}

static bool is_flow(const struct walk *w, const struct event *e, enum event_kind kind)
{
	uint64_t stats = e->stats.has & STATS_THAT_MATTER;

	return stats && !(stats & ~FLOW_BITS) &&
		(KINDS_OF_FLOW >> kind & 1 || (kind == EVENT_PROCESS && !w->pulls));
}

/* Fast paths first: most events are ignored or are operations by name alone, and half of the
 * others only begin or end a flow. */
static bool add_event(struct walk *w, const struct event *e)
{
	enum event_kind kind = e->role->kind;
	bool is_plain = w->line.kind == LINE_HOST && !(e->stats.has & STATS_THAT_MATTER);
	int64_t end_ps = event_end(e);
	bool is_done = false;

	while (w->open.n && w->open.at[w->open.n - 1].end_ps < end_ps)
		close_event(w);
	if (is_plain && kind == EVENT_OPERATION)
		return walk_add_plain_op(w, e);
	if (is_plain && !has_role(w, kind)) {
		skip_event(w, kind);
		return walk_add_time(w, e, &is_done);
	}
	if (w->line.kind == LINE_HOST && is_flow(w, e, kind))
		return walk_add_time(w, e, &is_done) && add_flow_event(w, e);
	return walk_add_any_event(w, e);
}

static bool add_device_step(struct walk *w, struct event *e)
{
	struct trace_marker marker = {e->start_ps, event_end(e),
		device_step_number(&e->stats, event_get_name(w, e).text,
			(int64_t)(w->trace->device_steps.n - w->first_step)),
		(uint32_t)w->trace->devices.n - 1};
	struct trace_device_step step = {.at = marker, .first_ps = INT64_MAX, .last_ps = INT64_MIN};

	if (w->plane->kind == PLANE_GPU || walk_use_device_clock(w, line_start(w), e)) {
		step.start_ps = e->start_ps;
		step.end_ps = event_end(e);
	}
	return vec_push(&w->trace->device_steps, step);
}

static bool is_usable(struct walk *w, const struct event *e)
{
	struct trace_skipped *skipped = &w->trace->skipped;
	bool is_timed = e->duration_ps >= 0 && e->duration_ps < EVENT_TIME_LIMIT;

	if (is_timed && !e->is_aggregate && e->name != NONE)
		return true;
	skipped->aggregates += e->is_aggregate;
	skipped->backward += e->duration_ps < 0;
	skipped->endless += e->duration_ps == EVENT_TIME_LIMIT;
	skipped->nameless += e->name == NONE;
	return is_timed && !e->is_aggregate;
}

static bool take_event(struct walk *w, struct event *e)
{
	if (!is_usable(w, e))
		return true;
	return w->line.kind == LINE_STEPS ? add_device_step(w, e) : add_event(w, e);
}

static void begin_line(struct walk *w)
{
	size_t i = 0;

	w->open_ops.n = 0;
	w->region = NONE;
	w->last_run.module = NULL;
	w->skipped = w->trace->skipped;
#define X(type, name) w->sizes[i++] = w->trace->name.n;
	TRACE_LISTS(X)
#undef X
#define X(type, name) w->sizes[i++] = w->trace->own.name.n;
	OWN_LISTS(X)
#undef X
	w->n_fixed = w->trace->own.n_fixed;
	w->first_step = w->trace->device_steps.n;
}

static void end_line(struct walk *w)
{
	while (w->open.n)
		close_event(w);
	decoder_alloc(w->d, own_end_line(&w->trace->own));
}

static void undo_line(struct walk *w)
{
	size_t i = 0;

	end_line(w);
	w->open_ops.n = 0;
	w->region = NONE;
	w->last_run.module = NULL;
	w->trace->skipped = w->skipped;
#define X(type, name) w->trace->name.n = w->sizes[i++];
	TRACE_LISTS(X)
#undef X
#define X(type, name) w->trace->own.name.n = w->sizes[i++];
	OWN_LISTS(X)
#undef X
	w->trace->own.n_fixed = w->n_fixed;
	trace_shrink_tasks(w->trace);
}

/* Returns false, with the line undone, if its events are not in order. */
static bool walk_in_order(struct walk *w, struct span message)
{
	struct wire_reader r = wire_reader(message);
	int64_t base_ps = line_start(w), start_ps = INT64_MIN, duration_ps = 0;
	struct event *e = &w->event;
	struct wire_field f;

	while (!w->d->failed && decoder_find(w->d, &r, WIRE_LEN(XLINE_EVENTS), &f)) {
		read_event(w, base_ps, f.bytes, e);
		if (w->line.kind == LINE_TPU_OPS)
			walk_use_device_clock(w, base_ps, e);
		if (e->start_ps < start_ps ||
			(e->start_ps == start_ps && e->duration_ps > duration_ps)) {
			undo_line(w);
			return false;
		}
		start_ps = e->start_ps;
		duration_ps = e->duration_ps;
		decoder_alloc(w->d, take_event(w, e));
	}
	return true;
}

static int by_start(const void *a, const void *b)
{
	const struct unsorted *x = a, *y = b;

	if (x->start_ps != y->start_ps)
		return x->start_ps < y->start_ps ? -1 : 1;
	if (x->duration_ps != y->duration_ps)
		return x->duration_ps > y->duration_ps ? -1 : 1;
	return (x->message.at > y->message.at) - (x->message.at < y->message.at);
}

static void walk_sorted(struct walk *w, struct span message)
{
	struct wire_reader r = wire_reader(message);
	int64_t base_ps = line_start(w);
	struct event *e = &w->event;
	VEC(struct unsorted) events = {0};
	struct wire_field f;

	while (!w->d->failed && decoder_find(w->d, &r, WIRE_LEN(XLINE_EVENTS), &f)) {
		read_event(w, base_ps, f.bytes, e);
		if (w->line.kind == LINE_TPU_OPS)
			walk_use_device_clock(w, base_ps, e);
		decoder_alloc(w->d,
			vec_push(&events,
				((struct unsorted){e->start_ps, e->duration_ps, f.bytes})));
	}
	if (events.n)
		qsort(events.at, events.n, sizeof(*events.at), by_start);
	for (size_t i = 0; !w->d->failed && i < events.n; i++) {
		read_event(w, base_ps, events.at[i].message, e);
		if (w->line.kind == LINE_TPU_OPS)
			walk_use_device_clock(w, base_ps, e);
		decoder_alloc(w->d, take_event(w, e));
	}
	vec_clear(&events);
}

/* Lines that XProf derives from a recording; they repeat what other lines have. */
static bool is_derived(uint64_t line)
{
	uint32_t low = (uint32_t)line;

	return low >= 0xdeadbeef && low <= 0xdeadbeef + 389;
}

/* Lines that repeat what others have, or tell of copies that run beside operations. */
static bool is_auxiliary(struct span name)
{
	static const char *const names[] = {"Async XLA Ops", "XLA TraceMe", "Overlay", "Steps",
		"XLA Modules", "XLA Ops", "Framework Ops", "Framework Name Scope", "TensorFlow Ops",
		"TensorFlow Name Scope", "Source code", "Source Code", "Launch Stats"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (span_equal(name, span_of(names[i])))
			return true;
	return span_starts(name, SPAN("Host Offload Ops"));
}

static enum line_kind kind_of_line(const struct plane *p, const struct line *line)
{
	switch (p->kind) {
	case PLANE_HOST: return LINE_HOST;
	case PLANE_GPU:
		if (span_equal(line->name, SPAN("Steps")))
			return LINE_STEPS;
		return span_starts(line->name, SPAN("Stream")) && !is_derived(line->id)
			? LINE_STREAM
			: LINE_SKIPPED;
	case PLANE_TPU:
		if (span_equal(line->name, SPAN("XLA Ops")))
			return LINE_TPU_OPS;
		if (span_equal(line->name, SPAN("XLA Modules")))
			return LINE_TPU_MODULES;
		if (span_equal(line->name, SPAN("XLA TraceMe")))
			return LINE_TPU_WAITS;
		return span_equal(line->name, SPAN("Steps")) ? LINE_STEPS : LINE_SKIPPED;
	default: return LINE_SKIPPED;
	}
}

/* Reads the fields before a line's events, or all fields if the timestamp is not among them. */
static void read_line(struct decoder *d, struct span message, struct line *line)
{
	struct wire_reader r = wire_reader(message);
	bool has_time = false;
	struct wire_field f;

	*line = (struct line){.name = {"", 0}};
	while (decoder_next(d, &r, &f))
		switch (f.tag) {
		case WIRE_VARINT(XLINE_ID): line->id = f.value; break;
		case WIRE_LEN(XLINE_NAME): line->name = f.bytes; break;
		case WIRE_VARINT(XLINE_TIMESTAMP_NS):
			line->timestamp_ns = (int64_t)f.value;
			has_time = true;
			break;
		case WIRE_LEN(XLINE_EVENTS):
			if (has_time)
				return;
		}
}

static bool add_core_run(struct walk *w, const struct event *e)
{
	uint32_t device = (uint32_t)w->trace->devices.n - 1;

	w->trace->devices.at[device].n_programs_run++;
	return vec_push(&w->trace->core_runs,
		((struct trace_core_run){e->start_ps, event_end(e), device}));
}

/* Of a line whose events are no operations. */
static void count_events(struct walk *w, struct span message)
{
	struct trace_device *device = &w->trace->devices.at[w->trace->devices.n - 1];
	struct wire_reader r = wire_reader(message);
	struct event *e = &w->event;
	struct wire_field f;

	if (w->line.kind == LINE_TPU_WAITS && device->stalled_ps < 0)
		device->stalled_ps = 0;
	while (!w->d->failed && decoder_find(w->d, &r, WIRE_LEN(XLINE_EVENTS), &f)) {
		read_event(w, line_start(w), f.bytes, e);
		if (!is_usable(w, e))
			continue;
		if (w->line.kind == LINE_TPU_MODULES)
			decoder_alloc(w->d, add_core_run(w, e));
		else if (e->role->kind == EVENT_WAIT)
			add_clamped(&device->stalled_ps, e->duration_ps);
	}
}

static void walk_line(struct walk *w, struct span message)
{
	struct trace *t = w->trace;

	read_line(w->d, message, &w->line);
	w->line.end = message.at + message.n;
	w->line.kind = kind_of_line(w->plane, &w->line);
	if (w->line.kind == LINE_SKIPPED) {
		t->skipped.lines += plane_is_accelerator(w->plane->kind) &&
			!is_derived(w->line.id) && !is_auxiliary(w->line.name);
		return;
	}
	if (w->line.kind == LINE_TPU_MODULES || w->line.kind == LINE_TPU_WAITS) {
		count_events(w, message);
		return;
	}
	if (w->line.kind != LINE_STEPS &&
		!decoder_alloc(w->d,
			vec_push(&t->lines,
				((struct trace_line){w->line.name, (uint32_t)t->devices.n - 1,
					t->ops.n,
					w->line.kind == LINE_HOST ? NONE
								  : (uint32_t)t->device_ops.n}))))
		return;
	begin_line(w);
	if (!walk_in_order(w, message) && !w->d->failed)
		walk_sorted(w, message);
	end_line(w);
	if (w->line.kind != LINE_STEPS && t->lines.at[t->lines.n - 1].first_op == t->ops.n)
		t->lines.at[t->lines.n - 1].first_device_op = NONE;
}

static bool has_kind(const struct plane *p, enum event_kind kind)
{
	for (size_t i = 0; i < p->roles.n; i++)
		if (p->roles.at[i].kind == kind)
			return true;
	return false;
}

int64_t trace_get_origin(const struct plane *p, struct decoder *d, int64_t origin_ns)
{
	struct line line;

	for (size_t i = 0; i < p->lines.n; i++) {
		read_line(d, p->lines.at[i], &line);
		if (line.timestamp_ns < origin_ns)
			origin_ns = line.timestamp_ns;
	}
	return origin_ns;
}

int64_t trace_get_epoch(int64_t origin_ns, int64_t recorded_ns)
{
	return recorded_ns > 0 && origin_ns < recorded_ns / 2 ? clamped_sum(origin_ns, recorded_ns)
							      : origin_ns;
}

/* Reserves room for what the lines may hold. Most of it is never touched and takes no memory,
 * while growing arrays leave holes, a sixth of the peak. If reserving fails, the arrays grow. */
static void reserve(struct trace *t, const struct plane *p)
{
	enum { BYTES_PER_EVENT = 16, BYTES_PER_FLOW = 32 };
	size_t n = 0, n_flows = 0;

	for (size_t i = 0; i < p->lines.n; i++) {
		n += p->lines.at[i].n / BYTES_PER_EVENT;
		n_flows += p->lines.at[i].n / BYTES_PER_FLOW;
	}
	(void)(vec_reserve(&t->ops, n) && vec_reserve(&t->kept, n) &&
		vec_reserve(&t->producers, n_flows) && vec_reserve(&t->consumers, n_flows) &&
		vec_reserve(&t->causes, n_flows) && vec_reserve(&t->tasks.consumer, n_flows) &&
		vec_reserve(&t->own.queued, n_flows) && vec_reserve(&t->own.tasks, n_flows));
}

void trace_walk(struct trace *t, struct plane *p, struct decoder *d)
{
	struct walk *w = mem_zero(sizeof(*w));

	if (!decoder_alloc(d, w))
		return;
	w->trace = t;
	w->plane = p;
	w->d = d;
	w->no_role.op = NONE;
	reserve(t, p);
	w->pulls = has_kind(p, EVENT_GET_NEXT) || has_kind(p, EVENT_GET_OPTIONAL);
	if (decoder_alloc(d, walk_add_device(w)))
		for (size_t i = 0; !d->failed && i < p->lines.n; i++)
			walk_line(w, p->lines.at[i]);
	vec_clear(&w->open);
	vec_clear(&w->open_ops);
	vec_clear(&w->compiled);
	strings_clear(&w->operations);
	mem_free(w);
}
