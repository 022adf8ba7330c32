/* Converts operations to runs of their nodes, and sums them by step.
 *
 *     ops of the trace, by line and time     a stretch: those of a line and step
 *        │ in place
 *        ▼
 *     runs of the model      chained by (node, step) <── row (node, step): sums
 *
 * Apart from the rows, nothing of the size of the trace is allocated. */
#include "load/xplane/apply.h"

#include "base/clamped.h"
#include "base/prefetch.h"
#include "load/anatomy/names.h"
#include "model/executed.h"

/* An operation that has not been converted to a run yet. */
static struct trace_op *op_at(const struct apply *a, uint32_t place)
{
	return (struct trace_op *)&a->model->execs.runs.at[place];
}

int64_t apply_time_us(const struct apply *a, int64_t ps)
{
	int64_t rest_ps = a->base_ns % 1000 * 1000 + ps;

	return a->base_ns / 1000 + rest_ps / 1000000;
}

static int64_t to_us(int64_t ps)
{
	return (ps + 500000) / 1000000;
}

/* What a node did in a step. */
struct node_work {
	int64_t self_ps, accelerator_ps;
	int64_t busy_ps, waiting_ps; /* of threads */
	int64_t output_bytes;
	uint32_t n;
	uint32_t n_executions; /* kernels may be parts of one */
	uint32_t n_kernels;    /* and operations of cores */
	int64_t launch_ps;
	uint32_t first_run, last_run;
	int64_t fused_ps; /* of all */
	uint32_t devices; /* of the last run's lane */
	uint32_t line;    /* of the first run, or the first on an accelerator */
	bool is_mixed;    /* its runs were on different devices */
};

/* Nobody works for an operation that only waits. */
static void add_own(const struct apply *a, struct node_work *d, const struct trace_op *op,
	int64_t self_ps)
{
	const struct own_time *time =
		op->cause == NONE ? NULL : &a->trace->own_times.at[op->cause].time;

	if (a->trace->targets.at[op->target].is_waiting) {
		d->waiting_ps += self_ps;
		return;
	}
	d->busy_ps += time ? time->busy_ps : self_ps;
	d->waiting_ps += time ? time->waiting_ps : 0;
}

/* Times are summed in picoseconds. A run gets the difference it makes to the rounded sum, so
 * that the runs' microseconds add up to it. The run overwrites the operation. */
static void add_run(struct apply *a, struct node_work *d, uint32_t place, uint32_t line)
{
	struct execs *x = &a->model->execs;
	const struct exec_lane *lane = &x->lanes.at[a->lanes[line]];
	struct trace_op *op = op_at(a, place);
	int64_t self_ps = op->self_ps > 0 ? op->self_ps : 0;
	int64_t start_us = apply_time_us(a, op->start_ps);
	int64_t end_us = apply_time_us(a, op->start_ps + op->total_ps);
	int64_t *sum_ps = lane->is_accelerator ? &d->accelerator_ps : &d->self_ps;

	add_own(a, d, op, self_ps);
	op->run = (struct exec_run){start_us, end_us - start_us,
		to_us(*sum_ps + self_ps) - to_us(*sum_ps), a->lanes[line], NONE};
	*sum_ps += self_ps;
	if (!d->n)
		d->first_run = place;
	else
		x->runs.at[d->last_run].next = place;
	d->last_run = place;
	if (!d->n || (lane->is_accelerator && !x->lanes.at[a->lanes[d->line]].is_accelerator))
		d->line = line;
	d->is_mixed |= d->n && d->devices != lane->devices;
	d->devices = lane->devices;
	d->n++;
}

/* A node stays on the first device it ran on, but moves from its host to the accelerator it was
 * launched on. */
static bool place_node(struct apply *a, uint32_t node, uint32_t device)
{
	struct model *m = a->model;
	bool is_launched = plane_is_accelerator(a->trace->devices.at[device].kind) &&
		m->nodes.device[node] && m->nodes.device[node] == m->nodes.host_device[node];

	m->nodes.flags[node] |= NODE_CHANGED;
	if (m->nodes.device[node] && !is_launched)
		return true;
	return executed_ran_on(m, node, a->devices[device], a->host_device);
}

