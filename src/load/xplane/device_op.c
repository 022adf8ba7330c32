#include "load/xplane/device_op.h"

#include <stdlib.h>

#include "load/xplane/trace.h"

/* ---- launches ------------------------------------------------------------ */

static int by_id(const void *a, const void *b)
{
	const struct trace_launch *x = a, *y = b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return (x->start_ps > y->start_ps) - (x->start_ps < y->start_ps);
}

static int by_start(const void *a, const void *b)
{
	const struct trace_mark *x = a, *y = b;

	return (x->start_ps > y->start_ps) - (x->start_ps < y->start_ps);
}

/* Marks that overlap are of several devices: which thread is whose cannot be told. */
static void check_marks(struct trace *t)
{
	for (size_t i = 1; i < t->marks.n; i++)
		if (t->marks.at[i].start_ps < t->marks.at[i - 1].end_ps) {
			t->marks.n = 0;
			return;
		}
}

void trace_sort_launches(struct trace *t)
{
	if (t->launches.n)
		qsort(t->launches.at, t->launches.n, sizeof(*t->launches.at), by_id);
	if (t->marks.n)
		qsort(t->marks.at, t->marks.n, sizeof(*t->marks.at), by_start);
	check_marks(t);
}

/* Whether the launch before one, of the same id, encloses it: a call of a library that calls the
 * driver. */
static bool is_within_last(const struct trace *t, size_t i)
{
	const struct trace_launch *of = &t->launches.at[i], *last = of - 1;

	return i && last->id == of->id &&
		last->start_ps + last->duration_ps >= of->start_ps + of->duration_ps;
}

uint32_t trace_find_launch(const struct trace *t, uint64_t id, int64_t ordinal, int64_t start_ps)
{
	enum { MOST_TRIED = 64 };
	size_t low = 0, high = t->launches.n, found;

	/* Behind the last of the id that began by then. */
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct trace_launch *of = &t->launches.at[middle];

		if (of->id < id || (of->id == id && of->start_ps <= start_ps))
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || t->launches.at[low - 1].id != id)
		return low < t->launches.n && t->launches.at[low].id == id ? (uint32_t)low : NONE;
	found = low - 1;
	for (size_t i = low; i && low - i < MOST_TRIED && t->launches.at[i - 1].id == id; i--)
		if (t->launches.at[i - 1].device == ordinal) {
			found = i - 1;
			break;
		}
	while (is_within_last(t, found))
		found--;
	return (uint32_t)found;
}

/* The run that a launch is in: its place among the marks; NONE. */
static uint32_t find_mark(const struct trace *t, uint32_t launch)
{
	size_t low = 0, high = t->marks.n;
	int64_t time_ps = launch == NONE ? INT64_MIN : t->launches.at[launch].start_ps;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (t->marks.at[middle].start_ps <= time_ps)
			low = middle + 1;
		else
			high = middle;
	}
	return low && time_ps < t->marks.at[low - 1].end_ps ? (uint32_t)low - 1 : NONE;
}

/* ---- executions ---------------------------------------------------------- */

static int by_program(const void *a, const void *b, void *context)
{
	const struct trace_target *targets = context;
	const struct trace_target *x = &targets[*(const uint32_t *)a];
	const struct trace_target *y = &targets[*(const uint32_t *)b];

	if (x->program != y->program)
		return x->program < y->program ? -1 : 1;
	return (x > y) - (x < y);
}

/* Which targets are the only operation of their program, by target. NULL on allocation failure. */
static bool *find_alone(const struct trace *t)
{
	size_t n = 0;
	uint32_t *order = mem_array(t->targets.n + 1, sizeof(*order));
	bool *is_alone = mem_zero_array(t->targets.n + 1, sizeof(*is_alone));

	for (uint32_t i = 0; order && i < t->targets.n; i++)
		if (t->targets.at[i].on_device == DEVICE_COMPILED)
			order[n++] = i;
	if (order && n)
		qsort_r(order, n, sizeof(*order), by_program, t->targets.at);
	for (size_t i = 0, end; is_alone && order && i < n; i = end) {
		uint64_t program = t->targets.at[order[i]].program;

		for (end = i; end < n && t->targets.at[order[end]].program == program; end++)
			;
		is_alone[order[i]] = end - i == 1;
	}
	if (!order) {
		mem_free(is_alone);
		is_alone = NULL;
	}
	mem_free(order);
	return is_alone;
}

