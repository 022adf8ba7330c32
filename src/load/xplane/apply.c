#include "load/xplane/apply.h"

void apply_clear(struct apply *a)
{
	mem_free(a->nodes);
	mem_free(a->output_bytes);
	mem_free(a->is_joined);
	mem_free(a->is_gradient);
	join_clear(&a->join);
	mem_free(a->devices);
	mem_free(a->lanes);
	buf_clear(&a->scratch);
}

/* ---- nodes and devices --------------------------------------------------- */

static bool is_accelerator(enum plane_kind kind)
{
	return kind == PLANE_GPU || kind == PLANE_TPU;
}

/* "/host:vm/device:gpu:0" */
static uint32_t add_device(struct apply *a, enum plane_kind kind, int64_t ordinal)
{
	struct buf *b = &a->scratch;

	b->n = 0;
	buf_text(b, "/host:");
	buf_span(b, a->host);
	buf_printf(b, "/device:%s:%lld",
		kind == PLANE_GPU           ? "gpu"
			: kind == PLANE_TPU ? "tpu"
					    : "cpu",
		(long long)(is_accelerator(kind) ? ordinal : 0));
	for (size_t i = 0; i < b->n; i++)
		if (b->at[i] >= 'A' && b->at[i] <= 'Z')
			b->at[i] = (char)(b->at[i] - 'A' + 'a');
	return b->failed ? NONE : strings_add(&a->model->strings, buf_get(b));
}

static bool add_devices(struct apply *a)
{
	const struct trace *t = a->trace;

	a->devices = mem_array(t->devices.n + 1, sizeof(*a->devices));
	for (size_t i = 0; a->devices && i < t->devices.n; i++) {
		a->devices[i] = add_device(a, t->devices.at[i].kind, t->devices.at[i].ordinal);
		if (a->devices[i] == NONE)
			return false;
	}
	return a->devices != NULL;
}

/* Time on a GPU is of its "stream:all", as run metadata has it. */
static uint32_t device_of_time(struct apply *a, uint32_t device)
{
	struct buf *b = &a->scratch;

	if (a->trace->devices.at[device].kind != PLANE_GPU)
		return a->devices[device];
	b->n = 0;
	buf_span(b, model_text(a->model, a->devices[device]));
	buf_text(b, "/stream:all");
	return b->failed ? NONE : strings_add(&a->model->strings, buf_get(b));
}

static uint32_t count_lanes(const struct model *m, uint32_t device)
{
	uint32_t n = 0;

	for (size_t i = 0; i < m->execs.lanes.n; i++)
		n += m->execs.lanes.at[i].device == device;
	return n;
}

static bool add_lanes(struct apply *a)
{
	struct model *m = a->model;
	const struct trace *t = a->trace;

	a->lanes = mem_array(t->lines.n + 1, sizeof(*a->lanes));
	for (size_t i = 0; a->lanes && i < t->lines.n; i++) {
		const struct trace_line *line = &t->lines.at[i];
		struct exec_lane lane = {.device = device_of_time(a, line->device),
			.name = strings_add(&m->strings, line->name),
			.devices = NONE,
			.is_accelerator = is_accelerator(t->devices.at[line->device].kind)};

		if (lane.device != NONE)
			lane.devices = sets_with(&m->sets, &m->strings, 0, lane.device);
		a->lanes[i] = (uint32_t)m->execs.lanes.n;
		if (i && t->lines.at[i - 1].device == line->device)
			lane.number = m->execs.lanes.at[a->lanes[i] - 1].number + 1;
		else
			lane.number = count_lanes(m, lane.device);
		if (lane.name == NONE || lane.devices == NONE || !vec_push(&m->execs.lanes, lane))
			return false;
	}
	return a->lanes != NULL;
}

/* A node that was there before the trace. */
static void cover(struct model *m, uint32_t node)
{
	if (m->nodes.flags[node] & NODE_COVERED)
		return;
	m->nodes.flags[node] |= NODE_COVERED;
	m->n_covered++;
}

