/* Which step an operation belongs to. The first of these that answers:
 *
 *     its group        a root event led to it; the group's step is that of the marker in
 *                      it, or around it
 *     its run          for compiled programs: the k-th last run of a module belongs to
 *                      the k-th last call of its function
 *     its region       the event that gave its thread work
 *     on a GPU         the last marker that had begun when it was launched; if that is not
 *                      known, what ran before it on the stream
 *     time             the marker whose span it starts in
 *
 * A marker is an event with a step_num. Without any, roots that are not FunctionRuns are
 * the markers of steps 0, 1, …; without those, each FunctionRun that no dataset calls is a
 * step; without those, everything is step 0. A device may record its steps itself: then what
 * other devices ran is in the step whose time it ran in, or outside, and what the host did is in
 * the last that had begun on any device. */
#include <stdlib.h>

#include "load/xplane/trace.h"

/* The step from `start_ps` to the start of the next segment. */
struct segment {
	int64_t start_ps;
	uint32_t step; /* NONE: none */
};

typedef VEC(struct segment) segments;

struct numbering {
	struct trace *trace;
	bool has_markers;
	uint32_t *group_steps;          /* by root */
	VEC(struct trace_marker) spans; /* of steps on the host, by start */
	segments host;                  /* the same without overlaps */
	segments starts;                /* where FunctionRuns, or steps of devices, begin */
	segments recorded;              /* steps of any device, if only devices have them */
};

/* ---- time ---------------------------------------------------------------- */

static int by_start(const void *a, const void *b)
{
	const struct trace_marker *x = a, *y = b;

	if (x->start_ps != y->start_ps)
		return x->start_ps < y->start_ps ? -1 : 1;
	return (x->kept > y->kept) - (x->kept < y->kept);
}

static uint32_t step_place(const struct trace *t, int64_t step)
{
	return (uint32_t)sort_place(t->steps.at, t->steps.n, step);
}

static bool push_segment(segments *s, int64_t start_ps, uint32_t step)
{
	if (s->n && s->at[s->n - 1].start_ps == start_ps) {
		s->at[s->n - 1].step = step;
		return true;
	}
	return vec_push(s, ((struct segment){start_ps, step}));
}

/* Closes the spans that end by `time_ps`; the ones around them continue. */
static bool close_spans(const struct trace *t, segments *out, const struct trace_marker *spans,
	uint32_t *open, size_t *n, int64_t time_ps)
{
	while (*n && spans[open[*n - 1]].end_ps <= time_ps) {
		int64_t end_ps = spans[open[--*n]].end_ps;

		while (*n && spans[open[*n - 1]].end_ps <= end_ps)
			--*n;
		if (!push_segment(out, end_ps, *n ? step_place(t, spans[open[*n - 1]].step) : NONE))
			return false;
	}
	return true;
}

/* Turns spans, sorted by start, into segments. Where spans overlap, the last to begin counts. */
static bool flatten(const struct trace *t, const struct trace_marker *spans, size_t n,
	segments *out)
{
	uint32_t *open = mem_array(n + 1, sizeof(*open));
	size_t n_open = 0;
	bool ok = open != NULL;

	for (size_t i = 0; ok && i < n; i++) {
		if (spans[i].end_ps <= spans[i].start_ps)
			continue;
		ok = close_spans(t, out, spans, open, &n_open, spans[i].start_ps) &&
			push_segment(out, spans[i].start_ps, step_place(t, spans[i].step));
		open[n_open++] = (uint32_t)i;
	}
	ok = ok && close_spans(t, out, spans, open, &n_open, INT64_MAX);
	mem_free(open);
	return ok;
}

/* The step at a time: that of the last segment that starts by then. */
static uint32_t at_time(const struct segment *s, size_t n, int64_t time_ps)
{
	size_t low = 0;

	sort_search(low, n, i, s[i].start_ps <= time_ps);
	return low ? s[low - 1].step : NONE;
}

