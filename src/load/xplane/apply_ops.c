/* Converts operations to runs of their nodes, and sums them by step.
 *
 *     ops of the trace, by line and time     a stretch: those of a line and step
 *        │ in place
 *        ▼
 *     runs of the model      chained by (node, step) <── row (node, step): sums
 *
 * Apart from the rows, nothing of the size of the trace is allocated. */
#include "load/xplane/apply.h"

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
	uint32_t n;
	uint32_t first_run, last_run;
	uint32_t target;
	uint32_t devices; /* of the last run's lane */
	uint32_t line;    /* of the first run, or the first on an accelerator */
	bool is_mixed;    /* its runs were on different devices */
};

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
	m->nodes.device[node] = a->devices[device];
	m->nodes.host_device[node] = a->host_device;
	return model_add_type(m, node, a->devices[device]);
}

/* Nearly all rows come only from a trace and need no detail, which saves 40 of 120 bytes per
 * operation. */
static bool put_runs(struct apply *a, const struct node_work *d, uint32_t row)
{
	struct model *m = a->model;
	struct exec *exec = exec_at(&m->execs, row);

	if (exec->has != EXEC_HAS_RAW || exec->raw.bits || d->is_mixed)
		return exec_decode(m, row) && exec_chain_runs(m, row, d->first_run);
	exec->has = EXEC_HAS_RUNS;
	exec->first_run = d->first_run;
	return true;
}

static bool put_output_bytes(struct apply *a, uint32_t row, uint32_t target, uint32_t n)
{
	struct exec_memory memory = {.output_bytes = a->output_bytes[target]};

	if (memory.output_bytes <= 0 ||
		__builtin_mul_overflow(memory.output_bytes, (int64_t)n, &memory.output_bytes))
		return true;
	return apply_add_memory(a, row, &memory);
}

/* Adds to a row that may have data already. */
static bool add_to_row(struct apply *a, const struct node_work *d, uint32_t row)
{
	struct model *m = a->model;
	struct exec_sums sums;

	if (row == NONE || !put_runs(a, d, row))
		return false;
	sums = exec_get_sums(&m->execs, row);
	sums.run_count += d->n;
	sums.accelerator_us += to_us(d->accelerator_ps);
	sums.cpu_us += to_us(d->self_ps);
	return exec_put_sums(&m->execs, row, &sums) && put_output_bytes(a, row, d->target, d->n);
}

/* Whether the row itself has room for everything, as it usually does. */
static bool fits_row(const struct apply *a, const struct node_work *d)
{
	return !d->is_mixed && a->output_bytes[d->target] <= 0 && d->n <= EXEC_MOST_RUNS &&
		to_us(d->self_ps) <= UINT32_MAX && to_us(d->accelerator_ps) <= UINT32_MAX;
}

/* Writes a new row at once: reading back what was just written would stall on its cache line, a
 * tenth of the whole. */
static bool put_new_row(struct apply *a, const struct node_work *d, uint32_t row, int64_t step)
{
	struct exec *exec = exec_at(&a->model->execs, row);

	if (!fits_row(a, d)) {
		*exec = (struct exec){.step = step, .next = row + 1};
		return add_to_row(a, d, row);
	}
	*exec = (struct exec){.step = step,
		.first_run = d->first_run,
		.next = row + 1,
		.run_count = d->n & EXEC_MOST_RUNS,
		.has = EXEC_HAS_RUNS,
		.accelerator_us = (uint32_t)to_us(d->accelerator_ps),
		.cpu_us = (uint32_t)to_us(d->self_ps)};
	return true;
}

/* The rows reserved for a node. */
struct new_rows {
	uint32_t first, next; /* NONE: the node already had rows */
};

struct batch_op {
	uint32_t place, stretch;
};

/* Operations are ordered by time, rows by node. Operations are regrouped in batches of whole
 * steps that fit the cache. */
struct batch {
	struct apply *apply;
	/* By target; a node with several targets uses the first one's: */
	uint32_t *first_target;
	struct new_rows *rows;
	uint32_t *counts;
	/* Sorted by node, then by step: */
	VEC(struct batch_op) ops;
};

static void clear_batch(struct batch *b)
{
	mem_free(b->first_target);
	mem_free(b->rows);
	mem_free(b->counts);
	vec_clear(&b->ops);
}

static bool find_first_targets(struct batch *b)
{
	const struct apply *a = b->apply;
	uint32_t *of_node =
		mem_zero_array(a->model->nodes.n + 1, sizeof(*of_node)); /* target + 1 */

	for (uint32_t i = 0; of_node && i < a->trace->targets.n; i++) {
		uint32_t *first = &of_node[a->nodes[i]];

		if (!*first)
			*first = i + 1;
		b->first_target[i] = *first - 1;
	}
	mem_free(of_node);
	return of_node != NULL;
}

/* Reserves as many rows as each node may need. They are contiguous, so queries read them in
 * order. */
static bool reserve_rows(struct batch *b)
{
	struct apply *a = b->apply;
	const struct trace *t = a->trace;
	size_t n_rows = 0;
	uint32_t row;

	for (size_t i = 0; i < t->targets.n; i++)
		b->counts[b->first_target[i]] += t->targets.at[i].n_ops;
	for (size_t i = 0; i < t->targets.n; i++) {
		if (b->counts[i] > t->steps.n)
			b->counts[i] = (uint32_t)t->steps.n;
		if (a->model->nodes.first_exec[a->nodes[i]] != NONE)
			b->counts[i] = 0;
		n_rows += b->counts[i];
	}
	row = execs_add_rows(&a->model->execs, n_rows);
	for (size_t i = 0; row != NONE && i < t->targets.n; i++) {
		uint32_t first = b->counts[i] ? row : NONE;

		b->rows[i] = (struct new_rows){first, first};
		row += b->counts[i];
	}
	return row != NONE;
}