static uint32_t add_node(struct apply *a, const struct trace_target *target)
{
	struct model *m = a->model;
	struct span type = strings_get(&a->trace->texts, target->type);
	uint32_t name = strings_add(&m->strings, strings_get(&a->trace->texts, target->name));
	uint32_t op;

	if (name == NONE)
		return NONE;
	if (model_node_of(m, name) != NONE)
		return model_node_of(m, name);
	if (!type.n)
		type = op_text_type(strings_get(&m->strings, name), SPAN(""));
	op = strings_add(&m->strings, type);
	return op == NONE ? NONE : model_add_node(m, name, op);
}

/* Something that operations may be of. */
static bool has_graph(const struct apply *a)
{
	return a->first_new || a->model->graphs.n;
}

/* The node that is already there, or the node of a function that is still to be added. */
static void find_node(struct apply *a, size_t target)
{
	struct span name = strings_get(&a->trace->texts, a->trace->targets.at[target].name);
	struct join_found *found = &a->join.found[target];

	if (a->nodes[target] != NONE || !has_graph(a) ||
		join_find_in_libraries(&a->join, name, library_follow, found))
		return;
	a->nodes[target] = join_find(a->model, name);
	if (a->nodes[target] == NONE)
		join_find_in_libraries(&a->join, name, library_find, found);
}

/* Names as they are; then, only if some are not there, what else there is to look into. */
static bool find_nodes(struct apply *a)
{
	const struct trace *t = a->trace;
	bool are_all = true;

	for (size_t i = 0; i < t->targets.n; i++) {
		a->nodes[i] =
			model_find_node(a->model, strings_get(&t->texts, t->targets.at[i].name));
		are_all &= a->nodes[i] != NONE;
	}
	if (!are_all && !join_read_libraries(&a->join, a->model))
		return false;
	for (size_t i = 0; i < t->targets.n; i++)
		find_node(a, i);
	return true;
}

/* The nodes of a graph that operations are of; an operation whose node another claims, too,
 * gets one of its own. */
static bool join_graph(struct apply *a)
{
	const struct trace *t = a->trace;
	const struct model *m = a->model;
	uint32_t *claims = mem_zero_array(m->nodes.n + 1, sizeof(*claims));

	if (!claims || !find_nodes(a)) {
		mem_free(claims);
		return false;
	}
	for (size_t i = 0; i < t->targets.n; i++)
		if (a->nodes[i] != NONE)
			claims[a->nodes[i]]++;
	for (size_t i = 0; i < t->targets.n; i++) {
		uint32_t node = a->nodes[i];
		bool is_same = node != NONE &&
			span_equal(model_name(m, node),
				strings_get(&t->texts, t->targets.at[i].name));

		if (node != NONE && claims[node] > 1 && !is_same) {
			a->n_ambiguous++;
			a->nodes[i] = NONE;
		}
		a->n_ambiguous += a->join.found[i].in.is_ambiguous;
		a->is_joined[i] = a->nodes[i] != NONE;
	}
	mem_free(claims);
	return true;
}

/* A node for an operation that has none yet. */
static uint32_t make_node(struct apply *a, size_t target)
{
	const struct join_found *found = &a->join.found[target];

	a->join.is_full |= found->library && a->join.nodes.n >= JOIN_MOST_NODES;
	if (!found->library || found->in.is_ambiguous || a->join.is_full)
		return add_node(a, &a->trace->targets.at[target]);
	a->is_joined[target] = true;
	return join_add_node(&a->join, a->model,
		strings_get(&a->trace->texts, a->trace->targets.at[target].name), found);
}

bool apply_targets(struct apply *a)
{
	const struct trace *t = a->trace;

	a->first_new = a->model->nodes.n;
	a->nodes = mem_array(t->targets.n + 1, sizeof(*a->nodes));
	a->is_joined = mem_zero_array(t->targets.n + 1, sizeof(*a->is_joined));
	a->join.found = mem_zero_array(t->targets.n + 1, sizeof(*a->join.found));
	if (!a->nodes || !a->is_joined || !a->join.found || !join_graph(a))
		return false;
	for (size_t i = 0; i < t->targets.n; i++) {
		if (a->is_joined[i])
			cover(a->model, a->nodes[i]);
		else
			a->nodes[i] = make_node(a, i);
		if (a->nodes[i] == NONE)
			return false;
	}
	a->output_bytes = mem_zero_array(t->targets.n + 1, sizeof(*a->output_bytes));
	return a->output_bytes && add_devices(a) && add_lanes(a);
}

