/* Walks the lines of a plane: which events are operations, what lies within what, and
 * what led to what. */
#include "load/xplane/walk.h"

#include <stdlib.h>

/* 13 days: beyond any trace, and small enough that sums of a few fit 64 bits. */
#define TIME_LIMIT (INT64_C(1) << 60)

/* An event of a line that has to be sorted. */
struct unsorted {
	int64_t start_ps, duration_ps;
	struct span message;
};

/* ---- events -------------------------------------------------------------- */

static int64_t clamp(int64_t ps)
{
	return ps > TIME_LIMIT ? TIME_LIMIT : ps < -TIME_LIMIT ? -TIME_LIMIT : ps;
}

static int64_t line_start(const struct walk *w)
{
	int64_t ns;

	if (__builtin_sub_overflow(w->line.timestamp_ns, w->trace->origin_ns, &ns) ||
		ns > TIME_LIMIT / 1000)
		return TIME_LIMIT;
	return ns * 1000;
}

/* Only when it is and how long, and what its stats are. */
static inline void read_event(struct walk *w, int64_t base_ps, struct span message, struct event *e)
{
	/* The first fields may be read beyond the event, as far as its line goes: near their
	 * end varints are read byte by byte. */
	struct wire_reader r = {message.at, w->line.end, NULL};
	const char *end = message.at + message.n;
	uint64_t id = 0, value;
	struct wire_field f;

	e->start_ps = base_ps;
	e->duration_ps = 0;
	e->is_aggregate = false;
	e->stats.has = 0;
	/* As recorders write them, without a jump that depends on the field. */
	wire_take_varint(&r, XEVENT_METADATA_ID, &id);
	if (wire_take_varint(&r, XEVENT_OFFSET_PS, &value))
		e->start_ps = base_ps + clamp((int64_t)value);
	if (wire_take_varint(&r, XEVENT_DURATION_PS, &value))
		e->duration_ps = clamp((int64_t)value);
	r = (struct wire_reader){r.at <= end ? r.at : message.at, end, NULL};
	while (decoder_next(w->d, &r, &f))
		switch (f.tag) {
		case WIRE_VARINT(XEVENT_METADATA_ID): id = f.value; break;
		case WIRE_VARINT(XEVENT_OFFSET_PS):
			e->start_ps = base_ps + clamp((int64_t)f.value);
			break;
		case WIRE_VARINT(XEVENT_DURATION_PS):
			e->duration_ps = clamp((int64_t)f.value);
			break;
		case WIRE_VARINT(XEVENT_NUM_OCCURRENCES): e->is_aggregate = true; break;
		case WIRE_LEN(XEVENT_STATS):
			plane_read_stat(w->plane, w->d, f.bytes, &e->stats);
			break;
		}
	e->name = plane_ids_find(&w->plane->name_ids, id);
	e->role = e->name == NONE ? &w->no_role : &w->plane->roles.at[e->name];
}

/* ---- flow ---------------------------------------------------------------- */

/* Beside the types that recorders number from 0 on. */
enum { FLOW_EXECUTOR = -1, FLOW_CORRELATION = -2 };

static bool is_get_next(enum event_kind kind)
{
	return kind == EVENT_GET_NEXT || kind == EVENT_GET_OPTIONAL;
}

/* What one iteration of an executor does. */
static uint64_t executor_key(const struct xstats *s)
{
	return hash_mix(trace_flow_key((uint64_t)FLOW_EXECUTOR, xstats_number(s, STAT_ID)),
		xstats_number(s, STAT_ITER_NUM));
}

static bool has_executor(const struct xstats *s)
{
	return xstats_has_number(s, STAT_ID) && xstats_has_number(s, STAT_ITER_NUM);
}