static bool start_batches(struct batch *b)
{
	size_t n = b->apply->trace->targets.n + 1;

	b->first_target = mem_array(n, sizeof(*b->first_target));
	b->rows = mem_array(n, sizeof(*b->rows));
	b->counts = mem_zero_array(n, sizeof(*b->counts));
	return b->first_target && b->rows && b->counts && find_first_targets(b) && reserve_rows(b);
}

/* Links the rows that were written to their nodes. They already point to each other. */
static void chain_rows(const struct batch *b)
{
	struct model *m = b->apply->model;

	for (size_t i = 0; i < b->apply->trace->targets.n; i++) {
		const struct new_rows *rows = &b->rows[i];

		if (rows->first == rows->next)
			continue;
		exec_at(&m->execs, rows->next - 1)->next = NONE;
		m->nodes.first_exec[b->apply->nodes[i]] = rows->first;
		m->nodes.last_exec[b->apply->nodes[i]] = rows->next;
	}
}

static bool put_work(const struct batch *b, const struct node_work *d, uint32_t step)
{
	struct apply *a = b->apply;
	int64_t number = a->trace->steps.at[step];
	uint64_t self_ps = (uint64_t)(d->self_ps + d->accelerator_ps);
	uint32_t node = a->nodes[d->target];
	struct new_rows *rows = &b->rows[d->target];

	a->all_ps += self_ps;
	a->joined_ps += a->is_joined[d->target] ? self_ps : 0;
	a->gradient_ps += a->is_gradient[d->target] ? self_ps : 0;
	if (!place_node(a, node, a->trace->lines.at[d->line].device))
		return false;
	return rows->first == NONE ? add_to_row(a, d, exec_row(a->model, node, number))
				   : put_new_row(a, d, rows->next++, number);
}

/* Adds the operations of a node in one step, the first ones in [at, end). Returns where they
 * end; NONE on allocation failure. */
static uint32_t add_work(const struct batch *b, uint32_t target, uint32_t at, uint32_t end)
{
	struct apply *a = b->apply;
	const struct trace_stretch *stretches = a->trace->stretches.at;
	struct node_work d = {.target = target};
	uint32_t step = stretches[b->ops.at[at].stretch].step;

	for (; at < end && stretches[b->ops.at[at].stretch].step == step; at++)
		add_run(a, &d, b->ops.at[at].place, stretches[b->ops.at[at].stretch].line);
	return put_work(b, &d, step) ? at : NONE;
}

/* Turns counts into offsets. */
static void sum_up(uint32_t *counts, size_t n)
{
	uint32_t sum = 0;

	for (size_t i = 0; i < n; i++) {
		uint32_t count = counts[i];

		counts[i] = sum;
		sum += count;
	}
}

/* Adds the n operations of stretches [from, to). */
static bool add_batch(struct batch *b, uint32_t from, uint32_t to, size_t n)
{
	const struct apply *a = b->apply;
	const struct trace_stretch *stretches = a->trace->stretches.at;
	size_t n_targets = a->trace->targets.n;

	b->ops.n = 0;
	if (!vec_reserve(&b->ops, n))
		return false;
	b->ops.n = n;
	memset(b->counts, 0, n_targets * sizeof(*b->counts));
	for (uint32_t i = from; i < to; i++)
		for (uint32_t op = stretches[i].first; op < stretches[i].end; op++)
			b->counts[b->first_target[op_at(a, a->first_op + op)->target]]++;
	sum_up(b->counts, n_targets);
	for (uint32_t i = from; i < to; i++)
		for (uint32_t op = stretches[i].first; op < stretches[i].end; op++) {
			uint32_t place = a->first_op + op;
			uint32_t target = b->first_target[op_at(a, place)->target];

			b->ops.at[b->counts[target]++] = (struct batch_op){place, i};
		}
	for (uint32_t target = 0, at = 0; target < n_targets; target++)
		while (at < b->counts[target]) {
			at = add_work(b, target, at, b->counts[target]);
			if (at == NONE)
				return false;
		}
	return true;
}

/* Adds the operations of the trace, which are in the model's list of runs by now. */
static bool add_batches(struct batch *b)
{
	enum { FEW = 1 << 18 };
	const struct trace *t = b->apply->trace;
	size_t enough = 4 * t->targets.n < FEW ? FEW : 4 * t->targets.n, n = 0;
	uint32_t from = 0;

	for (uint32_t i = 0; i < t->stretches.n; i++) {
		const struct trace_stretch *s = &t->stretches.at[i];

		n += s->end - s->first;
		if (i + 1 < t->stretches.n && (n < enough || s[1].step == s->step))
			continue;
		if (!add_batch(b, from, i + 1, n))
			return false;
		from = i + 1;
		n = 0;
	}
	chain_rows(b);
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
	struct batch b = {.apply = a};
	bool ok = true;

	for (size_t i = 0; ok && i < t->steps.n; i++)
		ok = model_add_step(a->model, t->steps.at[i]);
	ok = ok && move_ops(a) && start_batches(&b) && add_batches(&b);
	clear_batch(&b);
	return ok;
}