/* ---- executions ---------------------------------------------------------- */

int64_t apply_time_us(const struct apply *a, int64_t ps)
{
	int64_t rest_ps = a->base_ns % 1000 * 1000 + ps;

	return a->base_ns / 1000 + rest_ps / 1000000;
}

static int64_t to_us(int64_t ps)
{
	return (ps + 500000) / 1000000;
}

static uint32_t narrow(int64_t us)
{
	return us > UINT32_MAX ? UINT32_MAX : us < 0 ? 0 : (uint32_t)us;
}

/* What a node did in a step. */
struct doing {
	int64_t self_ps, accelerator_ps;
	uint32_t n;
	uint32_t first_run;
	uint32_t devices; /* of its lanes */
	bool is_mixed;    /* not all lanes have these */
	uint32_t line;    /* the first, or the first of an accelerator */
};

/* Times are added up in picoseconds and rounded once: each execution gets what it adds to
 * that. There is room for the run. */
static void add_run(struct apply *a, struct doing *d, const struct trace_op *op)
{
	struct execs *x = &a->model->execs;
	const struct exec_lane *lane = &x->lanes.at[a->lanes[op->line]];
	int64_t self_ps = op->self_ps > 0 ? op->self_ps : 0;
	int64_t start_us = apply_time_us(a, op->start_ps);
	int64_t end_us = apply_time_us(a, op->start_ps + op->total_ps);
	int64_t *sum_ps = lane->is_accelerator ? &d->accelerator_ps : &d->self_ps;

	x->runs.at[x->runs.n] = (struct exec_run){start_us, narrow(end_us - start_us),
		narrow(to_us(*sum_ps + self_ps) - to_us(*sum_ps)), a->lanes[op->line],
		(uint32_t)x->runs.n + 1};
	x->runs.n++;
	*sum_ps += self_ps;
	if (!d->n || (lane->is_accelerator && !x->lanes.at[a->lanes[d->line]].is_accelerator))
		d->line = op->line;
	d->is_mixed |= d->n && d->devices != lane->devices;
	d->devices = lane->devices;
	d->n++;
}

/* A node stays on the device that it ran on first, or an accelerator that its host launched it
 * for. */
static bool place_node(struct apply *a, uint32_t node, uint32_t device)
{
	struct model *m = a->model;
	bool is_launched = is_accelerator(a->trace->devices.at[device].kind) &&
		m->nodes.device[node] && m->nodes.device[node] == m->nodes.host_device[node];

	m->nodes.flags[node] |= NODE_CHANGED;
	if (m->nodes.device[node] && !is_launched)
		return true;
	m->nodes.device[node] = a->devices[device];
	m->nodes.host_device[node] = add_device(a, PLANE_HOST, 0);
	return m->nodes.host_device[node] != NONE && model_add_type(m, node, a->devices[device]);
}

/* Rows that only a trace has, as nearly all, do without a detail: 40 of 120 bytes per
 * operation. */