static bool add_flows(struct walk *w, const struct event *e, enum event_kind kind, uint32_t kept)
{
	struct trace *t = w->trace;
	const struct xstats *s = &e->stats;
	uint64_t key;
	bool ok = true;

	if (event_get_flow(s, STAT_PRODUCER, STAT_PRODUCER_TYPE, &key))
		ok = vec_push(&t->producers, ((struct trace_flow){key, kept, NONE}));
	if (event_get_flow(s, STAT_CONSUMER, STAT_CONSUMER_TYPE, &key))
		ok = ok && vec_push(&t->consumers, ((struct trace_flow){key, kept, NONE}));
	if (w->pulls && kind == EVENT_PROCESS && has_executor(s))
		ok = ok &&
			vec_push(&t->producers, ((struct trace_flow){executor_key(s), kept, NONE}));
	if (is_get_next(kind) && has_executor(s))
		ok = ok &&
			vec_push(&t->consumers, ((struct trace_flow){executor_key(s), kept, NONE}));
	if (xstats_has_number(s, STAT_CORRELATION_ID)) {
		key = trace_flow_key((uint64_t)FLOW_CORRELATION,
			xstats_number(s, STAT_CORRELATION_ID));
		if (w->plane->kind == PLANE_HOST)
			ok = ok && vec_push(&t->producers, ((struct trace_flow){key, kept, NONE}));
		else
			ok = ok && vec_push(&t->consumers, ((struct trace_flow){key, kept, NONE}));
	}
	return ok;
}

/* ---- roles --------------------------------------------------------------- */

#define FLOW_BITS (STAT_BIT(PRODUCER) | STAT_BIT(CONSUMER) | STAT_BIT(CORRELATION_ID))
#define FLOW_STATS                                                                             \
	(STAT_BIT(PRODUCER) | STAT_BIT(CONSUMER) | STAT_BIT(ROOT_LEVEL) | STAT_BIT(STEP_NUM) | \
		STAT_BIT(CORRELATION_ID))

static bool add_root(struct walk *w, const struct event *e, enum event_kind kind, uint32_t kept)
{
	struct trace_root root = {e->start_ps, event_end(e),
		xstats_number(&e->stats, STAT_ROOT_LEVEL), xstats_number(&e->stats, STAT_ID), kept,
		kind == EVENT_FUNCTION_RUN};

	return vec_push(&w->trace->roots, root);
}

static bool add_marker(struct walk *w, const struct event *e, uint32_t kept)
{
	struct trace_marker marker = {e->start_ps, event_end(e),
		(int64_t)xstats_number(&e->stats, STAT_STEP_NUM), kept};

	return vec_push(&w->trace->markers, marker);
}

/* Of calls within calls of the same function the outermost launches the program. */
static bool add_call(struct walk *w, const struct event *e, uint32_t kept)
{
	uint32_t module;

	if (e->role->open)
		return true;
	module = trace_add_module_text(w->trace, SPAN("jit_"),
		event_name_get_function(event_get_name(w, e).text));
	return module != NONE &&
		vec_push(&w->trace->calls, ((struct trace_call){module, kept, e->start_ps}));
}

static bool add_memory(struct walk *w, const struct event *e, bool is_free, uint32_t kept)
{
	const struct xstats *s = &e->stats;
	struct trace_memory m = {e->start_ps, (int64_t)xstats_number(s, STAT_REQUESTED_BYTES),
		(int64_t)(xstats_number(s, STAT_BYTES_ALLOCATED) +
			xstats_number(s, STAT_BYTES_RESERVED)),
		xstats_number(s, STAT_ADDRESS), NONE,
		strings_alias(&w->trace->texts, xstats_text(s, STAT_ALLOCATOR_NAME)), kept,
		w->region, NONE, is_free,
		span_equal(xstats_text(s, STAT_REGION_TYPE), SPAN("output"))};
	struct span node = xstats_text(s, STAT_TF_OP);

	/* Its type is not said: the node's operation, if it is one, has it. */
	if (node.n && !is_free)
		m.target = trace_add_target(w->trace, node, SPAN(""));
	return m.allocator != NONE && (m.target != NONE || !node.n || is_free) &&
		vec_push(&w->trace->memory, m);
}

static bool add_roles(struct walk *w, const struct event *e, uint32_t kept)
{
	struct trace *t = w->trace;
	enum event_kind kind = e->role->kind;
	uint64_t has = e->stats.has, key;
	bool ok = !(has & FLOW_BITS || kind == EVENT_PROCESS || is_get_next(kind)) ||
		add_flows(w, e, kind, kept);

	if (has & STAT_BIT(ROOT_LEVEL) || kind == EVENT_TRACE_CONTEXT)
		ok = ok && add_root(w, e, kind, kept);
	if (xstats_has_number(&e->stats, STAT_STEP_NUM))
		ok = ok && add_marker(w, e, kept);
	if (kind == EVENT_OTHER || kind == EVENT_OPERATION || kind == EVENT_PROCESS)
		return ok;
	if (kind == EVENT_PJIT)
		ok = ok && add_call(w, e, kept);
	if (kind == EVENT_CAPTURED && xstats_has_number(&e->stats, STAT_ID))
		ok = ok && vec_push(&t->captured, xstats_number(&e->stats, STAT_ID));
	if ((kind == EVENT_END || kind == EVENT_ASYNC_DONE) &&
		event_get_flow(&e->stats, STAT_CONSUMER, STAT_CONSUMER_TYPE, &key))
		ok = ok && vec_push(&t->completions, ((struct trace_completion){key, e->start_ps}));
	if (kind == EVENT_ALLOCATION || kind == EVENT_DEALLOCATION)
		ok = ok && add_memory(w, e, kind == EVENT_DEALLOCATION, kept);
	return ok;
}

