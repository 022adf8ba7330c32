/* What an event means: an operation, the cause of other events, a marker, an allocation. */
#include "load/xplane/walk.h"

/* ---- flow ---------------------------------------------------------------- */

/* Types of our own; recorders number theirs from 0. */
#define FLOW_EXECUTOR UINT64_MAX
#define FLOW_CORRELATION (UINT64_MAX - 1)

static bool is_get_next(enum event_kind kind)
{
	return kind == EVENT_GET_NEXT || kind == EVENT_GET_OPTIONAL;
}

/* Identifies one iteration of an executor. */
static uint64_t executor_id(const struct xstats *s)
{
	return hash_mix(xstats_number(s, STAT_ID), xstats_number(s, STAT_ITER_NUM));
}

static bool has_executor(const struct xstats *s)
{
	return xstats_has_number(s, STAT_ID) && xstats_has_number(s, STAT_ITER_NUM);
}

static bool add_flows(struct walk *w, const struct event *e, enum event_kind kind, uint32_t kept)
{
	struct trace *t = w->trace;
	const struct xstats *s = &e->stats;
	bool ok = true;

	if (xstats_has_number(s, STAT_PRODUCER))
		ok = trace_add_producer(t, kept, xstats_number(s, STAT_PRODUCER_TYPE),
			s->at[STAT_PRODUCER].number);
	if (xstats_has_number(s, STAT_CONSUMER))
		ok = ok &&
			trace_add_consumer(t, kept, xstats_number(s, STAT_CONSUMER_TYPE),
				s->at[STAT_CONSUMER].number);
	if (w->pulls && kind == EVENT_PROCESS && has_executor(s))
		ok = ok && trace_add_producer(t, kept, FLOW_EXECUTOR, executor_id(s));
	if (is_get_next(kind) && has_executor(s))
		ok = ok && trace_add_consumer(t, kept, FLOW_EXECUTOR, executor_id(s));
	if (xstats_has_number(s, STAT_CORRELATION_ID))
		ok = ok &&
			(w->plane->kind == PLANE_HOST ? trace_add_producer : trace_add_consumer)(t,
				kept, FLOW_CORRELATION, xstats_number(s, STAT_CORRELATION_ID));
	return ok;
}

/* ---- roles --------------------------------------------------------------- */

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

/* Of nested calls of a function, the outermost one launches the program. */
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
	struct trace_memory m = {.time_ps = e->start_ps,
		.bytes = (int64_t)xstats_number(s, STAT_REQUESTED_BYTES),
		.taken_bytes = (int64_t)xstats_number(s, STAT_ALLOCATION_BYTES),
		.reserved = (int64_t)xstats_number(s, STAT_BYTES_RESERVED),
		.address = xstats_number(s, STAT_ADDRESS),
		.target = NONE,
		.shape = is_free
			? 0
			: strings_alias(&w->trace->texts, xstats_text(s, STAT_TENSOR_SHAPE)),
		.kept = kept,
		.region = w->region,
		.step = NONE,
		.is_free = is_free,
		.is_output = span_equal(xstats_text(s, STAT_REGION_TYPE), SPAN("output"))};
	struct span node = xstats_text(s, STAT_TF_OP);

	/* On TPUs it is a placeholder. */
	if (s->has & STAT_BIT(INDEX_ON_HOST))
		node.n = 0;
	/* The event has no type. If the node ran, its operation has it. */
	if (node.n && !is_free)
		m.target = trace_add_target(w->trace, node, SPAN(""));
	m.in_use = (int64_t)xstats_number(s, STAT_BYTES_ALLOCATED) + m.reserved;
	return walk_note_pool(w, s, &m.pool) && m.shape != NONE &&
		(m.target != NONE || !node.n || is_free) && vec_push(&w->trace->memory, m);
}

/* Whether an event can be on the way from the marker of a step to an operation. */
static bool is_kept(const struct walk *w, const struct event *e, enum event_kind kind)
{
	return e->stats.has & FLOW_STATS || kind == EVENT_TRACE_CONTEXT || is_get_next(kind) ||
		(kind == EVENT_PROCESS && w->pulls);
}

/* Adds a kept event; NONE on allocation failure. */
static uint32_t keep_event(struct walk *w, const struct event *e, enum event_kind kind)
{
	struct trace *t = w->trace;
	uint32_t kept = (uint32_t)t->kept.n;
	bool ok;

	/* Closing sets the end. An asynchronous event is not closed: nothing is within it. */
	ok = t->kept.n < CAUSE_LISTED && vec_push(&t->kept, ((struct trace_kept){kept, 0})) &&
		add_flows(w, e, kind, kept);
	if (e->stats.has & STAT_BIT(ROOT_LEVEL) || kind == EVENT_TRACE_CONTEXT)
		ok = ok && add_root(w, e, kind, kept);
	if (xstats_has_number(&e->stats, STAT_STEP_NUM))
		ok = ok && add_marker(w, e, kept);
	return ok ? kept : NONE;
}