/* Whether a kernel is of the execution that the one before it on its stream, of the same target, is
 * of, which began with `first`. */
static bool continues(const struct trace *t, const struct trace_device_op *op, uint32_t target,
	const struct trace_device_op *first, bool is_alone)
{
	uint32_t mark = find_mark(t, op->launch);

	if (t->targets.at[target].on_device == DEVICE_EACH || op->group != op[-1].group)
		return false;
	if (mark != NONE)
		return mark == find_mark(t, op[-1].launch);
	/* Otherwise another operation runs between two executions; if there is none, the first
	 * kernel does again. */
	return !is_alone || op->kernel != first->kernel;
}

/* The event of an operation of TensorFlow on the host, around what launched a kernel; NONE. */
static uint32_t host_event_of(const struct trace *t, const struct trace_device_op *op,
	uint32_t target)
{
	const struct trace_launch *launch = op->launch == NONE ? NULL : &t->launches.at[op->launch];

	return launch && launch->target == target ? launch->op : NONE;
}

/* Kernels of a stream, in order of time. */
static void find_on_stream(struct trace *t, const struct trace_line *line, size_t end,
	const bool *is_alone)
{
	struct trace_device_op *op = &t->device_ops.at[line->first_device_op], *first = op;
	uint32_t last_event = NONE;

	for (size_t i = line->first_op; i < end; i++, op++) {
		uint32_t target = t->ops.at[i].target, event = host_event_of(t, op, target);

		op->is_launched_along =
			i > line->first_op && op->launch != NONE && op->launch == op[-1].launch;
		if (event != NONE)
			op->continues = true;
		else if (i > line->first_op && t->ops.at[i - 1].target == target)
			op->continues = continues(t, op, target, first, is_alone[target]);
		op->is_next = event == NONE ? !op->continues : event != last_event;
		last_event = event;
		if (!op->continues)
			first = op;
	}
}

/* ---- runs of programs ---------------------------------------------------- */

/* A run of a program on a stream begins when the program changes, when an operation runs again that
 * is not the one before, with another mark, or with each execution of a program that has no other
 * operation. */
static int64_t count_runs(const struct trace *t, const struct trace_line *line, size_t end,
	const bool *is_alone, uint32_t *seen_in)
{
	const struct trace_device_op *op = &t->device_ops.at[line->first_device_op];
	const struct trace_target *program = NULL;
	uint32_t before = NONE, mark = NONE, n = 0;

	for (size_t i = line->first_op; i < end; i++, op++) {
		uint32_t target = t->ops.at[i].target, now = find_mark(t, op->launch);
		const struct trace_target *of = &t->targets.at[target];

		if (of->on_device != DEVICE_COMPILED)
			continue;
		if (!program || program->program != of->program || now != mark ||
			(now == NONE && !op->continues &&
				(is_alone[target] || (target != before && seen_in[target] == n))))
			n++;
		seen_in[target] = n;
		program = of;
		before = target;
		mark = now;
	}
	return n;
}

/* Runs of a stream; of several streams, those of the one with most: a run may use several. */
static void note_runs(struct trace *t, const struct trace_line *line, size_t end,
	const bool *is_alone, uint32_t *seen_in)
{
	int64_t n, *most = &t->devices.at[line->device].n_programs_run;

	memset(seen_in, 0, t->targets.n * sizeof(*seen_in));
	n = count_runs(t, line, end, is_alone, seen_in);
	if (n > *most)
		*most = n;
}

bool trace_find_executions(struct trace *t)
{
	bool *is_alone;
	uint32_t *seen_in;

	if (!t->device_ops.n)
		return true;
	is_alone = find_alone(t);
	seen_in = mem_array(t->targets.n + 1, sizeof(*seen_in));
	for (size_t i = 0; is_alone && seen_in && i < t->lines.n; i++) {
		const struct trace_line *line = &t->lines.at[i];
		size_t end = i + 1 < t->lines.n ? line[1].first_op : t->ops.n;

		if (line->first_device_op == NONE || t->devices.at[line->device].kind != PLANE_GPU)
			continue;
		find_on_stream(t, line, end, is_alone);
		note_runs(t, line, end, is_alone, seen_in);
	}
	mem_free(is_alone);
	mem_free(seen_in);
	return is_alone && seen_in;
}