/* Whether more than what it encloses matters. */
static bool is_kept(const struct walk *w, const struct event *e, enum event_kind kind, bool is_op)
{
	if (is_op || e->stats.has & FLOW_STATS)
		return true;
	switch (kind) {
	case EVENT_PJIT:
	case EVENT_TRACE_CONTEXT:
	case EVENT_CAPTURED:
	case EVENT_ALLOCATION:
	case EVENT_DEALLOCATION: return true;
	case EVENT_PROCESS: return w->pulls;
	case EVENT_GET_NEXT:
	case EVENT_GET_OPTIONAL: return true;
	default: return false;
	}
}

/* ---- lines --------------------------------------------------------------- */

static void close_event(struct walk *w)
{
	const struct open_event *o = &w->open.at[--w->open.n];

	if (o->kept != NONE)
		w->trace->ends.at[o->kept] = (uint32_t)w->trace->ends.n;
	if (o->call != NONE)
		w->plane->roles.at[o->call].open--;
}

static void count_skipped(struct trace *t, enum event_kind kind)
{
	t->skipped.datasets += kind == EVENT_DATASET;
	t->skipped.python += kind == EVENT_PYTHON;
}

static bool add_event(struct walk *w, const struct event *e)
{
	struct trace *t = w->trace;
	enum event_kind kind = e->role->kind;
	uint32_t target = NONE, kept = NONE, call = NONE;
	int64_t end_ps = event_end(e);
	bool is_op, is_apart = xstats_number(&e->stats, STAT_ASYNC) != 0;

	while (w->open.n && w->open.at[w->open.n - 1].end_ps < end_ps)
		close_event(w);
	is_op = walk_find_target(w, e, &target);
	if (is_kept(w, e, kind, is_op)) {
		kept = (uint32_t)t->ends.n;
		/* One apart from the others lies within none of them. */
		if (t->ends.n >= NONE - 1 || !vec_push(&t->ends, kept) || !add_roles(w, e, kept) ||
			(is_op && !walk_add_op(w, e, target, kept)))
			return false;
	}
	if (!is_op)
		count_skipped(t, kind);
	if (kind == EVENT_REGION_START)
		w->region = kept;
	else if (kind == EVENT_REGION_STOP)
		w->region = NONE;
	if (is_apart)
		return true;
	if (kind == EVENT_PJIT) {
		e->role->open++;
		call = e->name;
	}
	return vec_push(&w->open, ((struct open_event){end_ps, kept, call}));
}

/* The names of steps are their numbers. */
static bool add_device_step(struct walk *w, const struct event *e)
{
	struct trace_marker marker = {e->start_ps, event_end(e), 0,
		(uint32_t)w->trace->devices.n - 1};
	struct span name = event_get_name(w, e).text;

	if (!name.n)
		return true;
	for (size_t i = 0; i < name.n; i++) {
		if (name.at[i] < '0' || name.at[i] > '9' || marker.step > INT64_MAX / 100)
			return true;
		marker.step = 10 * marker.step + (name.at[i] - '0');
	}
	return vec_push(&w->trace->device_steps, marker);
}

static bool is_usable(struct walk *w, struct event *e)
{
	struct trace_skipped *skipped = &w->trace->skipped;

	skipped->aggregates += e->is_aggregate;
	skipped->backward += e->duration_ps < 0;
	skipped->endless += e->duration_ps == TIME_LIMIT;
	skipped->nameless += e->name == NONE;
	return e->duration_ps >= 0 && e->duration_ps < TIME_LIMIT && !e->is_aggregate;
}

static bool take_event(struct walk *w, struct event *e)
{
	if (!is_usable(w, e))
		return true;
	return w->line.kind == LINE_TPU_STEPS ? add_device_step(w, e) : add_event(w, e);
}