/* Handles what an event is other than an operation. `kept` is the event itself or the one around
 * it. */
static bool add_role(struct walk *w, const struct event *e, uint32_t kept)
{
	struct trace *t = w->trace;
	uint64_t key;

	switch (e->role->kind) {
	case EVENT_PJIT: return add_call(w, e, kept);
	case EVENT_CAPTURED:
		return !xstats_has_number(&e->stats, STAT_ID) ||
			vec_push(&t->captured, xstats_number(&e->stats, STAT_ID));
	case EVENT_ASYNC_DONE:
		if (!event_get_flow(&e->stats, STAT_CONSUMER, STAT_CONSUMER_TYPE, &key))
			return true;
		walk_finish_op(w, e, key);
		if (!own_end_op(&t->own, e->start_ps, key))
			return false;
		return vec_push(&t->completions, ((struct trace_completion){key, e->start_ps}));
	case EVENT_ALLOCATION: return add_memory(w, e, false, kept);
	case EVENT_DEALLOCATION: return add_memory(w, e, true, kept);
	case EVENT_THUNKS:
		return vec_push(&t->marks, ((struct trace_mark){e->start_ps, event_end(e)}));
	default: return true;
	}
}

/* ---- events -------------------------------------------------------------- */

/* Python frames say nothing about whom a thread works for. Only a few events have stats. */
bool walk_add_time(struct walk *w, const struct event *e, bool *is_done)
{
	struct own_times *o = &w->trace->own;
	const struct xstats *s = &e->stats;
	int64_t start_ps = e->start_ps, end_ps = event_end(e);
	uint64_t key, number = s->has & STAT_BIT(CONSUMER) ? xstats_number(s, STAT_CONSUMER) : 0;

	own_see(o, end_ps);
	switch (e->role->kind) {
	case EVENT_PYTHON: return true;
	case EVENT_RECORD:
		return !xstats_has_number(s, STAT_PRODUCER) ||
			own_add_record(o, start_ps, xstats_number(s, STAT_PRODUCER));
	case EVENT_REGION_START:
		return own_begin_task(o, start_ps, OWN_FOREVER,
			xstats_has_number(s, STAT_CONSUMER) ? &number : NULL, NONE);
	case EVENT_REGION_STOP: return own_end_task(o, start_ps);
	case EVENT_END:
		if (event_get_flow(s, STAT_CONSUMER, STAT_CONSUMER_TYPE, &key))
			return own_add_end(o, start_ps, end_ps, key, is_done);
		break;
	case EVENT_AWAIT:
		if (xstats_has_number(s, STAT_PRODUCER))
			return own_begin_wait(o, start_ps, xstats_number(s, STAT_PRODUCER));
		if (xstats_has_number(s, STAT_CONSUMER))
			return own_end_wait(o, start_ps, end_ps, number);
		return own_add(o, start_ps, end_ps, OWN_WAIT, NONE);
	case EVENT_WAIT: return own_add(o, start_ps, end_ps, OWN_WAIT, NONE);
	case EVENT_EXECUTE: return own_add(o, start_ps, end_ps, OWN_APART, NONE);
	default: break;
	}
	return own_add(o, start_ps, end_ps, OWN_OTHER, NONE);
}

bool walk_add_any_event(struct walk *w, const struct event *e)
{
	struct trace *t = w->trace;
	enum event_kind kind = e->role->kind;
	bool is_apart = xstats_number(&e->stats, STAT_ASYNC) != 0, is_own = is_kept(w, e, kind);
	uint32_t target = NONE, kept = is_apart ? NONE : walk_around(w), call = NONE;
	bool is_op = walk_find_target(w, e, &target), is_done = false;

	if (!is_op && !is_apart && w->line.kind == LINE_HOST && !walk_add_time(w, e, &is_done))
		return false;
	if (is_done)
		return true;

	if (is_own) {
		kept = keep_event(w, e, kind);
		if (kept == NONE)
			return false;
	}
	if (w->line.kind == LINE_HOST && walk_is_launch(e) && !walk_add_launch(w, e))
		return false;
	if (!add_role(w, e, kept) || (is_op && !walk_add_op(w, e, target, kept)))
		return false;
	if (!is_op)
		walk_count_skipped(t, kind);
	if (kind == EVENT_REGION_START)
		w->region = is_own ? kept : NONE;
	else if (kind == EVENT_REGION_STOP)
		w->region = NONE;
	if (is_apart)
		return true;
	if (kind == EVENT_PJIT) {
		e->role->open++;
		call = e->name;
	}
	if (!is_own && call == NONE)
		return true;
	return vec_push(&w->open, ((struct open_event){event_end(e), kept, call, is_own}));
}