/* Adds to a row that may have data already. */
static bool add_to_row(struct apply *a, const struct node_work *d, uint32_t row)
{
	struct exec_memory memory = {.output_bytes = d->output_bytes};
	struct exec_added added = {.has_runs = true,
		.first_run = d->first_run,
		.on_several_devices = d->is_mixed,
		.sums = {.run_count = d->n_executions,
			.accelerator_us = to_us(d->accelerator_ps),
			.cpu_us = to_us(d->self_ps),
			.busy_us = to_us(d->busy_ps),
			.waiting_us = to_us(d->waiting_ps)}};

	return row != NONE && exec_add(a->model, row, &added) &&
		(!d->output_bytes || exec_add_memory(a->model, row, &memory));
}

/* Whether the row itself has room for everything, as it usually does. */
static bool fits_row(const struct node_work *d)
{
	return !d->is_mixed && !d->output_bytes && d->n <= EXEC_MOST_RUNS &&
		to_us(d->self_ps) <= UINT32_MAX && to_us(d->accelerator_ps) <= UINT32_MAX &&
		to_us(d->busy_ps) <= UINT32_MAX && to_us(d->waiting_ps) <= UINT32_MAX;
}

/* Writes a new row at once: reading back what was just written would stall on its cache line, a
 * tenth of the whole. */
static bool put_new_row(struct apply *a, const struct node_work *d, uint32_t row, int64_t step)
{
	struct exec *exec = exec_at(&a->model->execs, row);

	if (!fits_row(d)) {
		*exec = (struct exec){.step = step, .next = row + 1};
		return add_to_row(a, d, row);
	}
	*exec = (struct exec){.step = step,
		.first_run = d->first_run,
		.next = row + 1,
		.run_count = d->n_executions & EXEC_MOST_RUNS,
		.has = EXEC_HAS_RUNS,
		.accelerator_us = (uint32_t)to_us(d->accelerator_ps),
		.cpu_us = (uint32_t)to_us(d->self_ps),
		.busy_us = (uint32_t)to_us(d->busy_ps),
		.waiting_us = (uint32_t)to_us(d->waiting_ps)};
	return true;
}

/* The rows reserved for a node. */
struct new_rows {
	uint32_t first, next; /* NONE: the node already had rows */
};

/* Adds operations in the order of steps. */
struct adder {
	struct apply *apply;
	/* By target; a node with several targets uses the first one's: */
	uint32_t *first_target;
	struct new_rows *rows;
	struct node_work *work; /* of the current step */
	VEC(uint32_t) worked;   /* targets that have some */
	int64_t *rest_ps;       /* by type: what rounding has left over so far */
};

static void clear_adder(struct adder *add)
{
	mem_free(add->first_target);
	mem_free(add->rows);
	mem_free(add->work);
	vec_clear(&add->worked);
	mem_free(add->rest_ps);
}

static bool find_first_targets(struct adder *add)
{
	const struct apply *a = add->apply;
	uint32_t *of_node =
		mem_zero_array(a->model->nodes.n + 1, sizeof(*of_node)); /* target + 1 */

	for (uint32_t i = 0; of_node && i < a->trace->targets.n; i++) {
		uint32_t *first = &of_node[a->nodes[i]];

		if (!*first)
			*first = i + 1;
		add->first_target[i] = *first - 1;
	}
	mem_free(of_node);
	return of_node != NULL;
}

/* Reserves as many rows as each node may need. They are contiguous, so queries read them in
 * order. */
static bool reserve_rows(struct adder *add)
{
	struct apply *a = add->apply;
	const struct trace *t = a->trace;
	size_t n_rows = 0;
	uint32_t row;

	for (size_t i = 0; i < t->targets.n; i++)
		add->work[add->first_target[i]].n += t->targets.at[i].n_ops;
	for (size_t i = 0; i < t->targets.n; i++) {
		uint32_t *n = &add->work[i].n;

		if (*n > t->steps.n)
			*n = (uint32_t)t->steps.n;
		if (a->model->nodes.first_exec[a->nodes[i]] != NONE)
			*n = 0;
		n_rows += *n;
	}
	row = execs_add_rows(&a->model->execs, n_rows);
	for (size_t i = 0; row != NONE && i < t->targets.n; i++) {
		uint32_t first = add->work[i].n ? row : NONE;

		add->rows[i] = (struct new_rows){first, first};
		row += add->work[i].n;
		add->work[i].n = 0;
	}
	return row != NONE;
}