static void begin_line(struct walk *w)
{
	size_t i = 0;

	w->open_ops.n = 0;
	w->region = NONE;
	w->skipped = w->trace->skipped;
#define X(type, name) w->sizes[i++] = w->trace->name.n;
	TRACE_LISTS(X)
#undef X
}

static void end_line(struct walk *w)
{
	while (w->open.n)
		close_event(w);
}

static void take_back_line(struct walk *w)
{
	size_t i = 0;

	end_line(w);
	w->trace->skipped = w->skipped;
#define X(type, name) w->trace->name.n = w->sizes[i++];
	TRACE_LISTS(X)
#undef X
}

/* False, with the line taken back, if its events are not in order. */
static bool walk_in_order(struct walk *w, struct span message)
{
	struct wire_reader r = wire_reader(message);
	int64_t base_ps = line_start(w), start_ps = INT64_MIN, duration_ps = 0;
	struct event *e = &w->event;
	struct wire_field f;

	while (!w->d->failed && decoder_find(w->d, &r, WIRE_LEN(XLINE_EVENTS), &f)) {
		read_event(w, base_ps, f.bytes, e);
		if (e->start_ps < start_ps ||
			(e->start_ps == start_ps && e->duration_ps > duration_ps)) {
			take_back_line(w);
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
		decoder_alloc(w->d,
			vec_push(&events,
				((struct unsorted){e->start_ps, e->duration_ps, f.bytes})));
	}
	if (events.n)
		qsort(events.at, events.n, sizeof(*events.at), by_start);
	for (size_t i = 0; !w->d->failed && i < events.n; i++) {
		read_event(w, base_ps, events.at[i].message, e);
		decoder_alloc(w->d, take_event(w, e));
	}
	vec_clear(&events);
}

/* Lines that XProf derives from a recording: they repeat what others have. */
static bool is_derived(uint64_t line)
{
	uint32_t low = (uint32_t)line;

	return low >= 0xdeadbeef && low <= 0xdeadbeef + 389;
}

static enum line_kind kind_of_line(const struct plane *p, const struct line *line)
{
	switch (p->kind) {
	case PLANE_HOST: return LINE_HOST;
	case PLANE_GPU:
		return span_starts(line->name, SPAN("Stream")) && !is_derived(line->id)
			? LINE_STREAM
			: LINE_SKIPPED;
	case PLANE_TPU:
		if (span_equal(line->name, SPAN("XLA Ops")))
			return LINE_TPU_OPS;
		return span_equal(line->name, SPAN("Steps")) ? LINE_TPU_STEPS : LINE_SKIPPED;
	default: return LINE_SKIPPED;
	}
}

/* What comes before the events of a line; all of it, if that does not tell when it
 * began. */
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

static void walk_line(struct walk *w, struct span message)
{
	struct trace *t = w->trace;

	read_line(w->d, message, &w->line);
	w->line.end = message.at + message.n;
	w->line.kind = kind_of_line(w->plane, &w->line);
	if (w->line.kind == LINE_SKIPPED) {
		t->skipped.lines += w->plane->kind == PLANE_TPU ||
			(w->plane->kind == PLANE_GPU && !is_derived(w->line.id));
		return;
	}
	if (w->line.kind != LINE_TPU_STEPS &&
		!decoder_alloc(w->d,
			vec_push(&t->lines,
				((struct trace_line){w->line.name, (uint32_t)t->devices.n - 1,
					t->ops.n}))))
		return;
	begin_line(w);
	if (!walk_in_order(w, message) && !w->d->failed)
		walk_sorted(w, message);
	end_line(w);
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

void trace_walk(struct trace *t, struct plane *p, struct decoder *d)
{
	struct walk *w = mem_zero(sizeof(*w));

	if (!decoder_alloc(d, w))
		return;
	w->trace = t;
	w->plane = p;
	w->d = d;
	w->no_role.op = NONE;
	w->pulls = has_kind(p, EVENT_GET_NEXT) || has_kind(p, EVENT_GET_OPTIONAL);
	if (decoder_alloc(d,
		    vec_push(&t->devices, ((struct trace_device){p->kind, plane_get_ordinal(p)}))))
		for (size_t i = 0; !d->failed && i < p->lines.n; i++)
			walk_line(w, p->lines.at[i]);
	vec_clear(&w->open);
	vec_clear(&w->open_ops);
	mem_free(w);
}