static bool put_runs(struct apply *a, const struct doing *d, uint32_t row)
{
	struct model *m = a->model;
	struct exec *exec = exec_at(&m->execs, row);

	m->execs.runs.at[m->execs.runs.n - 1].next = NONE;
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

static bool put_doing(struct apply *a, const struct doing *d, const struct trace_op *op)
{
	struct model *m = a->model;
	uint32_t row = exec_row(m, a->nodes[op->target], a->trace->steps.at[op->step]);
	struct exec_sums sums;

	if (row == NONE || !put_runs(a, d, row))
		return false;
	sums = exec_get_sums(&m->execs, row);
	sums.run_count += d->n;
	sums.accelerator_us += to_us(d->accelerator_ps);
	sums.cpu_us += to_us(d->self_ps);
	return exec_put_sums(&m->execs, row, &sums) && put_output_bytes(a, row, op->target, d->n);
}

/* Those of one node and step, which follow each other; *end is set behind the last. */
static bool add_doing(struct apply *a, const uint32_t *order, size_t n, size_t *end)
{
	enum { AHEAD = 16 };
	const struct trace_op *ops = a->trace->ops.at, *first = &ops[order[*end]], *op = first;
	struct doing d = {.first_run = (uint32_t)a->model->execs.runs.n};
	uint32_t node = a->nodes[first->target];

	for (; *end < n; ++*end) {
		op = &ops[order[*end]];
		if (op->step != first->step || a->nodes[op->target] != node)
			break;
		/* A node's executions are all over the trace, most in two lines of the cache: 15 %
		 * of the whole. */
		if (*end + AHEAD < n)
			prefetch_bytes((const char *)&ops[order[*end + AHEAD]], sizeof(*ops));
		add_run(a, &d, op);
	}
	return place_node(a, node, a->trace->lines.at[d.line].device) && put_doing(a, &d, first);
}

/* Counts what is in steps and outside of them. */
static void count_ops(struct apply *a)
{
	const struct trace *t = a->trace;

	for (size_t i = 0; i < t->ops.n; i++) {
		const struct trace_op *op = &t->ops.at[i];
		uint64_t self_ps = op->self_ps > 0 ? (uint64_t)op->self_ps : 0;

		if (op->step == NONE) {
			a->n_outside++;
			a->outside_ps += self_ps;
			continue;
		}
		a->all_ps += self_ps;
		a->joined_ps += a->is_joined[op->target] ? self_ps : 0;
		a->gradient_ps += a->is_gradient[op->target] ? self_ps : 0;
	}
}

/* From how many have a place to where they begin. */
static void sum_up(uint32_t *counts, size_t n)
{
	uint32_t sum = 0;

	for (size_t i = 0; i < n; i++) {
		uint32_t count = counts[i];

		counts[i] = sum;
		sum += count;
	}
}

/* The operations in steps, by node and step; otherwise as they come. Both are counted, not
 * compared: four bytes per operation, and linear. NULL on allocation failure. */
static uint32_t *order_ops(const struct apply *a)
{
	const struct trace *t = a->trace;
	size_t n_nodes = a->model->nodes.n, n = t->ops.n - a->n_outside;
	uint32_t *by_step = mem_array(n + 1, sizeof(*by_step));
	uint32_t *order = mem_array(n + 1, sizeof(*order));
	uint32_t *steps = mem_zero_array(t->steps.n + 1, sizeof(*steps));
	uint32_t *nodes = mem_zero_array(n_nodes + 1, sizeof(*nodes));
	bool ok = by_step && order && steps && nodes;

	for (size_t i = 0; ok && i < t->ops.n; i++)
		if (t->ops.at[i].step != NONE) {
			steps[t->ops.at[i].step]++;
			nodes[a->nodes[t->ops.at[i].target]]++;
		}
	if (ok) {
		sum_up(steps, t->steps.n);
		sum_up(nodes, n_nodes);
	}
	for (size_t i = 0; ok && i < t->ops.n; i++)
		if (t->ops.at[i].step != NONE)
			by_step[steps[t->ops.at[i].step]++] = (uint32_t)i;
	for (size_t i = 0; ok && i < n; i++)
		order[nodes[a->nodes[t->ops.at[by_step[i]].target]]++] = by_step[i];
	mem_free(nodes);
	mem_free(steps);
	mem_free(by_step);
	if (!ok)
		mem_free(order);
	return ok ? order : NULL;
}

bool apply_ops(struct apply *a)
{
	const struct trace *t = a->trace;
	struct execs *x = &a->model->execs;
	size_t n, at = 0;
	uint32_t *order;
	bool ok;

	count_ops(a);
	n = t->ops.n - a->n_outside;
	order = t->ops.n < NONE ? order_ops(a) : NULL;
	ok = order && x->runs.n + n < NONE - 1 && vec_reserve_large(&x->runs, n);
	for (size_t i = 0; ok && i < t->steps.n; i++)
		ok = model_add_step(a->model, t->steps.at[i]);
	while (ok && at < n)
		ok = add_doing(a, order, n, &at);
	mem_free(order);
	return ok;
}