/* Operations of accelerators are marked by their programs. */
static void mark_waiting(const struct apply *a)
{
	const struct model *m = a->model;

	for (size_t i = 0; i < a->trace->targets.n; i++)
		if (type_waits(model_text(m, m->nodes.op[a->nodes[i]])))
			a->trace->targets.at[i].is_waiting = true;
}

static bool start_adding(struct adder *add)
{
	size_t n = add->apply->trace->targets.n + 1;

	mark_waiting(add->apply);
	add->first_target = mem_array(n, sizeof(*add->first_target));
	add->rows = mem_array(n, sizeof(*add->rows));
	add->work = mem_zero_array(n, sizeof(*add->work));
	add->rest_ps = mem_zero_array(add->apply->trace->texts.text.n + 1, sizeof(*add->rest_ps));
	return add->first_target && add->rows && add->work && add->rest_ps &&
		vec_reserve(&add->worked, n) && find_first_targets(add) && reserve_rows(add);
}

/* Links the rows that were written to their nodes. They already point to each other. */
static void chain_rows(const struct adder *add)
{
	struct model *m = add->apply->model;

	for (size_t i = 0; i < add->apply->trace->targets.n; i++) {
		const struct new_rows *rows = &add->rows[i];

		if (rows->first == rows->next)
			continue;
		exec_at(&m->execs, rows->next - 1)->next = NONE;
		m->nodes.first_exec[add->apply->nodes[i]] = rows->first;
		m->nodes.last_exec[add->apply->nodes[i]] = rows->next;
	}
}

/* A thousand kernels of 16.2 us each take 16.2 ms, not 16: once what rounding has left over within
 * a type is a microsecond, the node at hand has it. */
static void pass_rest_on(const struct adder *add, struct node_work *d, uint32_t target)
{
	enum { PS_PER_US = 1000000 };
	int64_t *rest_ps = &add->rest_ps[add->apply->trace->targets.at[target].type], more;
	struct exec_run *last = &add->apply->model->execs.runs.at[d->last_run];

	*rest_ps += d->accelerator_ps - to_us(d->accelerator_ps) * PS_PER_US;
	more = *rest_ps / PS_PER_US;
	if (!more || last->own_us + more < 0)
		return;
	*rest_ps -= more * PS_PER_US;
	last->own_us += more;
	d->accelerator_ps += more * PS_PER_US;
	*(d->busy_ps ? &d->busy_ps : &d->waiting_ps) += more * PS_PER_US;
}

static bool put_work(const struct adder *add, uint32_t target, uint32_t step)
{
	struct apply *a = add->apply;
	struct node_work *d = &add->work[target];
	int64_t number = a->trace->steps.at[step];
	uint64_t self_ps = (uint64_t)(d->self_ps + d->accelerator_ps);
	uint32_t node = a->nodes[target];
	struct new_rows *rows = &add->rows[target];

	if (d->accelerator_ps)
		pass_rest_on(add, d, target);
	a->all_ps += self_ps;
	a->joined_ps += a->is_joined[target] ? self_ps : 0;
	a->gradient_ps += a->is_gradient[target] ? self_ps : 0;
	a->fused_ps += (uint64_t)d->fused_ps;
	if (!place_node(a, node, a->trace->lines.at[d->line].device) ||
		(d->n_kernels &&
			!vec_push(&a->model->device_work,
				((struct device_work){node, d->n_kernels, number, d->launch_ps}))))
		return false;
	return rows->first == NONE ? add_to_row(a, d, exec_row(a->model, node, number))
				   : put_new_row(a, d, rows->next++, number);
}

