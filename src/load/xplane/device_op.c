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
	size_t low = 0, found;
	const struct trace_launch *at = t->launches.at;

	/* Behind the last of the id that began by then. */
	sort_search(low, t->launches.n, i,
		at[i].id < id || (at[i].id == id && at[i].start_ps <= start_ps));
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
	size_t low = 0;
	int64_t time_ps = launch == NONE ? INT64_MIN : t->launches.at[launch].start_ps;

	sort_search(low, t->marks.n, i, t->marks.at[i].start_ps <= time_ps);
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

/* What is known of targets: those of compiled programs have one. */
struct programs {
	uint32_t *number; /* by target: of its program, from 0 */
	uint32_t *only;   /* by program: its operation on the stream at hand, if it has just one */
	bool *is_alone;   /* by target: it is that */
};

/* False on allocation failure. */
static bool number_programs(const struct trace *t, struct programs *p)
{
	size_t n = 0, end;
	uint32_t n_programs = 0, *order = mem_array(t->targets.n + 1, sizeof(*order));

	p->is_alone = mem_zero_array(t->targets.n + 1, sizeof(*p->is_alone));
	p->number = mem_zero_array(t->targets.n + 1, sizeof(*p->number));
	p->only = mem_array(t->targets.n + 1, sizeof(*p->only));
	if (!order || !p->is_alone || !p->number || !p->only) {
		mem_free(order);
		return false;
	}
	for (uint32_t i = 0; i < t->targets.n; i++)
		if (t->targets.at[i].on_device == DEVICE_COMPILED)
			order[n++] = i;
	if (n)
		qsort_r(order, n, sizeof(*order), by_program, t->targets.at);
	for (size_t i = 0; i < n; i = end, n_programs++) {
		uint64_t program = t->targets.at[order[i]].program;

		for (end = i; end < n && t->targets.at[order[end]].program == program; end++)
			p->number[order[end]] = n_programs;
	}
	mem_free(order);
	return true;
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

/* Which targets are the only operation of their program on a stream, as collectives may be. */
static void find_alone(const struct trace *t, const struct trace_line *line, size_t end,
	struct programs *p)
{
	memset(p->only, 0xff, t->targets.n * sizeof(*p->only));
	for (size_t i = line->first_op; i < end; i++) {
		uint32_t target = t->ops.at[i].target, *only = &p->only[p->number[target]];

		if (t->targets.at[target].on_device != DEVICE_COMPILED)
			continue;
		*only = *only == NONE || *only == target ? target : NONE - 1;
	}
	for (size_t i = line->first_op; i < end; i++) {
		uint32_t target = t->ops.at[i].target;

		p->is_alone[target] = p->only[p->number[target]] == target;
	}
}

/* Kernels of a stream, in order of time. */
static void find_on_stream(struct trace *t, const struct trace_line *line, size_t end,
	struct programs *p)
{
	struct trace_device_op *op = &t->device_ops.at[line->first_device_op], *first = op;
	uint32_t last_event = NONE;

	find_alone(t, line, end, p);
	for (size_t i = line->first_op; i < end; i++, op++) {
		uint32_t target = t->ops.at[i].target, event = host_event_of(t, op, target);

		op->is_launched_along =
			i > line->first_op && op->launch != NONE && op->launch == op[-1].launch;
		if (event != NONE)
			op->continues = true;
		else if (i > line->first_op && t->ops.at[i - 1].target == target)
			op->continues = continues(t, op, target, first, p->is_alone[target]);
		op->is_next = event == NONE ? !op->continues : event != last_event;
		last_event = event;
		if (!op->continues)
			first = op;
	}
}

/* ---- runs of programs ---------------------------------------------------- */

/* Runs of programs, of a device at a time. Arrays by number of the program, unless said. */
struct run_counts {
	struct programs programs;
	int64_t *on_stream; /* of the stream at hand */
	int64_t *most;      /* on one stream of the device */
	int64_t *seen_in;   /* by target: the run of the stream that it was last seen in */
	bool *is_counted;   /* by mark */
	uint32_t *lines;    /* in order of devices */
	size_t n_lines;
};

/* A run of a program on a stream begins when the program changes, when an operation runs again that
 * is not the one before, or with each execution of a program that has no other operation there. A
 * run may use several streams: then those of the one with most count. Where runs are marked, marks
 * count. */
static void count_stream(struct trace *t, const struct trace_line *line, size_t end,
	struct run_counts *c)
{
	const struct trace_device_op *op = &t->device_ops.at[line->first_device_op];
	const struct trace_target *program = NULL;
	uint32_t before = NONE;
	int64_t n = 0;

	memset(c->seen_in, 0, t->targets.n * sizeof(*c->seen_in));
	memset(c->on_stream, 0, t->targets.n * sizeof(*c->on_stream));
	find_alone(t, line, end, &c->programs);
	for (size_t i = line->first_op; i < end; i++, op++) {
		uint32_t target = t->ops.at[i].target, mark = find_mark(t, op->launch);
		const struct trace_target *of = &t->targets.at[target];
		uint32_t number = c->programs.number[target];

		if (of->on_device != DEVICE_COMPILED)
			continue;
		if (mark != NONE) {
			t->devices.at[line->device].n_programs_run += !c->is_counted[mark];
			c->is_counted[mark] = true;
			program = NULL;
			continue;
		}
		if (!program || program->program != of->program ||
			(!op->continues &&
				(c->programs.is_alone[target] ||
					(target != before && c->seen_in[target] == n)))) {
			n++;
			if (++c->on_stream[number] > c->most[number])
				c->most[number] = c->on_stream[number];
		}
		c->seen_in[target] = n;
		program = of;
		before = target;
	}
}

static int by_device(const void *a, const void *b, void *context)
{
	const struct trace *t = context;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	uint32_t i = t->lines.at[x].device, k = t->lines.at[y].device;

	return i != k ? (i > k) - (i < k) : (x > y) - (x < y);
}

static size_t end_of(const struct trace *t, uint32_t line)
{
	return line + 1 < t->lines.n ? t->lines.at[line + 1].first_op : t->ops.n;
}

static void count_runs(struct trace *t, struct run_counts *c)
{
	size_t end;

	if (c->n_lines)
		qsort_r(c->lines, c->n_lines, sizeof(*c->lines), by_device, t);
	for (size_t i = 0; i < c->n_lines; i = end) {
		uint32_t device = t->lines.at[c->lines[i]].device;

		memset(c->most, 0, t->targets.n * sizeof(*c->most));
		for (end = i; end < c->n_lines && t->lines.at[c->lines[end]].device == device;
			end++)
			count_stream(t, &t->lines.at[c->lines[end]], end_of(t, c->lines[end]), c);
		for (size_t k = 0; k < t->targets.n; k++)
			t->devices.at[device].n_programs_run += c->most[k];
	}
}

static bool init_counts(const struct trace *t, struct run_counts *c)
{
	size_t n = t->targets.n + 1;

	c->on_stream = mem_array(n, sizeof(*c->on_stream));
	c->most = mem_array(n, sizeof(*c->most));
	c->seen_in = mem_array(n, sizeof(*c->seen_in));
	c->is_counted = mem_zero_array(t->marks.n + 1, sizeof(*c->is_counted));
	c->lines = mem_array(t->lines.n + 1, sizeof(*c->lines));
	return number_programs(t, &c->programs) && c->on_stream && c->most && c->seen_in &&
		c->is_counted && c->lines;
}

bool trace_find_executions(struct trace *t)
{
	struct run_counts c = {0};
	bool ok;

	if (!t->device_ops.n)
		return true;
	ok = init_counts(t, &c);
	for (uint32_t i = 0; ok && i < t->lines.n; i++) {
		const struct trace_line *line = &t->lines.at[i];

		if (line->first_device_op == NONE || t->devices.at[line->device].kind != PLANE_GPU)
			continue;
		find_on_stream(t, line, end_of(t, i), &c.programs);
		c.lines[c.n_lines++] = i;
	}
	if (ok)
		count_runs(t, &c);
	mem_free(c.programs.is_alone);
	mem_free(c.programs.number);
	mem_free(c.programs.only);
	mem_free(c.on_stream);
	mem_free(c.most);
	mem_free(c.seen_in);
	mem_free(c.is_counted);
	mem_free(c.lines);
	return ok;
}