/* ---- candidates ---------------------------------------------------------- */

static int by_number(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static void sort_steps(struct trace *t)
{
	size_t n = 0;

	qsort(t->steps.at, t->steps.n, sizeof(*t->steps.at), by_number);
	for (size_t i = 0; i < t->steps.n; i++)
		if (!n || t->steps.at[n - 1] != t->steps.at[i])
			t->steps.at[n++] = t->steps.at[i];
	t->steps.n = n;
}

static int by_id(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Whether a function was called for a step, not for an element of a dataset. */
static bool is_step_run(const struct trace *t, uint32_t root)
{
	const struct trace_root *r = &t->roots.at[root];

	return r->is_function_run && trace_get_group(t, r->kept) == root &&
		!(t->captured.n &&
			bsearch(&r->id, t->captured.at, t->captured.n, sizeof(uint64_t), by_id));
}

static void number_spans(struct numbering *n)
{
	if (n->spans.n)
		qsort(n->spans.at, n->spans.n, sizeof(*n->spans.at), by_start);
	for (size_t i = 0; i < n->spans.n; i++)
		n->spans.at[i].step = (int64_t)i;
}

/* Uses as markers the roots that are not FunctionRuns. */
static bool number_roots(struct numbering *n)
{
	struct trace *t = n->trace;

	for (size_t i = 0; i < t->roots.n; i++) {
		const struct trace_root *r = &t->roots.at[i];
		struct trace_marker span = {r->start_ps, r->end_ps, 0, r->kept};

		if (!r->is_function_run && trace_get_group(t, r->kept) == i &&
			!vec_push(&n->spans, span))
			return false;
	}
	number_spans(n);
	return true;
}

/* Uses FunctionRuns in place of markers; their `kept` is the group. */
static bool number_function_runs(struct numbering *n)
{
	struct trace *t = n->trace;

	if (t->captured.n)
		qsort(t->captured.at, t->captured.n, sizeof(*t->captured.at), by_id);
	for (size_t i = 0; i < t->roots.n; i++) {
		const struct trace_root *r = &t->roots.at[i];
		struct trace_marker span = {r->start_ps, r->end_ps, 0, (uint32_t)i};

		if (is_step_run(t, (uint32_t)i) && !vec_push(&n->spans, span))
			return false;
	}
	number_spans(n);
	return true;
}

static bool find_spans(struct numbering *n)
{
	struct trace *t = n->trace;

	n->has_markers = t->markers.n > 0;
	if (!n->has_markers) {
		if (!number_roots(n))
			return false;
		n->has_markers = n->spans.n > 0;
		return n->has_markers || number_function_runs(n);
	}
	for (size_t i = 0; i < t->markers.n; i++)
		if (!vec_push(&n->spans, t->markers.at[i]))
			return false;
	qsort(n->spans.at, n->spans.n, sizeof(*n->spans.at), by_start);
	return true;
}

static bool collect_steps(struct numbering *n)
{
	struct trace *t = n->trace;

	t->steps_from = t->markers.n || t->device_steps.n ? STEPS_MARKED
		: n->has_markers                          ? STEPS_COUNTED
		: n->spans.n                              ? STEPS_OF_CALLS
							  : STEPS_NONE;
	if (!vec_push(&t->steps, 0))
		return false;
	for (size_t i = 0; i < n->spans.n; i++)
		if (!vec_push(&t->steps, n->spans.at[i].step))
			return false;
	for (size_t i = 0; i < t->device_steps.n; i++)
		if (!vec_push(&t->steps, t->device_steps.at[i].at.step))
			return false;
	sort_steps(t);
	trace_explain_markers(t);
	return true;
}

/* ---- groups -------------------------------------------------------------- */

static uint32_t group_of(const struct trace *t, uint32_t kept)
{
	return kept == NONE ? NONE : trace_get_group(t, kept);
}

/* Spans are sorted by start, so the first marker of a group is its earliest. */
static void number_groups(struct numbering *n)
{
	struct trace *t = n->trace;

	for (size_t i = 0; i < n->spans.n; i++) {
		const struct trace_marker *span = &n->spans.at[i];
		uint32_t group = n->has_markers ? trace_get_group(t, span->kept) : span->kept;

		if (group != NONE && n->group_steps[group] == NONE)
			n->group_steps[group] = step_place(t, span->step);
	}
	for (size_t i = 0; n->has_markers && i < t->roots.n; i++)
		if (n->group_steps[i] == NONE)
			n->group_steps[i] = at_time(n->host.at, n->host.n, t->roots.at[i].start_ps);
}

static uint32_t step_of_kept(const struct numbering *n, uint32_t kept)
{
	uint32_t group = group_of(n->trace, kept);

	return group == NONE ? NONE : n->group_steps[group];
}

/* ---- runs ---------------------------------------------------------------- */

static int runs_last_first(const void *a, const void *b)
{
	const struct trace_run *const *x = a, *const *y = b;

	if ((*x)->module != (*y)->module)
		return (*x)->module < (*y)->module ? -1 : 1;
	if ((*x)->start_ps != (*y)->start_ps)
		return (*x)->start_ps > (*y)->start_ps ? -1 : 1;
	return ((*x)->id < (*y)->id) - ((*x)->id > (*y)->id);
}

static int calls_last_first(const void *a, const void *b)
{
	const struct trace_call *x = a, *y = b;

	if (x->module != y->module)
		return x->module < y->module ? -1 : 1;
	if (x->start_ps != y->start_ps)
		return x->start_ps > y->start_ps ? -1 : 1;
	return (x->kept < y->kept) - (x->kept > y->kept);
}

/* Assigns the k-th last run of a module to the k-th last call. */
static bool match_runs(struct trace *t)
{
	struct trace_run **runs;
	size_t call = 0;

	if (!t->runs.n || !t->calls.n)
		return true;
	runs = mem_array(t->runs.n, sizeof(*runs));
	if (!runs)
		return false;
	for (size_t i = 0; i < t->runs.n; i++)
		runs[i] = &t->runs.at[i];
	qsort(runs, t->runs.n, sizeof(*runs), runs_last_first);
	qsort(t->calls.at, t->calls.n, sizeof(*t->calls.at), calls_last_first);
	for (size_t i = 0; i < t->runs.n; i++) {
		/* Skip calls left over from the previous module. */
		while (call < t->calls.n && t->calls.at[call].module < runs[i]->module)
			call++;
		if (call < t->calls.n && t->calls.at[call].module == runs[i]->module)
			runs[i]->group = group_of(t, t->calls.at[call++].kept);
	}
	mem_free(runs);
	return true;
}

/* ---- operations ---------------------------------------------------------- */

static uint32_t step_of_run(const struct numbering *n, uint32_t run)
{
	uint32_t group = run == NONE ? NONE : n->trace->runs.at[run].group;

	return group == NONE ? NONE : n->group_steps[group];
}

static uint32_t step_on_host(const struct numbering *n, struct trace_cause cause, int64_t start_ps)
{
	uint32_t step = step_of_kept(n, cause.kept);

	if (step == NONE)
		step = step_of_run(n, cause.run);
	if (step == NONE)
		step = step_of_kept(n, cause.region);
	if (step == NONE)
		step = at_time(n->host.at, n->host.n, start_ps);
	/* Compiled programs may continue after the call has returned. */
	if (step == NONE && !n->has_markers && cause.run != NONE)
		step = at_time(n->starts.at, n->starts.n, start_ps);
	return step;
}

static struct trace_cause cause_of(const struct trace *t, const struct trace_op *op)
{
	if (op->cause == NONE || !(op->cause & CAUSE_LISTED))
		return (struct trace_cause){op->cause, NONE, NONE};
	return t->causes.at[op->cause ^ CAUSE_LISTED];
}

/* The last that had begun at a time; its marker may be over. */
static uint32_t last_begun(const struct numbering *n, int64_t time_ps)
{
	size_t low = 0;

	sort_search(low, n->spans.n, i, n->spans.at[i].start_ps <= time_ps);
	return low ? step_place(n->trace, n->spans.at[low - 1].step) : NONE;
}

static uint32_t step_on_gpu(const struct numbering *n, const struct trace_op *op, uint32_t launch,
	uint32_t before)
{
	uint32_t step = step_of_kept(n, op->cause);

	/* Setup before the first step is outside of all. */
	if (step == NONE && launch != NONE)
		return last_begun(n, n->trace->launches.at[launch].start_ps);
	if (step == NONE)
		step = before;
	return step == NONE ? at_time(n->host.at, n->host.n, op->start_ps) : step;
}

/* Without steps on the host. */
static uint32_t step_of_devices(const struct numbering *n, enum plane_kind kind, int64_t start_ps)
{
	if (!n->recorded.n)
		return step_place(n->trace, 0);
	return plane_is_accelerator(kind) ? at_time(n->recorded.at, n->recorded.n, start_ps)
					  : at_time(n->starts.at, n->starts.n, start_ps);
}

/* Adds the next operation of a line to its step. False on allocation failure. */
static bool put_in_step(struct trace *t, uint32_t line, size_t op, uint32_t step)
{
	struct trace_stretch *last = t->stretches.n ? &t->stretches.at[t->stretches.n - 1] : NULL;
	int64_t self_ps = t->ops.at[op].self_ps;

	if (step == NONE) {
		t->n_outside++;
		t->outside_ps += self_ps > 0 ? (uint64_t)self_ps : 0;
		return true;
	}
	t->n_inside++;
	t->targets.at[t->ops.at[op].target].n_ops++;
	if (last && last->step == step && last->line == line && last->end == op) {
		last->end++;
		return true;
	}
	return vec_push(&t->stretches,
		((struct trace_stretch){(uint32_t)op, (uint32_t)op + 1, line, step}));
}

static bool number_line(struct numbering *n, uint32_t place, size_t end)
{
	struct trace *t = n->trace;
	const struct trace_line *line = &t->lines.at[place];
	enum plane_kind kind = t->devices.at[line->device].kind;
	VEC(struct trace_marker) spans = {0};
	segments own = {0};
	uint32_t before = NONE, *places = NULL;
	bool ok = true;

	for (size_t i = 0; ok && plane_is_accelerator(kind) && i < t->device_steps.n; i++)
		if (t->device_steps.at[i].at.kept == line->device)
			ok = vec_push(&spans, t->device_steps.at[i].at);
	if (spans.n)
		qsort(spans.at, spans.n, sizeof(*spans.at), by_start);
	ok = ok && flatten(t, spans.at, spans.n, &own);
	if (ok && spans.n) {
		places = trace_list_device_steps(t, line->device);
		ok = places != NULL;
	}
	for (size_t i = line->first_op; ok && i < end; i++) {
		struct trace_op *op = &t->ops.at[i];
		int64_t start_ps = line->first_device_op == NONE
			? op->start_ps
			: t->device_ops.at[line->first_device_op + i - line->first_op]
				  .host_start_ps;
		uint32_t step;

		if (spans.n) {
			step = at_time(own.at, own.n, start_ps);
			if (step != NONE)
				trace_extend_device_step(t, places[step], op);
		} else if (!n->spans.n) {
			step = step_of_devices(n, kind, start_ps);
		} else if (kind == PLANE_GPU) {
			step = before = step_on_gpu(n, op,
				line->first_device_op == NONE
					? NONE
					: t->device_ops
						  .at[line->first_device_op + i - line->first_op]
						  .launch,
				before);
		} else {
			step = step_on_host(n, cause_of(t, op), start_ps);
		}
		op->cause = NONE;
		ok = put_in_step(t, place, i, step);
	}
	mem_free(places);
	vec_clear(&spans);
	vec_clear(&own);
	return ok;
}

static bool number_ops(struct numbering *n)
{
	struct trace *t = n->trace;

	for (size_t i = 0; i < t->lines.n; i++)
		if (!number_line(n, (uint32_t)i,
			    i + 1 < t->lines.n ? t->lines.at[i + 1].first_op : t->ops.n))
			return false;
	for (size_t i = 0; i < t->memory.n; i++) {
		struct trace_memory *m = &t->memory.at[i];

		m->step = n->spans.n
			? step_on_host(n, (struct trace_cause){m->kept, NONE, m->region},
				  m->time_ps)
			: step_of_devices(n, PLANE_HOST, m->time_ps);
	}
	return true;
}

/* The first step begins with the trace. */
static bool find_recorded(struct numbering *n)
{
	struct trace *t = n->trace;
	VEC(struct trace_marker) spans = {0};
	bool *is_seen = mem_zero_array(t->steps.n + 1, sizeof(*is_seen));
	bool ok = is_seen;

	for (size_t i = 0; ok && i < t->device_steps.n; i++)
		ok = vec_push(&spans, t->device_steps.at[i].at);
	if (ok && spans.n)
		qsort(spans.at, spans.n, sizeof(*spans.at), by_start);
	for (size_t i = 0; ok && i < spans.n; i++) {
		uint32_t place = step_place(t, spans.at[i].step);

		if (!is_seen[place])
			ok = push_segment(&n->starts, i ? spans.at[i].start_ps : INT64_MIN, place);
		is_seen[place] = true;
	}
	ok = ok && flatten(t, spans.at, spans.n, &n->recorded);
	mem_free(is_seen);
	vec_clear(&spans);
	return ok;
}

static bool prepare(struct numbering *n)
{
	struct trace *t = n->trace;

	n->group_steps = mem_array(t->roots.n + 1, sizeof(*n->group_steps));
	if (!n->group_steps || !find_spans(n) || !(n->spans.n || trace_use_groups(t)) ||
		!collect_steps(n) || !flatten(t, n->spans.at, n->spans.n, &n->host) ||
		!match_runs(t))
		return false;
	for (size_t i = 0; !n->has_markers && i < n->spans.n; i++)
		if (!vec_push(&n->starts,
			    ((struct segment){n->spans.at[i].start_ps,
				    step_place(t, n->spans.at[i].step)})))
			return false;
	memset(n->group_steps, 0xff, (t->roots.n + 1) * sizeof(*n->group_steps));
	number_groups(n);
	return n->spans.n || find_recorded(n);
}

/* Frees what is no longer needed, which may be as large as the rest of the trace and the model
 * together. */
static void forget(struct trace *t)
{
	vec_clear(&t->kept);
	vec_clear(&t->tasks.consumer);
	vec_clear(&t->producers);
	vec_clear(&t->consumers);
	vec_clear(&t->causes);
	vec_clear(&t->roots);
	vec_clear(&t->markers);
	vec_clear(&t->calls);
	vec_clear(&t->pending);
	vec_clear(&t->completions);
}

static void link_own_times(struct trace *t)
{
	for (size_t i = 0; i < t->own_times.n; i++)
		t->ops.at[t->own_times.at[i].op].cause = (uint32_t)i;
}

bool trace_number(struct trace *t)
{
	struct numbering n = {.trace = t};
	bool ok = t->ops.n < NONE && prepare(&n) && number_ops(&n) && trace_drop_unused_steps(t) &&
		trace_sort_stretches(t);

	link_own_times(t);
	forget(t);
	mem_free(n.group_steps);
	vec_clear(&n.spans);
	vec_clear(&n.host);
	vec_clear(&n.starts);
	vec_clear(&n.recorded);
	return ok;
}