/* The rows of a step lie apart: without this a trace of 1 GB takes 10 % longer. */
PREFETCHES prefetch_row(const struct adder *add, size_t i)
{
	const struct new_rows *rows;

	if (i >= add->worked.n)
		return;
	rows = &add->rows[add->worked.at[i]];
	if (rows->first != NONE)
		prefetch_bytes((const char *)exec_at(&add->apply->model->execs, rows->next),
			sizeof(struct exec));
}

static bool end_step(struct adder *add, uint32_t step)
{
	enum { AHEAD = 16 };
	bool ok = true;

	for (size_t i = 0; ok && i < add->worked.n; i++) {
		prefetch_row(add, i + AHEAD);
		ok = put_work(add, add->worked.at[i], step);
		add->work[add->worked.at[i]] = (struct node_work){0};
	}
	add->worked.n = 0;
	return ok;
}

/* Counts an operation as an execution, unless it is a kernel that continues one. */
static void count_op(const struct apply *a, struct node_work *d, const struct trace_line *line,
	uint32_t op)
{
	const struct trace_device_op *on_device;

	if (line->first_device_op == NONE) {
		d->n_executions++;
		return;
	}
	on_device = &a->trace->device_ops.at[line->first_device_op + op - line->first_op];
	d->n_executions += !on_device->continues;
	d->n_kernels++;
	if (on_device->launch != NONE && !on_device->is_launched_along)
		d->launch_ps += a->trace->launches.at[on_device->launch].duration_ps;
}

static void add_stretch(struct adder *add, const struct trace_stretch *s)
{
	struct apply *a = add->apply;

	for (uint32_t op = s->first; op < s->end; op++) {
		uint32_t place = a->first_op + op, of = op_at(a, place)->target;
		uint32_t target = add->first_target[of];
		struct node_work *d = &add->work[target];

		if (!d->n)
			add->worked.at[add->worked.n++] = target;
		if (a->output_bytes[of] > 0)
			add_clamped(&d->output_bytes, a->output_bytes[of]);
		if (a->is_fused[of] && op_at(a, place)->self_ps > 0)
			d->fused_ps += op_at(a, place)->self_ps;
		count_op(a, d, &a->trace->lines.at[s->line], op);
		add_run(a, d, place, s->line);
	}
}

/* Adds the operations of the trace, which are in the model's list of runs by now. */
static bool add_stretches(struct adder *add)
{
	const struct trace *t = add->apply->trace;

	for (uint32_t i = 0; i < t->stretches.n; i++) {
		const struct trace_stretch *s = &t->stretches.at[i];

		add_stretch(add, s);
		if ((i + 1 == t->stretches.n || s[1].step != s->step) && !end_step(add, s->step))
			return false;
	}
	chain_rows(add);
	return true;
}

/* Moves the operations to the end of the model's list of runs. */
static bool move_ops(struct apply *a)
{
	struct trace *t = a->trace;
	struct execs *x = &a->model->execs;
	size_t n = t->ops.n;
	void *less;

	a->first_op = (uint32_t)x->runs.n;
	if (x->runs.n + n >= NONE - 1)
		return false;
	if (x->runs.n) {
		if (!vec_reserve(&x->runs, n))
			return false;
		memcpy(x->runs.at + x->runs.n, t->ops.at, n * sizeof(*t->ops.at));
		vec_clear(&t->ops);
	} else {
		vec_clear(&x->runs);
		less = n ? mem_resize(t->ops.at, n * sizeof(*t->ops.at)) : NULL;
		x->runs.at = less ? less : (void *)t->ops.at;
		x->runs.cap = n;
		t->ops.at = NULL;
		t->ops.n = t->ops.cap = 0;
	}
	x->runs.n += n;
	return true;
}

bool apply_ops(struct apply *a)
{
	const struct trace *t = a->trace;
	struct adder add = {.apply = a};
	bool ok = true;

	for (size_t i = 0; ok && i < t->steps.n; i++)
		ok = model_add_step(a->model, t->steps.at[i]);
	ok = ok && move_ops(a) && start_adding(&add) && add_stretches(&add);
	clear_adder(&add);
	return ok;
}
